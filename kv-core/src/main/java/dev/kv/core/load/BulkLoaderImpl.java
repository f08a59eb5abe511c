package dev.kv.core.load;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import dev.kv.core.background.JobContext;
import dev.kv.core.iterator.ForwardIterator;
import dev.kv.core.key.InternalKey;
import dev.kv.core.key.KeyBuffer;
import dev.kv.core.memory.OffHeapBuffer;
import dev.kv.core.state.TableOutputs;
import dev.kv.core.version.FileMetadata;
import dev.kv.errors.DBClosedException;
import dev.kv.load.BulkLoadOptions;
import dev.kv.load.BulkLoader;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * A bulk load of entries. Sorted entries are written to tables at once; others pass an {@link
 * ExternalSort}. The methods take a lock, because a close of the database ends the loader.
 */
final class BulkLoaderImpl implements BulkLoader {
  private static final int KEY_BYTES = 256;
  private static final int ENTRIES_PER_REPORT = 8192;

  private enum State {
    OPEN,
    /** A call threw, and what it left is unknown. */
    FAILED,
    FINISHED,
    CLOSED,
    /** Closed by the database. */
    REVOKED
  }

  /** No monitor: a virtual thread that waits with one keeps its carrier before JDK 24. */
  private final ReentrantLock lock = new ReentrantLock();

  private final Loads loads;
  private final JobContext jobs;
  private final BulkLoadOptions options;
  private final TableOutputs outputs;

  @GuardedBy("lock")
  private State state = State.OPEN;

  /** True while a call runs, which may call the comparator or the receiver of the progress. */
  @GuardedBy("lock")
  private boolean running;

  @GuardedBy("lock")
  private long count;

  /** The sequence number of the entries; 0 before the first table. */
  @GuardedBy("lock")
  private long sequence;

  @GuardedBy("lock")
  private @Nullable LoadWriter writer;

  @GuardedBy("lock")
  private @Nullable ExternalSort sort;

  BulkLoaderImpl(Loads loads, JobContext jobs, BulkLoadOptions options) {
    this.loads = loads;
    this.jobs = jobs;
    this.options = options;
    outputs = jobs.newOutputs();
  }

  @Override
  public void put(byte[] key, byte[] value) {
    Objects.requireNonNull(key, "key");
    Objects.requireNonNull(value, "value");
    put(ByteBuffer.wrap(key), ByteBuffer.wrap(value));
  }

  @Override
  public void put(ByteBuffer key, ByteBuffer value) {
    Objects.requireNonNull(key, "key");
    Objects.requireNonNull(value, "value");
    lock.lock();
    try {
      begin();
      add(key, value);
    } finally {
      lock.unlock();
    }
  }

  @GuardedBy("lock")
  private void add(ByteBuffer key, ByteBuffer value) {
    try {
      if (options.sorted()) {
        openWriter().add(key, value);
      } else {
        openSort().add(key, value);
      }
      count++;
    } catch (IllegalArgumentException e) {
      throw e;
    } catch (Throwable e) {
      state = State.FAILED;
      throw e;
    } finally {
      running = false;
    }
  }

  @GuardedBy("lock")
  private LoadWriter openWriter() {
    LoadWriter open = writer;
    if (open == null) {
      sequence = loads.takeSequence();
      open =
          new LoadWriter(
              outputs.context(), sequence, jobs.context().options().maxFileSize(), loads.threads());
      writer = open;
    }
    return open;
  }

  @GuardedBy("lock")
  private ExternalSort openSort() {
    ExternalSort open = sort;
    if (open == null) {
      open =
          new ExternalSort(
              jobs.context().comparator(),
              new RunFiles(jobs.context(), jobs.obsolete()),
              Math.toIntExact(options.sortMemory()),
              jobs.context().budget());
      sort = open;
    }
    return open;
  }

  @Override
  public long entryCount() {
    lock.lock();
    try {
      return count;
    } finally {
      lock.unlock();
    }
  }

  @Override
  public void finish() {
    lock.lock();
    try {
      begin();
      install();
    } finally {
      lock.unlock();
    }
  }

  @GuardedBy("lock")
  private void install() {
    state = State.FAILED;
    try {
      if (count > 0) {
        if (!options.sorted()) {
          writeSorted();
        }
        List<FileMetadata> tables = openWriter().finish();
        loads.install("a bulk load", tables, sequence, outputs);
      }
    } finally {
      running = false;
    }
    state = State.FINISHED;
    free();
  }

  /** Writes the sorted entries to tables; of entries with the same key, the last one. */
  @GuardedBy("lock")
  private void writeSorted() {
    LoadWriter out = openWriter();
    long done = 0;
    try (ForwardIterator entries = openSort().sorted();
        OffHeapBuffer keyMemory = new OffHeapBuffer(jobs.context().budget(), KEY_BYTES)) {
      KeyBuffer last = new KeyBuffer(keyMemory);
      for (entries.seekToFirst(); entries.isValid(); entries.next()) {
        int userLength = entries.keyLength() - InternalKey.TRAILER;
        if (done == 0 || isNewKey(last, entries, userLength)) {
          last.setKey(entries.keyBuffer(), entries.keyOffset(), userLength);
          out.add(entries);
        }
        if (++done % ENTRIES_PER_REPORT == 0) {
          jobs.errors().checkNotClosing();
          options.progress().onProgress(done, count);
        }
      }
    }
    options.progress().onProgress(done, count);
  }

  private boolean isNewKey(KeyBuffer last, ForwardIterator entries, int userLength) {
    return last.compareTo(
            entries.keyBuffer(),
            entries.keyOffset(),
            userLength,
            jobs.context().comparator().userComparator())
        != 0;
  }

  /** Begins a call. Code of the program that the call runs cannot use the loader. */
  @GuardedBy("lock")
  private void begin() {
    requireNotRunning();
    requireOpen();
    running = true;
  }

  /**
   * Throws if the calling thread is in a call of this loader: the files and the memory that the
   * call uses must not be freed or changed under it.
   */
  void requireNotRunning() {
    if (isRunning()) {
      throw new IllegalStateException(
          "a comparator or a receiver of progress must not use or close the bulk loader that calls"
              + " it, nor close its database");
    }
  }

  @SuppressWarnings("GuardedBy") // read only if the lock is held
  private boolean isRunning() {
    return lock.isHeldByCurrentThread() && running;
  }

  @GuardedBy("lock")
  private void requireOpen() {
    switch (state) {
      case OPEN -> {}
      case REVOKED -> throw new DBClosedException("the database of the bulk loader is closed");
      case FAILED ->
          throw new IllegalStateException("the bulk loader has failed: close it, and begin again");
      default -> throw new IllegalStateException("the bulk loader is " + state);
    }
  }

  @Override
  public void close() {
    requireNotRunning();
    end(State.CLOSED);
  }

  /** Ends the loader because the database closes. */
  void revoke() {
    end(State.REVOKED);
  }

  private void end(State how) {
    lock.lock();
    try {
      if (state == State.OPEN || state == State.FAILED) {
        state = how;
        free();
      }
    } finally {
      lock.unlock();
    }
  }

  /** Frees the memory, and deletes the files that were not installed. */
  @GuardedBy("lock")
  private void free() {
    if (writer != null) {
      writer.close();
    }
    if (sort != null) {
      sort.close();
    }
    if (state != State.FINISHED && !jobs.versions().isFailed()) {
      jobs.abandon(outputs); // the collection deletes what could not be deleted while it was open
    }
    loads.ended(this);
  }
}
