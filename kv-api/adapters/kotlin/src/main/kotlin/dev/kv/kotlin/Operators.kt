package dev.kv.kotlin

import dev.kv.BatchOperations
import dev.kv.DBReader
import dev.kv.DBWriter
import dev.kv.KeyValueStore
import dev.kv.bytes.PinnedValue
import dev.kv.ReadOptions
import dev.kv.bytes.Slice
import dev.kv.Snapshot
import dev.kv.WriteBatch
import dev.kv.WriteOptions
import java.nio.ByteBuffer

/** Returns the value of a key in a snapshot, or null: `db[key, snapshot]`. */
public operator fun KeyValueStore.get(key: ByteArray, snapshot: Snapshot): ByteArray? =
    get(ReadOptions.at(snapshot), key)

/** Sets the value of a key: `db[key] = value`. */
public operator fun DBWriter.set(key: ByteArray, value: ByteArray): Unit = put(key, value)

/** Deletes a key: `db -= key`. It is no error if the key does not exist. */
public operator fun DBWriter.minusAssign(key: ByteArray): Unit = delete(key)

/** Returns true if a key exists: `key in db`. Does not copy the value. */
public operator fun DBReader.contains(key: ByteArray): Boolean = containsKey(key)

/** Adds a put to a batch: `this[key] = value` in [DBWriter.batch]. */
public operator fun BatchOperations.set(key: ByteArray, value: ByteArray) {
    put(key, value)
}

/** Adds a delete to a batch: `this -= key` in [DBWriter.batch]. */
public operator fun BatchOperations.minusAssign(key: ByteArray) {
    delete(key)
}

/** Returns the byte at an index. */
public operator fun Slice.get(index: Int): Byte = byteAt(index)

/**
 * Writes a batch.
 *
 * ```
 * db.batch(WriteOptions.SYNC) {
 *     put(key, value)
 *     delete(oldKey)
 * }
 * ```
 *
 * @param options how to write
 * @param build adds the operations; if it throws, nothing is written
 */
public inline fun DBWriter.batch(
    options: WriteOptions = WriteOptions.DEFAULT,
    build: WriteBatch.() -> Unit,
): Unit = write(options, WriteBatch.create().apply(build))

/**
 * Passes a snapshot of the present state to a function, and closes it when the function returns.
 *
 * @param block uses the snapshot
 * @return what the function returns
 */
public inline fun <R> KeyValueStore.useSnapshot(block: (Snapshot) -> R): R = snapshot().use(block)

/**
 * Passes the value of a key to a function, pinned in memory, and closes it when the function
 * returns. Unlike in [DB.read], the function may suspend.
 *
 * @param key the key
 * @param options how to read
 * @param block uses the value; not called if the key does not exist
 * @return what the function returns, or null if the key does not exist
 */
public inline fun <R> DBReader.usePinned(
    key: ByteArray,
    options: ReadOptions = ReadOptions.DEFAULT,
    block: (PinnedValue) -> R,
): R? = pinned(options, ByteBuffer.wrap(key))?.use(block)
