package dev.kv.core.db;

import dev.kv.BulkLoadOptions;
import dev.kv.BulkLoader;
import dev.kv.ChangeOptions;
import dev.kv.ChangePosition;
import dev.kv.Changes;
import dev.kv.DBComparator;
import dev.kv.DBReadOnlyException;
import dev.kv.LiveFiles;
import dev.kv.Transaction;
import dev.kv.TransactionOptions;
import dev.kv.WriteBatch;
import dev.kv.WriteOptions;
import dev.kv.core.event.Events;
import dev.kv.core.read.DatabaseReader;
import dev.kv.env.Env;
import dev.kv.event.CloseEvent;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * A database that is open for reading only, possibly while another process writes to it. Shows the
 * state at the time of the open or of the last {@link #refresh}. Has no background threads.
 */
final class ReadOnlyDB extends OpenDatabase {
  private final DatabaseReader reader;
  private final Events events;
  private final Env env;
  private final ReadOnlyViews views;
  private final Predicate<Runnable> refresher;
  private final AtomicBoolean closed = new AtomicBoolean();

  /**
   * Creates the database.
   *
   * @param env the environment of the database
   * @param views what the database shows; closed by the close
   * @param refresher reads the files again, and returns true if there are later writes; calls its
   *     argument, which throws after the close, before each attempt
   */
  ReadOnlyDB(
      DatabaseReader reader,
      DatabaseStats stats,
      DBComparator comparator,
      Events events,
      Env env,
      ReadOnlyViews views,
      Predicate<Runnable> refresher) {
    super(reader, views.snapshots(), stats, comparator);
    this.reader = reader;
    this.events = events;
    this.env = env;
    this.views = views;
    this.refresher = refresher;
  }

  @Override
  boolean isClosed() {
    return closed.get();
  }

  @Override
  public void put(WriteOptions options, byte[] key, byte[] value) {
    throw refused();
  }

  @Override
  public void put(WriteOptions options, ByteBuffer key, ByteBuffer value) {
    throw refused();
  }

  @Override
  public void delete(WriteOptions options, byte[] key) {
    throw refused();
  }

  @Override
  public void delete(WriteOptions options, ByteBuffer key) {
    throw refused();
  }

  @Override
  public void write(WriteOptions options, WriteBatch batch) {
    throw refused();
  }

  @Override
  public boolean tryWrite(WriteOptions options, WriteBatch batch) {
    throw refused();
  }

  @Override
  public void deleteRange(WriteOptions options, byte @Nullable [] from, byte @Nullable [] to) {
    throw refused();
  }

  @Override
  public void deletePrefix(WriteOptions options, byte[] prefix) {
    throw refused();
  }

  @Override
  public Transaction transaction(TransactionOptions options) {
    throw refused();
  }

  @Override
  public void compactRange(byte @Nullable [] begin, byte @Nullable [] end) {
    throw refused();
  }

  @Override
  public void compactDeletes(Duration age) {
    throw refused();
  }

  @Override
  public BulkLoader bulkLoader(BulkLoadOptions options) {
    throw refused();
  }

  @Override
  public void ingest(List<Path> tables) {
    throw refused();
  }

  @Override
  public void flush() {
    throw refused();
  }

  @Override
  public Changes changes(ChangeOptions options, ChangePosition after) {
    throw refused();
  }

  @Override
  public ChangePosition changePosition() {
    throw refused();
  }

  @Override
  public ChangePosition oldestChangePosition() {
    throw refused();
  }

  /** Does nothing: there are no compactions to suspend. */
  @Override
  public void suspendCompactions() {
    checkOpen();
  }

  @Override
  public void resumeCompactions() {
    checkOpen();
  }

  /** Does nothing: there are no compactions to wait for. */
  @Override
  public void waitForCompactions() {
    checkOpen();
  }

  @Override
  public LiveFiles suspendDeletions() {
    checkOpen();
    return views.files();
  }

  @Override
  Env env() {
    return env;
  }

  @Override
  public void resume() {
    throw refused();
  }

  @Override
  public boolean refresh() {
    checkOpen();
    if (events.isDelivering()) {
      throw new IllegalStateException("a listener must not refresh the database that calls it");
    }
    return refresher.test(this::checkOpen);
  }

  private DBReadOnlyException refused() {
    checkOpen();
    return new DBReadOnlyException("the database was opened with Options.readOnly");
  }

  @Override
  public void close() {
    requireNotInListener(events);
    if (closed.compareAndSet(false, true)) {
      synchronized (views) { // after the end of a refresh
        reader.close();
        events.post(new CloseEvent(events.database()));
        views.close();
      }
    }
  }
}
