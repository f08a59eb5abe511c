package dev.kv.iq80;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import org.iq80.leveldb.DB;
import org.iq80.leveldb.DBException;
import org.iq80.leveldb.DBIterator;
import org.iq80.leveldb.Range;
import org.iq80.leveldb.ReadOptions;
import org.iq80.leveldb.Snapshot;
import org.iq80.leveldb.WriteBatch;
import org.iq80.leveldb.WriteOptions;
import org.jspecify.annotations.Nullable;

/**
 * A kv database as a {@code DB} of {@code org.iq80.leveldb}. Thread-safe.
 *
 * <p>A null argument is an {@link IllegalArgumentException}. An {@link IllegalStateException} is
 * thrown for a closed snapshot or iterator, and for a {@link #compactRange} while compactions are
 * suspended. A closed database and every other failure is a {@link DBException} whose cause is kv's
 * exception. Checksums are verified whenever a block is read from disk, whatever the read options
 * say.
 */
public class KvDB implements DB {
  private static final ReadOptions READ_DEFAULTS = new ReadOptions();
  private static final WriteOptions WRITE_DEFAULTS = new WriteOptions();

  private final dev.kv.DB db;
  private final InfoLog log;
  private final AtomicBoolean closed = new AtomicBoolean();

  /**
   * Puts the old interface over an open database.
   *
   * @param db the database; {@link #close} closes it
   */
  public KvDB(dev.kv.DB db) {
    this(Failures.requireArgument(db, "db"), new InfoLog(null));
  }

  KvDB(dev.kv.DB db, InfoLog log) {
    this.db = db;
    this.log = log;
  }

  /**
   * Creates another object for the same database, for adapters with a class of their own.
   *
   * @param other the database; it is not to be used any more
   */
  protected KvDB(KvDB other) {
    this(other.db, other.log);
  }

  /**
   * Returns the wrapped kv database, for methods that the old interface does not have.
   *
   * @return the same database, closed together with this
   */
  public final dev.kv.DB unwrap() {
    return db;
  }

  @Override
  public byte @Nullable [] get(byte[] key) {
    return get(key, READ_DEFAULTS);
  }

  @Override
  public byte @Nullable [] get(byte[] key, ReadOptions options) {
    Failures.requireArgument(key, "key");
    Failures.requireArgument(options, "options");
    try {
      return db.get(Conversions.readOptions(options), key);
    } catch (dev.kv.errors.DBException e) {
      throw Failures.of(e);
    }
  }

  @Override
  public DBIterator iterator() {
    return iterator(READ_DEFAULTS);
  }

  @Override
  public DBIterator iterator(ReadOptions options) {
    Failures.requireArgument(options, "options");
    try {
      return new KvIterator(db.iterator(Conversions.readOptions(options)));
    } catch (dev.kv.errors.DBException e) {
      throw Failures.of(e);
    }
  }

  @Override
  public void put(byte[] key, byte[] value) {
    put(key, value, WRITE_DEFAULTS);
  }

  /**
   * {@inheritDoc}
   *
   * @return if the options ask for one, a snapshot that shows this write and all before it, and
   *     perhaps some that other threads have made since; otherwise null
   */
  @Override
  public @Nullable Snapshot put(byte[] key, byte[] value, WriteOptions options) {
    Failures.requireArgument(key, "key");
    Failures.requireArgument(value, "value");
    Failures.requireArgument(options, "options");
    try {
      db.put(Conversions.writeOptions(options), key, value);
    } catch (dev.kv.errors.DBException e) {
      throw Failures.of(e);
    }
    return snapshotAfter(options);
  }

  @Override
  public void delete(byte[] key) {
    delete(key, WRITE_DEFAULTS);
  }

  /**
   * {@inheritDoc}
   *
   * @return see {@link #put(byte[], byte[], WriteOptions)}
   */
  @Override
  public @Nullable Snapshot delete(byte[] key, WriteOptions options) {
    Failures.requireArgument(key, "key");
    Failures.requireArgument(options, "options");
    try {
      db.delete(Conversions.writeOptions(options), key);
    } catch (dev.kv.errors.DBException e) {
      throw Failures.of(e);
    }
    return snapshotAfter(options);
  }

  @Override
  public WriteBatch createWriteBatch() {
    return new KvWriteBatch();
  }

  @Override
  public void write(WriteBatch updates) {
    write(updates, WRITE_DEFAULTS);
  }

  /**
   * {@inheritDoc}
   *
   * @return see {@link #put(byte[], byte[], WriteOptions)}
   */
  @Override
  public @Nullable Snapshot write(WriteBatch updates, WriteOptions options) {
    Failures.requireArgument(updates, "updates");
    Failures.requireArgument(options, "options");
    if (!(updates instanceof KvWriteBatch batch)) {
      throw new IllegalArgumentException("not a batch of this library: " + updates.getClass());
    }
    try {
      db.write(Conversions.writeOptions(options), batch.unwrap());
    } catch (dev.kv.errors.DBException e) {
      throw Failures.of(e);
    }
    return snapshotAfter(options);
  }

  private @Nullable Snapshot snapshotAfter(WriteOptions options) {
    return options.snapshot() ? getSnapshot() : null;
  }

  @Override
  public Snapshot getSnapshot() {
    try {
      return new KvSnapshot(db.snapshot());
    } catch (dev.kv.errors.DBException e) {
      throw Failures.of(e);
    }
  }

  @Override
  public long[] getApproximateSizes(Range... ranges) {
    Failures.requireArgument(ranges, "ranges");
    List<dev.kv.bytes.Range> converted = new ArrayList<>(ranges.length);
    for (Range range : ranges) {
      Failures.requireArgument(range, "range");
      converted.add(new dev.kv.bytes.Range(range.start(), range.limit()));
    }
    try {
      return db.admin().approximateSizes(converted);
    } catch (dev.kv.errors.DBException e) {
      throw Failures.of(e);
    }
  }

  @Override
  public @Nullable String getProperty(String name) {
    Failures.requireArgument(name, "name");
    try {
      return db.admin().property(name);
    } catch (dev.kv.errors.DBException e) {
      throw Failures.of(e);
    }
  }

  /** The end is inclusive, as in LevelDB: a table that begins with it is compacted, too. */
  @Override
  public void compactRange(byte @Nullable [] begin, byte @Nullable [] end) {
    long start = System.nanoTime();
    try {
      db.admin().compactRange(begin, end);
      log.compacted(System.nanoTime() - start);
    } catch (IllegalArgumentException reversed) {
      log.compacted(System.nanoTime() - start); // LevelDB finds nothing to compact
    } catch (dev.kv.errors.DBException e) {
      throw Failures.of(e);
    }
  }

  @Override
  public void suspendCompactions() {
    try {
      db.admin().suspendCompactions();
    } catch (dev.kv.errors.DBException e) {
      throw Failures.of(e);
    }
  }

  @Override
  public void resumeCompactions() {
    try {
      db.admin().resumeCompactions();
    } catch (IllegalStateException notSuspended) {
      return; // LevelDB has nothing to resume
    } catch (dev.kv.errors.DBException e) {
      throw Failures.of(e);
    }
  }

  @Override
  public void close() {
    try (db) {
      if (closed.compareAndSet(false, true)) {
        log.closing(db);
      }
    } catch (dev.kv.errors.DBException e) {
      throw Failures.of(e);
    }
  }
}
