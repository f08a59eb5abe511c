package dev.kv.scaladsl

import dev.kv.{DB, DBReader, DBWriter, KeyValueStore, Options, ReadOptions}
import dev.kv.bytes.{Entry, PinnedValue, Slice}
import dev.kv.{Snapshot, WriteBatch, WriteOptions}
import java.nio.ByteBuffer
import java.nio.file.Path
import scala.collection.View
import scala.jdk.CollectionConverters.*
import scala.jdk.OptionConverters.*
import scala.util.Using

/** Opens a database, as `DB.open` does.
  *
  * {{{
  * Using.resource(openDB(directory)(_.createIfMissing(true))): db =>
  *   db(key) = value
  * }}}
  *
  * @param directory
  *   the directory of the database
  * @param build
  *   sets the options
  * @return
  *   the open database, which the caller closes
  */
def openDB(directory: Path)(build: Options.Builder => Options.Builder): DB =
  DB.open(directory, build(Options.builder).build)

/** Creates options of a read: `readOptions(_.prefix(prefix).descending(true))`.
  *
  * @param build
  *   sets the options
  */
def readOptions(build: ReadOptions.Builder => ReadOptions.Builder): ReadOptions =
  build(ReadOptions.builder).build

extension (db: DBWriter)
  /** Sets the value of a key: `db(key) = value`. */
  def update(key: Array[Byte], value: Array[Byte]): Unit = db.put(key, value)

  /** Writes a batch.
    *
    * @param options
    *   how to write
    * @param build
    *   adds the operations; if it throws, nothing is written
    */
  def batch(options: WriteOptions = WriteOptions.DEFAULT)(build: WriteBatch => Unit): Unit =
    val batch = WriteBatch.create()
    build(batch)
    db.write(options, batch)

extension (db: KeyValueStore)
  /** Passes a snapshot of the present state to a function, and closes it when the function returns.
    */
  def useSnapshot[R](use: Snapshot => R): R = Using.resource(db.snapshot())(use)

extension (db: DBReader)
  /** Returns a copy of the value of a key. */
  def getOption(key: Array[Byte]): Option[Array[Byte]] = Option(db.get(key))

  /** Returns a copy of the value of a key. */
  def getOption(key: Array[Byte], options: ReadOptions): Option[Array[Byte]] =
    Option(db.get(options, key))

  /** Passes the value of a key to a function, without a copy.
    *
    * @param read
    *   reads the value, which is valid during the call
    */
  def readOption[R](key: Array[Byte], options: ReadOptions = ReadOptions.DEFAULT)(
      read: Slice => R
  ): Option[R] = db.find(options, key, read(_)).toScala

  /** Passes the value of a key to a function, pinned in memory, and closes it when the function
    * returns.
    */
  def usePinned[R](key: Array[Byte], options: ReadOptions = ReadOptions.DEFAULT)(
      use: PinnedValue => R
  ): Option[R] =
    Option(db.pinned(options, ByteBuffer.wrap(key))).map(Using.resource(_)(use))

  /** Passes the entries of a scan to a function, and closes the scan when the function returns.
    *
    * @param options
    *   the state, the bounds and the direction
    * @param use
    *   uses the iterator, during the call only
    */
  def useEntries[R](options: ReadOptions = ReadOptions.DEFAULT)(use: Iterator[Entry] => R): R =
    Using.resource(db.entries(options))(entries => use(entries.iterator.asScala))

  /** Returns the entries as a view: each traversal is a scan of its own, over the state at its
    * begin. A scan closes itself after its last entry. If a traversal may end earlier, as with
    * `take` or `find`, or by an exception, use `useEntries`.
    */
  def view(options: ReadOptions = ReadOptions.DEFAULT): View[Entry] =
    new View[Entry]:
      override def iterator: Iterator[Entry] = db.entries(options).iterator.asScala
      // tail, init and others ask this first
      override def isEmpty: Boolean = useEntries(options)(!_.hasNext)

/** A pattern for the key and the value of an entry. */
object KeyValue:
  def unapply(entry: Entry): (Array[Byte], Array[Byte]) = (entry.key, entry.value)
