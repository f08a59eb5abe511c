package dev.kv.ttl;

import dev.kv.BulkLoadOptions;
import dev.kv.BulkLoader;
import dev.kv.ChangeOptions;
import dev.kv.ChangePosition;
import dev.kv.Changes;
import dev.kv.CompactionFilter;
import dev.kv.CompactionFilter.Decision;
import dev.kv.ConflictException;
import dev.kv.DB;
import dev.kv.DBComparator;
import dev.kv.DBIterator;
import dev.kv.DBStats;
import dev.kv.Escape;
import dev.kv.LiveFiles;
import dev.kv.Range;
import dev.kv.ReadOptions;
import dev.kv.Slice;
import dev.kv.Snapshot;
import dev.kv.Transaction;
import dev.kv.TransactionOptions;
import dev.kv.ValueReader;
import dev.kv.WriteBatch;
import dev.kv.WriteOptions;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * A database whose entries expire: a view that stores with each value the time after which reads do
 * not find it. It holds nothing, and needs no close. Thread-safe.
 *
 * <pre>{@code
 * Options options =
 *     Options.builder()
 *         .createIfMissing(true)
 *         .compaction(c -> c.filter(TimeToLive.filter()))
 *         .build();
 * DB db = DB.open(directory, options);
 * TimeToLive sessions = TimeToLive.of(db, Duration.ofMinutes(30));
 * sessions.put(id, session); // found for half an hour, or until it is written again
 * sessions.withTimeToLive(Duration.ofDays(7)).put(id, session);
 * }</pre>
 *
 * <p><b>What reads find.</b> An entry has expired if its time is not after the present. For a read
 * of the newest state the present is the moment of the read. A {@link #snapshot}, an iterator and a
 * transaction keep the moment at which they were made: what they show does not expire meanwhile. A
 * snapshot of the database itself has no time; reads of it through a view use the present.
 * Conditions of a batch take an expired entry for absent, as {@link #putIfAbsent} and {@link
 * #compareAndSet} do; they use the moment of the call.
 *
 * <p><b>When entries leave the disk.</b> Expired entries take space until a compaction drops them,
 * which only happens if the database has the {@link #filter}, and no snapshot needs them. When that
 * is, is not promised; {@link #compactRange} does it now. Without the filter, reads are the same.
 *
 * <p><b>The clock</b> is the same for all programs that use the directory. If it is set back,
 * expired entries that are still on disk can be found again.
 *
 * <p><b>The values.</b> Each stored value begins with 8 bytes: d7, and the time in milliseconds
 * since 1970. Reads of a value without them throw {@link dev.kv.UnsupportedFormatException}, so let
 * all writes of these keys pass through such views, and give other data keys of their own: with
 * {@code TimeToLive.of(Space.of(db, "session/"), ...)} and {@code
 * TimeToLive.filter().forPrefix("session/".getBytes())}, the other keys of the database do not
 * expire. {@link #encode} makes the stored value for a batch of the database. Everything else is
 * that of the database: {@link #flush}, {@link #checkpoint}, {@link #stats} and so on affect or
 * describe all of it, and {@link #close} does nothing.
 */
public final class TimeToLive implements DB {
  private final DB database;
  private final Duration timeToLive;
  private final InstantSource clock;

  private TimeToLive(DB database, Duration timeToLive, InstantSource clock) {
    this.database = Objects.requireNonNull(database, "database");
    this.timeToLive = timeToLive;
    this.clock = clock;
    if (timeToLive.isNegative()) {
      throw new IllegalArgumentException("the time to live is negative: " + timeToLive);
    }
  }

  /**
   * Returns a view of a database whose entries expire, by the clock of the system.
   *
   * @param db the database, or a part of it
   * @param timeToLive how long after their write entries are found; {@code
   *     ChronoUnit.FOREVER.getDuration()} for entries that do not expire
   * @return the view
   * @throws IllegalArgumentException if the time is negative
   */
  public static TimeToLive of(DB db, Duration timeToLive) {
    return of(db, timeToLive, InstantSource.system());
  }

  /**
   * Returns a view of a database whose entries expire.
   *
   * @param db the database, or a part of it
   * @param timeToLive how long after their write entries are found
   * @param clock tells the time; thread-safe, and the same as that of the filter
   * @return the view
   * @throws IllegalArgumentException if the time is negative
   */
  public static TimeToLive of(DB db, Duration timeToLive, InstantSource clock) {
    return new TimeToLive(db, timeToLive, clock);
  }

  /**
   * Returns the filter that drops expired entries in compactions, by the clock of the system. It
   * keeps values that were not written through such a view.
   *
   * @return the filter, for {@link dev.kv.Options.Compaction#filter()}
   */
  public static CompactionFilter filter() {
    return filter(InstantSource.system());
  }

  /**
   * Returns the filter that drops expired entries in compactions. It keeps values that were not
   * written through such a view.
   *
   * @param clock tells the time; thread-safe
   * @return the filter, for {@link dev.kv.Options.Compaction#filter()}
   */
  public static CompactionFilter filter(InstantSource clock) {
    Objects.requireNonNull(clock, "clock");
    return (level, key, value) ->
        !Expiry.isPresent(value) || Expiry.isLive(value, clock.millis())
            ? Decision.KEEP
            : Decision.DROP;
  }

  /**
   * Returns a view of the same database whose writes have another time to live.
   *
   * @param timeToLive how long after their write entries are found
   * @return the view
   * @throws IllegalArgumentException if the time is negative
   */
  public TimeToLive withTimeToLive(Duration timeToLive) {
    return new TimeToLive(database, timeToLive, clock);
  }

  /**
   * Returns the database.
   *
   * @return the database that this is a view of
   */
  public DB database() {
    return database;
  }

  /**
   * Returns the stored form of a value that is written now, for a batch of the database.
   *
   * @param value the value
   * @return the bytes to store
   */
  public byte[] encode(byte[] value) {
    return Expiry.encode(expiry(), Objects.requireNonNull(value, "value"));
  }

  /**
   * Returns the time at which an entry expires.
   *
   * @param key the key
   * @return the time; {@link Instant#MAX} if the entry does not expire; empty if there is none
   */
  public Optional<Instant> expiresAt(byte[] key) {
    return database
        .find(key, stored -> Optional.of(stored).filter(this::isLiveNow).map(Expiry::instant))
        .flatMap(time -> time);
  }

  private boolean isLiveNow(Slice stored) {
    return Expiry.isLive(stored, clock.millis());
  }

  /** Returns the time at which what is written now expires. */
  long expiry() {
    return Expiry.after(clock, timeToLive);
  }

  /** Returns the value, or null if there is none or it has expired at {@code time}. */
  static byte @Nullable [] live(byte @Nullable [] stored, long time) {
    return stored == null || !Expiry.isLive(Slice.of(stored), time)
        ? null
        : Arrays.copyOfRange(stored, Expiry.LENGTH, stored.length);
  }

  /** Returns the options with which the database is read: values are needed for their times. */
  static ReadOptions withValues(ReadOptions options) {
    return options.keysOnly() ? options.toBuilder().keysOnly(false).build() : options;
  }

  private static ReadOptions inner(ReadOptions options) {
    return options.snapshot() instanceof TimedSnapshot timed
        ? withValues(options.toBuilder().snapshot(timed.snapshot()).build())
        : withValues(options);
  }

  /** Returns the moment of a read that has been made. */
  private long timeOf(ReadOptions options) {
    return options.snapshot() instanceof TimedSnapshot timed ? timed.time() : clock.millis();
  }

  @Override
  public byte @Nullable [] get(ReadOptions options, byte[] key) {
    return read(options, key, Slice::toByteArray);
  }

  @Override
  public List<byte @Nullable []> getAll(ReadOptions options, List<byte[]> keys) {
    List<byte @Nullable []> found = database.getAll(inner(options), keys);
    return live(found, timeOf(options), options.keysOnly());
  }

  /** Returns the values that have not expired at {@code time}, with null in place of others. */
  static List<byte @Nullable []> live(List<byte @Nullable []> stored, long time, boolean keysOnly) {
    List<byte @Nullable []> values = new ArrayList<>(stored.size());
    for (byte[] each : stored) {
      byte[] value = live(each, time);
      values.add(value != null && keysOnly ? new byte[0] : value);
    }
    return Collections.unmodifiableList(values);
  }

  /** {@inheritDoc} In a view of this kind, it allocates an array for the key. */
  @Override
  public int get(ReadOptions options, ByteBuffer key, ByteBuffer into) {
    byte[] copy = new byte[key.remaining()];
    key.get(key.position(), copy);
    Integer length =
        read(
            options,
            copy,
            value -> {
              byte[] bytes = value.toByteArray();
              into.put(bytes, 0, Math.min(bytes.length, into.remaining()));
              return bytes.length;
            });
    return length == null ? NOT_FOUND : length;
  }

  @Override
  @SuppressWarnings("NullAway") // null is the result if the entry has expired
  public <R extends @Nullable Object> @Nullable R read(
      ReadOptions options, byte[] key, ValueReader<R> reader) {
    Objects.requireNonNull(reader, "reader");
    return database.read(
        inner(options),
        key,
        stored ->
            Expiry.isLive(stored, timeOf(options))
                ? reader.read(stored.suffix(options.keysOnly() ? stored.length() : Expiry.LENGTH))
                : null);
  }

  @Override
  public void put(WriteOptions options, byte[] key, byte[] value) {
    database.put(options, key, encode(value));
  }

  @Override
  public void put(WriteOptions options, ByteBuffer key, ByteBuffer value) {
    database.put(options, key, ByteBuffer.wrap(Expiry.encode(expiry(), value)));
  }

  @Override
  public void delete(WriteOptions options, byte[] key) {
    database.delete(options, key);
  }

  @Override
  public void delete(WriteOptions options, ByteBuffer key) {
    database.delete(options, key);
  }

  @Override
  public void deleteRange(WriteOptions options, byte @Nullable [] from, byte @Nullable [] to) {
    database.deleteRange(options, from, to);
  }

  @Override
  public void deletePrefix(WriteOptions options, byte[] prefix) {
    database.deletePrefix(options, prefix);
  }

  /**
   * Applies a batch atomically. It copies the batch. Its values begin to live now, and its
   * expectations are of values without their times.
   *
   * @param options how to write
   * @param batch the batch, which does not change
   * @throws ConflictException if an expectation does not hold; nothing was written
   */
  @Override
  public void write(WriteOptions options, WriteBatch batch) {
    while (!database.tryWrite(options, stored(batch))) {
      // The stored value of an expected key has changed since it was read: compare it again.
    }
  }

  @Override
  public boolean tryWrite(WriteOptions options, WriteBatch batch) {
    try {
      write(options, batch);
      return true;
    } catch (ConflictException notMet) {
      return false;
    }
  }

  /**
   * Returns the batch for the database. It expects the stored values of this moment.
   *
   * @throws ConflictException if an expectation does not hold now
   */
  private WriteBatch stored(WriteBatch batch) {
    WriteBatch target = WriteBatch.create();
    long time = clock.millis();
    long expiry = expiry();
    Objects.requireNonNull(batch, "batch")
        .iterate(
            new WriteBatch.Handler() {
              @Override
              public void put(Slice key, Slice value) {
                target.put(key.toByteArray(), Expiry.encode(expiry, value.toByteArray()));
              }

              @Override
              public void delete(Slice key) {
                target.delete(key.toByteArray());
              }

              @Override
              public void expect(Slice key, @Nullable Slice value) {
                byte[] copy = key.toByteArray();
                byte[] present = database.get(copy);
                check(copy, live(present, time), value == null ? null : value.toByteArray());
                target.expect(copy, present);
              }
            });
    return target;
  }

  private static void check(byte[] key, byte @Nullable [] present, byte @Nullable [] expected) {
    if (!Arrays.equals(present, expected)) {
      throw new ConflictException(
          "nothing was written: the key '"
              + Escape.bytes(key)
              + "' does not have the value that the batch expects",
          key);
    }
  }

  @Override
  public Transaction transaction(TransactionOptions options) {
    Transaction transaction = database.transaction(options);
    return new TimedTransaction(transaction, this, clock.millis());
  }

  @Override
  public DBIterator iterator(ReadOptions options) {
    DBIterator cursor = database.iterator(inner(options));
    return new LiveIterator(cursor, timeOf(options), options.keysOnly());
  }

  /**
   * Returns a snapshot that keeps the present time. Views of this kind and their spaces take it;
   * the database does not.
   */
  @Override
  public Snapshot snapshot() {
    Snapshot snapshot = database.snapshot();
    return new TimedSnapshot(snapshot, clock.millis());
  }

  @Override
  public BulkLoader bulkLoader(BulkLoadOptions options) {
    return new TimedLoader(database.bulkLoader(options), this);
  }

  /**
   * Not supported: the tables have values as they are stored. Ingest them into the {@linkplain
   * #database() database}.
   *
   * @throws UnsupportedOperationException always
   */
  @Override
  public void ingest(List<Path> tables) {
    throw new UnsupportedOperationException(
        "a table has values as they are stored: ingest it into the database");
  }

  /**
   * Not supported: changes have values as they are stored. Read the changes of the {@linkplain
   * #database() database}.
   *
   * @throws UnsupportedOperationException always
   */
  @Override
  public Changes changes(ChangeOptions options, ChangePosition after) {
    throw new UnsupportedOperationException(
        "changes have values as they are stored: read those of the database");
  }

  @Override
  public ChangePosition changePosition() {
    return database.changePosition();
  }

  @Override
  public ChangePosition oldestChangePosition() {
    return database.oldestChangePosition();
  }

  @Override
  public DBComparator comparator() {
    return database.comparator();
  }

  @Override
  public @Nullable String property(String name) {
    return database.property(name);
  }

  @Override
  public DBStats stats() {
    return database.stats();
  }

  @Override
  public long[] approximateSizes(List<Range> ranges) {
    return database.approximateSizes(ranges);
  }

  @Override
  public void compactRange(byte @Nullable [] begin, byte @Nullable [] end) {
    database.compactRange(begin, end);
  }

  @Override
  public void compactDeletes(Duration age) {
    database.compactDeletes(age);
  }

  @Override
  public void flush() {
    database.flush();
  }

  @Override
  public void suspendCompactions() {
    database.suspendCompactions();
  }

  @Override
  public void resumeCompactions() {
    database.resumeCompactions();
  }

  @Override
  public void waitForCompactions() {
    database.waitForCompactions();
  }

  @Override
  public long checkpoint(Path directory) {
    return database.checkpoint(directory);
  }

  @Override
  public LiveFiles suspendDeletions() {
    return database.suspendDeletions();
  }

  @Override
  public void resume() {
    database.resume();
  }

  @Override
  public boolean refresh() {
    return database.refresh();
  }

  /** Does nothing: a view holds nothing, and does not own its database. */
  @Override
  public void close() {}

  /** Returns the time to live and the database, for logs. */
  @Override
  public String toString() {
    return "TimeToLive[" + timeToLive + " in " + database + "]";
  }
}
