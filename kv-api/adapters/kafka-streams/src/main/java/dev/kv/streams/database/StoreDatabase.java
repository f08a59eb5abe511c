package dev.kv.streams.database;

import dev.kv.DB;
import dev.kv.DBIterator;
import dev.kv.FilterPolicy;
import dev.kv.Options;
import dev.kv.ReadOptions;
import dev.kv.SharedResources;
import dev.kv.WriteBatch;
import dev.kv.env.Env;
import dev.kv.errors.DBClosedException;
import dev.kv.errors.DBException;
import dev.kv.errors.OffHeapExhaustedException;
import dev.kv.options.CompressionType;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Collection;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import java.util.function.UnaryOperator;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.streams.StreamsConfig;
import org.apache.kafka.streams.errors.InvalidStateStoreException;
import org.apache.kafka.streams.errors.ProcessorStateException;
import org.apache.kafka.streams.errors.TaskCorruptedException;
import org.apache.kafka.streams.processor.StateStoreContext;
import org.apache.kafka.streams.processor.api.RecordMetadata;
import org.apache.kafka.streams.processor.internals.ChangelogRecordDeserializationHelper;
import org.apache.kafka.streams.query.Position;
import org.jspecify.annotations.Nullable;

/**
 * The database of one store, with the offsets and the Position of the store beside its data.
 *
 * <p>The first byte of a key says what the entry is:
 *
 * <pre>
 * 00 'b'                   the time before which versions have expired, 8 bytes, big-endian
 * 00 'k'                   the kind of the store
 * 00 'o' ...               the committed offset of a changelog, see {@link CommittedOffsets}
 * 00 'p'                   the Position at the last commit
 * 00 's'                   the interval of the segments, 8 bytes, big-endian
 * 00 'u'                   exists while the store has uncommitted writes
 * 01 ...                   the data
 * 02 ...                   the index of the data by time
 * </pre>
 *
 * <p><b>Order.</b> All writes go through one log, and what an open finds after a crash is a prefix
 * of them. A commit is one batch of offsets and Position, written after the data that they stand
 * for. So an offset that is found is never ahead of the data, and no sync is needed. An offset that
 * comes from elsewhere could be: {@link #commit} takes none before the first write.
 *
 * <p><b>Exactly-once.</b> Streams does not call {@link #commit} while an active task is running, so
 * the data is ahead of the offsets, and may have writes of a transaction that was aborted. The
 * first write of a record's processing sets the mark {@code 00 'u'} in the same batch, and a commit
 * removes it, because Streams commits a store only after its transaction. An open that finds the
 * mark refuses the store, and Streams wipes and restores it. Restored records set no mark: they are
 * committed. So a standby survives a crash. The mark is set under at-least-once too, for an open
 * after a crash that is the first one under exactly-once.
 *
 * <p><b>Reads.</b> Tables are not compressed, as those of the built-in store, and are read in their
 * mapping: a get takes 3.7 us of processor time instead of 6.1 us, and fills no cache. They are as
 * large as a memtable, so that there are few.
 *
 * <p>Writes and commits come from one thread; reads and queries come from any.
 */
public final class StoreDatabase {
  /** The first byte of the keys of data. */
  public static final byte DATA = 1;

  /** The first byte of the keys of the index by time. */
  public static final byte INDEX = 2;

  private static final byte[] EXPIRY_BOUND = {0, 'b'};
  private static final byte[] KIND = {0, 'k'};
  private static final byte[] POSITION = {0, 'p'};
  private static final byte[] SEGMENT_INTERVAL = {0, 's'};
  private static final byte[] UNCOMMITTED = {0, 'u'};

  private static final int MAX_WRITE_BUFFER_SIZE = 16 << 20;

  /**
   * The part of the memory of all stores that one memtable may take. All memtables that are being
   * written have half together, so four that are written alike become full before their flush. The
   * larger they are, the less often compactions rewrite a record.
   */
  private static final int WRITE_BUFFER_SHARE = 8;

  private static final int BITS_PER_KEY = 10;
  private static final int BATCH_BYTES = 1 << 20;

  private final String name;
  private final DB db;
  private final StateStoreContext context;
  private final Position position;
  private final CommittedOffsets offsets = new CommittedOffsets();
  private final boolean consistency;

  /** True if nothing was written or restored since the open. */
  private boolean untouched = true;

  /** True if the mark of uncommitted writes is in the database. */
  private boolean marked;

  private byte[] writtenPosition;
  private @Nullable StoreMetrics metrics;
  private volatile boolean open = true;

  private StoreDatabase(String name, DB db, StateStoreContext context) {
    this.name = name;
    this.db = db;
    this.context = context;
    this.consistency =
        StreamsConfig.InternalConfig.getBoolean(
            context.appConfigs(),
            StreamsConfig.InternalConfig.IQ_CONSISTENCY_OFFSET_VECTOR_ENABLED,
            false);
    byte[] found = db.get(POSITION);
    this.position = found == null ? Position.emptyPosition() : PositionCodec.decode(found);
    this.writtenPosition = found == null ? PositionCodec.encode(position) : found;
  }

  /**
   * Opens the database of a store, or creates it.
   *
   * @param env the file system, or null for that of the machine
   * @throws TaskCorruptedException under exactly-once, if it may have uncommitted writes
   */
  public static StoreDatabase open(
      String name, StoreKind kind, StateStoreContext context, @Nullable Env env) {
    Path directory = context.stateDir().toPath().resolve("kv").resolve(name);
    SharedResources shared = ProcessResources.INSTANCE.acquire(context.appConfigs());
    long writeBufferSize = writeBufferSize(shared);
    DB db = null;
    try {
      Options options =
          Options.builder()
              .createIfMissing(true)
              .sharedResources(shared)
              .writeBufferSize(writeBufferSize)
              .maxFileSize(writeBufferSize)
              .filterPolicy(FilterPolicy.bloom(BITS_PER_KEY))
              .compression(CompressionType.NONE)
              .tables(t -> t.readInPlace(true))
              .env(env)
              .build();
      db = DB.open(directory, options);
      StoreDatabase database = new StoreDatabase(name, db, context);
      database.check(kind, directory);
      database.offsets.load(db, name);
      database.metrics = new StoreMetrics(name, kind.metricsScope(), context, db);
      return database;
    } catch (DBException e) {
      abandon(db, e);
      throw new ProcessorStateException("cannot open store " + name + " in " + directory, e);
    } catch (Throwable e) {
      abandon(db, e);
      throw e;
    }
  }

  /** Releases what an open has acquired before it failed. A second failure is added to its own. */
  private static void abandon(@Nullable DB db, Throwable failure) {
    try {
      if (db != null) {
        db.close();
      }
    } catch (Throwable e) {
      failure.addSuppressed(e);
    } finally {
      ProcessResources.INSTANCE.release();
    }
  }

  private static long writeBufferSize(SharedResources shared) {
    long share = shared.settings().offHeapLimit() / WRITE_BUFFER_SHARE;
    return Math.min(MAX_WRITE_BUFFER_SIZE, share);
  }

  private void check(StoreKind kind, Path directory) {
    byte[] found = db.get(KIND);
    if (found == null) {
      db.put(KIND, kind.encode());
    } else if (!Arrays.equals(found, kind.encode())) {
      throw new ProcessorStateException(
          "store "
              + name
              + " in "
              + directory
              + " is of the kind "
              + new String(found, StandardCharsets.UTF_8)
              + " and is opened as "
              + kind.structure()
              + "/"
              + kind.values()
              + "; delete the directory, and the store is restored from its changelog");
    }
    marked = db.get(UNCOMMITTED) != null;
    if (marked && isExactlyOnce()) {
      String message =
          "store " + name + " in " + directory + " has writes that may not have been committed";
      throw new TaskCorruptedException(
          Set.of(context.taskId()), new ProcessorStateException(message));
    }
  }

  private boolean isExactlyOnce() {
    Object guarantee = context.appConfigs().get(StreamsConfig.PROCESSING_GUARANTEE_CONFIG);
    // A global store reads committed records only, and has no transaction of its own.
    return StreamsConfig.EXACTLY_ONCE_V2.equals(guarantee) && context.taskId().partition() >= 0;
  }

  /** Returns the interval of the segments, which is the wanted one if the store is new. */
  public long segmentInterval(long wanted) {
    Long found = segmentInterval();
    if (found != null) {
      return found;
    }
    writeSegmentInterval(wanted);
    return wanted;
  }

  /**
   * Sets the interval of the segments. If it was another one, moves the data to other keys. The
   * interval is deleted before that and written after it: without one, the data may be in the
   * middle of a move, and the next call moves the rest.
   *
   * @param keys returns the key with this interval for the key with any other
   */
  public void setSegmentInterval(long interval, UnaryOperator<byte[]> keys) {
    Long found = segmentInterval();
    if (found != null && found == interval) {
      return;
    }
    WriteBatch batch = WriteBatch.create().delete(SEGMENT_INTERVAL);
    try (DBIterator cursor = cursor(new byte[] {DATA}, new byte[] {DATA + 1})) {
      for (cursor.seekToFirst(); cursor.isValid(); cursor.next()) {
        byte[] key = cursor.key();
        byte[] moved = keys.apply(key);
        if (!Arrays.equals(key, moved)) {
          batch.delete(key).put(moved, cursor.value());
        }
        if (batch.approximateSize() >= BATCH_BYTES) {
          writeUnmarked(batch);
          batch.clear();
        }
      }
    } catch (DBException e) {
      throw failed("read", e);
    }
    writeUnmarked(batch);
    writeSegmentInterval(interval);
  }

  private @Nullable Long segmentInterval() {
    byte[] found = get(SEGMENT_INTERVAL);
    if (found == null) {
      return null;
    }
    long interval = found.length == Long.BYTES ? ByteBuffer.wrap(found).getLong() : 0;
    if (interval < 1) {
      throw new ProcessorStateException("store " + name + " has a damaged segment interval");
    }
    return interval;
  }

  private void writeSegmentInterval(long interval) {
    byte[] encoded = ByteBuffer.allocate(Long.BYTES).putLong(interval).array();
    writeUnmarked(WriteBatch.create().put(SEGMENT_INTERVAL, encoded));
  }

  /** Returns the bound of the last {@link #expire}, or null if there was none. */
  public @Nullable Long expiryBound() {
    byte[] found = get(EXPIRY_BOUND);
    if (found == null) {
      return null;
    }
    if (found.length != Long.BYTES) {
      throw new ProcessorStateException("store " + name + " has a damaged expiry bound");
    }
    return ByteBuffer.wrap(found).getLong();
  }

  /**
   * Deletes what has expired before a bound, which is kept with it. It sets no mark: a record that
   * advances the bound has set it, or is committed.
   */
  public void expire(WriteBatch deletes, long bound) {
    check();
    byte[] encoded = ByteBuffer.allocate(Long.BYTES).putLong(bound).array();
    writeUnmarked(deletes.put(EXPIRY_BOUND, encoded));
  }

  /**
   * Deletes expired entries. It sets no mark: a record that advances the stream time has set it, or
   * is committed.
   */
  public void deleteExpired(WriteBatch deletes) {
    check();
    writeUnmarked(deletes);
  }

  /** Returns true until {@link #close}. It is thread-safe. */
  public boolean isOpen() {
    return open;
  }

  /** Returns the Position after the last write. It is thread-safe. */
  public Position position() {
    return position;
  }

  public @Nullable Long committedOffset(TopicPartition partition) {
    check();
    return offsets.get(partition);
  }

  /** Commits offsets and Position in one batch, as {@code StateStore.commit} describes. */
  public void commit(Map<TopicPartition, Long> changelogOffsets) {
    check();
    WriteBatch batch = WriteBatch.create();
    Map<TopicPartition, @Nullable Long> changes =
        changelogOffsets.isEmpty() ? offsets.removals() : kept(changelogOffsets);
    offsets.addTo(batch, changes);
    byte[] encoded = PositionCodec.encode(position);
    if (!Arrays.equals(encoded, writtenPosition)) {
      batch.put(POSITION, encoded);
    }
    if (marked) {
      batch.delete(UNCOMMITTED);
    }
    if (batch.count() > 0) {
      writeUnmarked(batch);
    }
    offsets.apply(changes);
    writtenPosition = encoded;
    marked = false;
  }

  /**
   * Returns the changes of offsets that a commit keeps. An untouched store keeps its own offsets:
   * those of Streams' checkpoint file may be of a store that was not in kv, or of data that a loss
   * of power took back.
   */
  private Map<TopicPartition, @Nullable Long> kept(
      Map<TopicPartition, @Nullable Long> changelogOffsets) {
    Map<TopicPartition, @Nullable Long> changes = new HashMap<>(changelogOffsets);
    if (untouched) {
      changes.values().removeIf(offset -> offset != null && offset >= 0);
    }
    return changes;
  }

  /** Returns the value of a key, or null if there is none. */
  public byte @Nullable [] get(byte[] key) {
    check();
    try {
      return db.get(key);
    } catch (DBException e) {
      throw failed("read", e);
    }
  }

  /** Sets or deletes a key while a record is being processed. */
  public void put(byte[] key, byte @Nullable [] value) {
    check();
    if (!marked) {
      WriteBatch batch = WriteBatch.create();
      add(batch, key, value);
      write(batch);
      return;
    }
    try {
      if (value == null) {
        db.delete(key);
      } else {
        db.put(key, value);
      }
    } catch (DBException e) {
      throw failed("write", e);
    }
    untouched = false;
    updatePosition();
  }

  /** Applies a batch while a record is being processed. Adds to the batch if it has to. */
  public void write(WriteBatch batch) {
    check();
    if (!marked) {
      batch.put(UNCOMMITTED, new byte[0]);
      writeUnmarked(batch);
      marked = true;
    } else {
      writeUnmarked(batch);
    }
    untouched = false;
    updatePosition();
  }

  /** Deletes all keys from one on up to another, exclusive. */
  public void deleteRange(byte[] from, byte[] to) {
    check();
    try {
      db.deleteRange(from, to);
    } catch (DBException e) {
      throw failed("write", e);
    }
  }

  /** Adds records of the changelog. They are committed, so they set no mark. */
  public void restore(
      Collection<ConsumerRecord<byte[], byte[]>> records, RestoredRecord translation) {
    check();
    WriteBatch batch = WriteBatch.create();
    for (ConsumerRecord<byte[], byte[]> record : records) {
      translation.addTo(batch, record);
      if (batch.approximateSize() >= BATCH_BYTES) {
        writeUnmarked(batch);
        batch.clear();
      }
    }
    if (batch.count() > 0) {
      writeUnmarked(batch);
    }
    untouched = false;
    if (consistency) {
      for (ConsumerRecord<byte[], byte[]> record : records) {
        ChangelogRecordDeserializationHelper.applyChecksAndUpdatePosition(record, true, position);
      }
    }
  }

  /** Translates a record of the changelog into operations on the database. */
  public interface RestoredRecord {
    /** Adds a record to a batch. A null value deletes. */
    void addTo(WriteBatch batch, ConsumerRecord<byte[], byte[]> record);
  }

  /** Adds a put to a batch, or a delete if the value is null. */
  public static void add(WriteBatch batch, byte[] key, byte @Nullable [] value) {
    if (value == null) {
      batch.delete(key);
    } else {
      batch.put(key, value);
    }
  }

  private void writeUnmarked(WriteBatch batch) {
    try {
      db.write(batch);
    } catch (DBException e) {
      throw failed("write", e);
    }
  }

  /** Moves the Position to the record that is being processed. */
  public void updatePosition() {
    RecordMetadata record = context.recordMetadata().orElse(null);
    if (record != null && record.topic() != null) {
      position.withComponent(record.topic(), record.partition(), record.offset());
    }
  }

  /**
   * Returns a cursor without a position.
   *
   * @param from the first key, inclusive
   * @param to the end, exclusive
   */
  public DBIterator cursor(byte[] from, byte[] to) {
    check();
    try {
      return db.iterator(ReadOptions.builder().lowerBound(from).upperBound(to).build());
    } catch (DBException e) {
      throw failed("read", e);
    }
  }

  /** Returns an estimate of the number of keys, without those of offsets and Position. */
  public long estimatedKeys() {
    check();
    try {
      String estimate = db.admin().property("kv.estimate-num-keys");
      int hidden = offsets.size() + (position.isEmpty() ? 1 : 2) + (marked ? 1 : 0);
      return estimate == null ? 0 : Math.max(0, Long.parseLong(estimate) - hidden);
    } catch (DBException e) {
      throw failed("read", e);
    }
  }

  /** Closes the database, and what is open of it. Closing it twice does nothing. */
  public void close() {
    if (!open) {
      return;
    }
    open = false;
    if (metrics != null) {
      metrics.remove();
    }
    try {
      db.close();
    } catch (DBException e) {
      throw new ProcessorStateException("cannot close store " + name, e);
    } finally {
      ProcessResources.INSTANCE.release();
    }
  }

  private void check() {
    if (!open) {
      throw closed(name);
    }
  }

  /** Returns the exception of Streams for a call of a closed store. */
  public static InvalidStateStoreException closed(String name) {
    return new InvalidStateStoreException("Store " + name + " is currently closed");
  }

  /** Returns the exception of Streams for one of kv. */
  public RuntimeException failed(String call, DBException cause) {
    if (cause instanceof DBClosedException) {
      return new InvalidStateStoreException("Store " + name + " is currently closed", cause);
    }
    String remedy =
        cause instanceof OffHeapExhaustedException
            ? "; "
                + ProcessResources.MEMORY_BYTES_CONFIG
                + " is too small for the stores of this process"
            : "";
    return new ProcessorStateException("cannot " + call + " store " + name + remedy, cause);
  }
}
