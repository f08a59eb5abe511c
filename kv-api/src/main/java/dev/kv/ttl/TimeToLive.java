package dev.kv.ttl;

import dev.kv.BatchOperations;
import dev.kv.DBReader;
import dev.kv.KeyValueStore;
import dev.kv.Snapshot;
import dev.kv.Transaction;
import dev.kv.TransactionOptions;
import dev.kv.WriteBatch;
import dev.kv.WriteOptions;
import dev.kv.bytes.Escape;
import dev.kv.bytes.Slice;
import dev.kv.change.OperationHandler;
import dev.kv.errors.ConflictException;
import dev.kv.load.BulkLoads;
import dev.kv.options.CompactionFilter;
import dev.kv.options.CompactionFilter.Decision;
import dev.kv.view.BatchView;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Iterator;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/**
 * A database whose entries expire: a view that stores with each value the time after which reads do
 * not find it. It holds nothing, and needs no close. Thread-safe. {@link dev.kv.DB} says what holds
 * for each call: null arguments, arrays, interrupts, exceptions and threads.
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
 * {@link #transaction} of such a view keep the moment at which they were made, and {@link
 * #within(Transaction)} the moment of its call: what they show does not expire meanwhile. A
 * snapshot and a transaction of the database itself have no time; reads of them through a view,
 * also by a map over the view, use the present. Conditions of a batch take an expired entry for
 * absent, as {@link #putIfAbsent} and {@link #compareAndSet} do; they use the moment of the call.
 *
 * <p><b>When entries leave the disk.</b> Expired entries take space until a compaction drops them,
 * which only happens if the database has the {@link #filter}, and no snapshot needs them. When that
 * is, is not promised; {@link dev.kv.admin.DBAdmin#compactRange} does it now. Without the filter,
 * reads are the same.
 *
 * <p><b>The clock</b> is the same for all programs that use the directory. If it is set back,
 * expired entries that are still on disk can be found again.
 *
 * <p><b>The values.</b> Each stored value begins with 8 bytes: d7, and the time in milliseconds
 * since 1970. Reads of a value without them throw {@link dev.kv.errors.UnsupportedFormatException},
 * so let all writes of these keys pass through such views, and give other data keys of their own:
 * with {@code TimeToLive.of(Space.of(db, "session/"), ...)} and {@code
 * TimeToLive.filter().forPrefix("session/".getBytes(UTF_8))}, the other keys of the database do not
 * expire. {@link #encode} makes the stored value for a batch of the database. Tables for ingest and
 * changes have the values as they are stored.
 */
public final class TimeToLive extends LiveReader implements KeyValueStore {
  private final KeyValueStore store;
  private final Duration timeToLive;
  private final InstantSource clock;

  private TimeToLive(KeyValueStore store, Duration timeToLive, InstantSource clock) {
    super(store, clock::millis);
    this.store = store;
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
  public static TimeToLive of(KeyValueStore db, Duration timeToLive) {
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
  public static TimeToLive of(KeyValueStore db, Duration timeToLive, InstantSource clock) {
    Objects.requireNonNull(db, "db");
    Objects.requireNonNull(timeToLive, "timeToLive");
    return new TimeToLive(db, timeToLive, Objects.requireNonNull(clock, "clock"));
  }

  /**
   * Returns what reads the entries that have not expired, in a snapshot, a database that is open
   * for reads only, or any other reader of the stored values.
   *
   * @param reader reads the stored values
   * @param clock tells the time; thread-safe
   * @return the reader of the values
   */
  public static DBReader reading(DBReader reader, InstantSource clock) {
    Objects.requireNonNull(reader, "reader");
    return new LiveReader(reader, Objects.requireNonNull(clock, "clock")::millis);
  }

  /**
   * Returns the filter that drops expired entries in compactions, by the clock of the system. See
   * {@link #filter(InstantSource)} for the databases that can have it.
   *
   * @return the filter, for {@link dev.kv.Options.Compaction#filter()}
   */
  public static CompactionFilter filter() {
    return filter(InstantSource.system());
  }

  /**
   * Returns the filter that drops expired entries in compactions. As it is, it is for a database in
   * which all values are written through such views: it takes every value of at least 8 bytes that
   * begins with d7 for one of theirs, and keeps the others. For a database with other values, limit
   * it to the keys of the views by {@link CompactionFilter#forPrefix}.
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
    return new TimeToLive(store, Objects.requireNonNull(timeToLive, "timeToLive"), clock);
  }

  /**
   * Returns the store that this is a view of.
   *
   * @return the database, or a view of it
   */
  public KeyValueStore store() {
    return store;
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
    return store
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

  @Override
  public void put(WriteOptions options, byte[] key, byte[] value) {
    store.put(options, key, encode(value));
  }

  @Override
  public void put(WriteOptions options, ByteBuffer key, ByteBuffer value) {
    store.put(options, key, ByteBuffer.wrap(Expiry.encode(expiry(), value)));
  }

  @Override
  public void delete(WriteOptions options, byte[] key) {
    store.delete(options, key);
  }

  @Override
  public void delete(WriteOptions options, ByteBuffer key) {
    store.delete(options, key);
  }

  @Override
  public void deleteRange(byte @Nullable [] from, byte @Nullable [] to) {
    store.deleteRange(from, to);
  }

  @Override
  public void deletePrefix(byte[] prefix) {
    store.deletePrefix(prefix);
  }

  /**
   * Applies a batch atomically. It copies the batch. Its values begin to live now, and its
   * expectations are of values without their times.
   *
   * @param options how to write
   * @param batch the batch, which does not change
   * @throws ConflictException if an expectation does not hold; nothing was written
   * @throws IllegalArgumentException if the batch belongs to something else
   */
  @Override
  public void write(WriteOptions options, WriteBatch batch) {
    Objects.requireNonNull(options, "options");
    BatchView.requireOwn(batch, this);
    while (!store.tryWrite(options, stored(batch))) {
      // The stored value of an expected key has changed since it was read: compare it again.
    }
  }

  @Override
  public CompletionStage<@Nullable Void> syncAsync() {
    return store.syncAsync();
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
   * Returns a view of a batch of the {@linkplain #store() store} that adds operations on this view
   * to it: values begin to live when they are added. Write the batch itself, with {@code
   * store().write(batch)}.
   *
   * @param batch a batch of the database, or one that was not used yet
   * @return the view
   * @throws IllegalArgumentException if the batch belongs to something else
   */
  @Override
  public BatchOperations within(BatchOperations batch) {
    return BatchView.within(batch, this, store, inner -> new TimedBatch(inner, this));
  }

  /**
   * Returns a view of a transaction of the {@linkplain #store() store} that reads what has not
   * expired now, and writes values that begin to live.
   *
   * @param transaction a transaction of the database
   * @return the view
   * @throws IllegalArgumentException if the transaction belongs to something else
   */
  @Override
  public Transaction within(Transaction transaction) {
    return Objects.requireNonNull(transaction, "transaction").store() == this
        ? transaction
        : new TimedTransaction(store.within(transaction), this, clock.millis());
  }

  /**
   * Returns the batch for the database. It expects the stored values of this moment.
   *
   * @throws ConflictException if an expectation does not hold now
   */
  private WriteBatch stored(WriteBatch batch) {
    WriteBatch target = WriteBatch.create();
    Iterator<byte @Nullable []> expected = expected(batch);
    long time = clock.millis(); // after the reads: what a compaction dropped before has expired
    long expiry = expiry();
    batch.iterate(
        new OperationHandler() {
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
            byte[] present = expected.next();
            check(copy, live(present, time), value == null ? null : value.toByteArray());
            target.expect(copy, present);
          }
        });
    return target;
  }

  /** Returns the stored values of the keys of which a batch expects something, in its order. */
  private Iterator<byte @Nullable []> expected(WriteBatch batch) {
    List<byte @Nullable []> values = new ArrayList<>();
    batch.iterate(
        new OperationHandler() {
          @Override
          public void put(Slice key, Slice value) {
            // expects nothing
          }

          @Override
          public void delete(Slice key) {
            // expects nothing
          }

          @Override
          public void expect(Slice key, @Nullable Slice value) {
            values.add(store.get(key.toByteArray()));
          }
        });
    return values.iterator();
  }

  private static void check(byte[] key, byte @Nullable [] present, byte @Nullable [] expected) {
    if (!Arrays.equals(present, expected)) {
      throw new ConflictException(
          "nothing was written: the key '"
              + Escape.shown(key)
              + "' does not have the value that the batch expects",
          key);
    }
  }

  @Override
  public Transaction transaction(TransactionOptions options) {
    Transaction transaction = store.transaction(options);
    long time = timeAfterOpen(clock::millis, transaction::close);
    return new TimedTransaction(transaction, this, time);
  }

  /**
   * Returns a snapshot that keeps the present time. Views of this kind and their spaces take it;
   * the database does not. If this view is made over another one of its kind, its reads take
   * snapshots of this view only, and not of the one below.
   */
  @Override
  public Snapshot snapshot() {
    Snapshot snapshot = store.snapshot();
    return new TimedSnapshot(snapshot, timeAfterOpen(clock::millis, snapshot::close));
  }

  @Override
  public BulkLoads loads() {
    return options -> new TimedLoader(store.loads().bulkLoader(options), this);
  }

  /** Returns the time to live and the database, for logs. */
  @Override
  public String toString() {
    return "TimeToLive[" + timeToLive + " in " + store + "]";
  }
}
