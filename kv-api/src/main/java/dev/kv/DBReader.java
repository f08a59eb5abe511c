package dev.kv;

import dev.kv.bytes.DBComparator;
import dev.kv.bytes.Entry;
import dev.kv.bytes.PinnedValue;
import dev.kv.bytes.Slice;
import dev.kv.bytes.ValueReader;
import dev.kv.errors.DBClosedException;
import dev.kv.file.PendingFault;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.function.BiConsumer;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * What reads entries: a database, a snapshot of one, a transaction, or a part of one of these, such
 * as a {@code dev.kv.space.Space}. A method that only reads takes this type. Programs do not
 * implement this interface: later versions may add methods. {@link DB} says what holds for each
 * call: null arguments, arrays, interrupts, exceptions and threads.
 *
 * <p>A {@link DB} reads the newest state, a {@link Snapshot} its own, and a {@link Transaction} the
 * state of its beginning with its own writes on top. {@link ReadOptions#snapshot()} is for readers
 * of the newest state; the others refuse options with another snapshot.
 */
public interface DBReader {
  /** The result of {@link #get(ReadOptions, ByteBuffer, ByteBuffer)} if the key does not exist. */
  int NOT_FOUND = -1;

  /**
   * Returns the value of a key.
   *
   * @param key the key
   * @return the value, or null if the key does not exist
   */
  default byte @Nullable [] get(byte[] key) {
    return get(ReadOptions.DEFAULT, key);
  }

  /**
   * Returns the value of a key.
   *
   * @param options how to read
   * @param key the key
   * @return the value, or null if the key does not exist
   * @throws IllegalArgumentException if the options are {@linkplain ReadOptions#isScanOnly() for
   *     scans}
   */
  default byte @Nullable [] get(ReadOptions options, byte[] key) {
    return read(options, key, Slice::toByteArray);
  }

  /**
   * Returns true if a key exists.
   *
   * @param key the key
   * @return true if the key exists
   */
  default boolean containsKey(byte[] key) {
    return containsKey(ReadOptions.DEFAULT, key);
  }

  /**
   * Returns true if a key exists. Does not copy the value.
   *
   * @param options how to read
   * @param key the key
   * @return true if the key exists
   * @throws IllegalArgumentException if the options are {@linkplain ReadOptions#isScanOnly() for
   *     scans}
   */
  default boolean containsKey(ReadOptions options, byte[] key) {
    return read(options, key, value -> Boolean.TRUE) != null;
  }

  /**
   * Copies the value of a key into a buffer, as far as the buffer has room, and advances its
   * position by the number of bytes copied. A {@link DB} allocates nothing. Other readers may copy
   * the key and the value.
   *
   * @param options how to read
   * @param key the key: the remaining bytes, direct or heap; the position does not change
   * @param into the buffer, direct or heap
   * @return the length of the value in bytes, which may be more than was copied, or {@link
   *     #NOT_FOUND} if the key does not exist
   * @throws IllegalArgumentException if the options are {@linkplain ReadOptions#isScanOnly() for
   *     scans}
   */
  default int get(ReadOptions options, ByteBuffer key, ByteBuffer into) {
    Objects.requireNonNull(into, "into");
    byte[] value = get(options, remaining(key));
    if (value == null) {
      return NOT_FOUND;
    }
    into.put(value, 0, Math.min(value.length, into.remaining()));
    return value.length;
  }

  /**
   * Returns the values of several keys.
   *
   * @param keys the keys, in any order
   * @return the values, in the order of the keys; null for each key that does not exist
   * @see #getAll(ReadOptions, List)
   */
  default List<byte @Nullable []> getAll(List<byte[]> keys) {
    return getAll(ReadOptions.DEFAULT, keys);
  }

  /**
   * Returns the values of several keys, all from one state. It is faster than a get for each key,
   * above all if the keys are near each other: it searches the keys in their order, and keys in the
   * same block share its lookup, its load and its checksum.
   *
   * @param options how to read
   * @param keys the keys, in any order; a key may occur several times
   * @return the values, in the order of the keys; null for each key that does not exist
   * @throws IllegalArgumentException if the options are {@linkplain ReadOptions#isScanOnly() for
   *     scans}
   */
  List<byte @Nullable []> getAll(ReadOptions options, List<byte[]> keys);

  /**
   * Passes the value of a key to a reader, without a copy.
   *
   * @param <R> what the reader returns
   * @param key the key
   * @param reader reads the value; not called if the key does not exist
   * @return what the reader returned, or null if the key does not exist
   * @see #read(ReadOptions, byte[], ValueReader)
   */
  default <R extends @Nullable Object> @Nullable R read(byte[] key, ValueReader<R> reader) {
    return read(ReadOptions.DEFAULT, key, reader);
  }

  /**
   * Passes the value of a key to a reader, without a copy.
   *
   * <p>The reader runs in the calling thread. It holds no lock, and may call any method of this
   * database, writes and other reads included. It pins the value and its files while it runs, so it
   * should be short. If the database is closed while the reader runs, by the reader or by another
   * thread, the value stays readable, and this call throws {@link DBClosedException} after the
   * reader returns. An exception of the reader is passed on to the caller.
   *
   * @param <R> what the reader returns
   * @param options how to read
   * @param key the key
   * @param reader reads the value; not called if the key does not exist
   * @return what the reader returned, or null if the key does not exist
   * @throws IllegalArgumentException if the options are {@linkplain ReadOptions#isScanOnly() for
   *     scans}
   */
  <R extends @Nullable Object> @Nullable R read(
      ReadOptions options, byte[] key, ValueReader<R> reader);

  /**
   * Passes the value of a key to a reader, without a copy.
   *
   * @param <R> what the reader returns
   * @param key the key
   * @param reader reads the value, and does not return null; not called if the key does not exist
   * @return what the reader returned, or empty if the key does not exist
   * @see #read(ReadOptions, byte[], ValueReader)
   */
  default <R> Optional<R> find(byte[] key, ValueReader<? extends R> reader) {
    return find(ReadOptions.DEFAULT, key, reader);
  }

  /**
   * Passes the value of a key to a reader, without a copy. Unlike {@link #read(ReadOptions, byte[],
   * ValueReader) read}, the result cannot be mistaken for a value if the key does not exist.
   *
   * @param <R> what the reader returns
   * @param options how to read
   * @param key the key
   * @param reader reads the value, and does not return null; not called if the key does not exist
   * @return what the reader returned, or empty if the key does not exist
   * @throws NullPointerException if the reader returns null
   * @throws IllegalArgumentException if the options are {@linkplain ReadOptions#isScanOnly() for
   *     scans}
   * @see #read(ReadOptions, byte[], ValueReader)
   */
  default <R> Optional<R> find(ReadOptions options, byte[] key, ValueReader<? extends R> reader) {
    Objects.requireNonNull(reader, "reader");
    Optional<R> found =
        read(
            options,
            key,
            value -> Optional.of(Objects.requireNonNull(reader.read(value), "reader's result")));
    return found == null ? Optional.empty() : found;
  }

  /**
   * Returns the value of a key, pinned in memory.
   *
   * @param key the key
   * @return the value, which the caller closes, or null if the key does not exist
   * @see #pinned(ReadOptions, ByteBuffer)
   */
  default @Nullable PinnedValue pinned(byte[] key) {
    return pinned(ReadOptions.DEFAULT, ByteBuffer.wrap(Objects.requireNonNull(key, "key")));
  }

  /**
   * Returns the value of a key, pinned in memory. Unlike {@link #read(ReadOptions, byte[],
   * ValueReader) read}, which ends the pin when its reader returns, the value can be passed to
   * another thread or written to a socket later. A {@link DB} copies only a value that is still in
   * a memtable. Other readers may copy every value.
   *
   * @param options how to read
   * @param key the key: the remaining bytes, direct or heap; the position does not change
   * @return the value, which the caller closes, or null if the key does not exist
   * @throws IllegalArgumentException if the options are {@linkplain ReadOptions#isScanOnly() for
   *     scans}
   */
  default @Nullable PinnedValue pinned(ReadOptions options, ByteBuffer key) {
    byte[] value = get(options, remaining(key));
    return value == null ? null : PinnedValue.of(value);
  }

  /**
   * Returns a cursor over all entries.
   *
   * @return a cursor, which the caller closes
   */
  default DBIterator iterator() {
    return iterator(ReadOptions.DEFAULT);
  }

  /**
   * Returns a cursor.
   *
   * @param options the state and the bounds
   * @return a cursor, which the caller closes
   * @throws IllegalArgumentException if the options are {@linkplain ReadOptions#descending()
   *     descending}, or have a prefix and the comparator is not bytewise
   */
  DBIterator iterator(ReadOptions options);

  /**
   * Returns the entries of a scan, for a {@code for} statement.
   *
   * @param options the state, the bounds and the direction
   * @return the entries, copied one by one; the caller closes the scan
   * @throws IllegalArgumentException if the options have a prefix and the comparator is not
   *     bytewise
   */
  default Entries entries(ReadOptions options) {
    return new Entries(iterator(Entries.ascending(options)), options.descending());
  }

  /**
   * Returns the entries of a scan as a sequential stream. It closes itself after the last entry; if
   * the stream may end earlier, close it.
   *
   * @param options the state, the bounds and the direction
   * @return a stream of entries, copied one by one; the caller closes it
   * @throws IllegalArgumentException if the options have a prefix and the comparator is not
   *     bytewise
   */
  default Stream<Entry> stream(ReadOptions options) {
    return entries(options).stream();
  }

  /**
   * Passes every entry of a scan to an action, without copies. It runs in the calling thread. An
   * exception of the action ends the scan and is passed on to the caller.
   *
   * @param options the state, the bounds and the direction
   * @param action takes the key and the value of each entry, both valid during the call only
   * @throws IllegalArgumentException if the options have a prefix and the comparator is not
   *     bytewise
   */
  default void forEach(ReadOptions options, BiConsumer<? super Slice, ? super Slice> action) {
    Objects.requireNonNull(action, "action");
    Entries.forEach(iterator(Entries.ascending(options)), options.descending(), action);
  }

  /**
   * Returns the order of the keys. It does not throw after the close.
   *
   * @return the comparator that the database was opened with
   */
  DBComparator comparator();

  private static byte[] remaining(ByteBuffer key) {
    return new PendingFault().copyOf(Objects.requireNonNull(key, "key"));
  }
}
