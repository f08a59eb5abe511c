package dev.kv.kotlin

import dev.kv.DBReader
import dev.kv.Entries
import dev.kv.bytes.Entry
import dev.kv.ReadOptions
import kotlinx.coroutines.flow.Flow
import kotlinx.coroutines.flow.flow

/** Returns the key, for `(key, value)` in a declaration. */
public operator fun Entry.component1(): ByteArray = key

/** Returns the value, for `(key, value)` in a declaration. */
public operator fun Entry.component2(): ByteArray = value

/**
 * Passes the entries of a scan to a function as a sequence, and closes the scan when it returns.
 *
 * ```
 * val first = db.useEntries(ReadOptions.withPrefix(prefix)) { it.take(10).toList() }
 * ```
 *
 * @param options the state, the bounds and the direction
 * @param block uses the sequence, which can be iterated once and only during the call
 * @return what the function returns
 */
public inline fun <R> DBReader.useEntries(
    options: ReadOptions = ReadOptions.DEFAULT,
    block: (Sequence<Entry>) -> R,
): R = entries(options).use { entries: Entries -> block(entries.asSequence().constrainOnce()) }

/**
 * Returns the entries of a scan as a cold flow. Each collection is a scan of its own, over the
 * state at its begin, unless the options have a snapshot. The scan is closed when the collection
 * ends, fails or is cancelled. Its reads may wait for the disk: use
 * `flowOn(Dispatchers.IO)` where the collector must not wait.
 *
 * @param options the state, the bounds and the direction
 * @return the flow; every entry owns fresh arrays
 */
public fun DBReader.entryFlow(options: ReadOptions = ReadOptions.DEFAULT): Flow<Entry> = flow {
    entries(options).use { entries -> for (entry in entries) emit(entry) }
}
