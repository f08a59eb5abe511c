package dev.kv.core.db;

import dev.kv.DB;
import dev.kv.KeyValueStore;
import dev.kv.Transaction;
import dev.kv.TransactionOptions;
import dev.kv.WriteBatch;
import dev.kv.WriteOptions;
import dev.kv.admin.DBAdmin;
import dev.kv.bytes.Escape;
import dev.kv.change.ChangeFeed;
import dev.kv.core.background.BackgroundThreads;
import dev.kv.core.batch.EncodedBatch;
import dev.kv.core.change.LoggedRangeDelete;
import dev.kv.core.change.RangeDelete;
import dev.kv.core.env.Uninterrupted;
import dev.kv.core.event.Events;
import dev.kv.core.feed.LogFeed;
import dev.kv.core.key.KeyBounds;
import dev.kv.core.load.Loads;
import dev.kv.core.manifest.VersionSet;
import dev.kv.core.read.DatabaseReader;
import dev.kv.core.state.DatabaseContext;
import dev.kv.core.state.MemTables;
import dev.kv.core.state.ObsoleteFiles;
import dev.kv.core.state.WriteAheadLog;
import dev.kv.core.write.CommitPipeline;
import dev.kv.core.write.ErrorHandler;
import dev.kv.core.write.ExclusiveWriter;
import dev.kv.env.Env;
import dev.kv.errors.ConflictException;
import dev.kv.errors.DBIOException;
import dev.kv.errors.OutcomeUnknownException;
import dev.kv.event.CloseEvent;
import dev.kv.load.DBLoads;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.Objects;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;

/**
 * A database that is open for writing. Delegates every call to its parts; {@link #close} releases
 * them in order.
 */
final class DBImpl extends OpenDatabase implements DB {
  private final Parts parts;
  private final DBAdmin admin;
  private final AsyncSyncs syncs;
  private final AtomicBoolean closeBegun = new AtomicBoolean();
  private final CountDownLatch closeDone = new CountDownLatch(1);

  DBImpl(Parts parts) {
    super(parts.reads().reader());
    this.parts = parts;
    this.admin = new Admin(this::checkOpen, parts);
    this.syncs =
        new AsyncSyncs(parts.context().env(), this::sync, this::syncAfterTheLastWrite, null);
  }

  @Override
  boolean isClosed() {
    return parts.files().errors().isClosing();
  }

  @Override
  public void put(WriteOptions options, byte[] key, byte[] value) {
    Objects.requireNonNull(options, "options");
    Objects.requireNonNull(key, "key");
    Objects.requireNonNull(value, "value");
    parts.writes().commits().put(key, value, options.sync());
  }

  @Override
  public void put(WriteOptions options, ByteBuffer key, ByteBuffer value) {
    Objects.requireNonNull(options, "options");
    Objects.requireNonNull(key, "key");
    Objects.requireNonNull(value, "value");
    parts.writes().commits().put(key, value, options.sync());
  }

  @Override
  public void delete(WriteOptions options, byte[] key) {
    Objects.requireNonNull(options, "options");
    Objects.requireNonNull(key, "key");
    parts.writes().commits().delete(key, options.sync());
  }

  @Override
  public void delete(WriteOptions options, ByteBuffer key) {
    Objects.requireNonNull(options, "options");
    Objects.requireNonNull(key, "key");
    parts.writes().commits().delete(key, options.sync());
  }

  @Override
  public void write(WriteOptions options, WriteBatch batch) {
    byte[] conflicting = apply(options, batch);
    if (conflicting != null) {
      throw new ConflictException(
          "the batch was not written: the key '"
              + Escape.shown(conflicting)
              + "' does not have the value that the batch expects",
          conflicting);
    }
  }

  @Override
  public boolean tryWrite(WriteOptions options, WriteBatch batch) {
    return apply(options, batch) == null;
  }

  @Override
  public CompletionStage<@Nullable Void> syncAsync() {
    return syncs.request();
  }

  /** Makes all writes so far durable, and lets others write meanwhile if the log can do that. */
  private void sync() {
    WriteAheadLog logs = parts.files().logs();
    WriteAheadLog.Position end;
    try (ExclusiveWriter writer = parts.writes().commits().exclusiveForSync()) {
      writer.requireLog();
      end = logs.position(writer.lastSequence());
      if (end == null) {
        logs.syncAll(writer.lastSequence());
      }
    }
    if (end != null) {
      logs.syncTo(end);
    }
  }

  private void syncAfterTheLastWrite() {
    ErrorHandler errors = parts.files().errors();
    if (errors.isFailedPermanently()) {
      throw new OutcomeUnknownException(
          "the database failed before it was closed: it is unknown whether the last writes survive"
              + " a loss of power",
          errors.failure());
    }
    parts.files().logs().syncAll(parts.writes().commits().lastSequence());
  }

  /** Applies a batch; returns a key whose expectation does not hold, or null. */
  private byte @Nullable [] apply(WriteOptions options, WriteBatch batch) {
    Objects.requireNonNull(options, "options");
    Objects.requireNonNull(batch, "batch");
    KeyValueStore owner = batch.store();
    if (owner != null && !(owner instanceof DB)) {
      throw new IllegalArgumentException(
          "the batch belongs to "
              + owner
              + ": write it there, or if it is a view of a batch, write that batch");
    }
    if (!(batch instanceof EncodedBatch encoded)) {
      throw new IllegalArgumentException(
          "the batch was not created by WriteBatch.create: " + batch.getClass().getName());
    }
    if (encoded.expectationCount() > 0) {
      return parts.reads().transactions().writeIfExpected(encoded, options.sync());
    }
    parts.writes().commits().write(encoded, options.sync());
    return null;
  }

  @Override
  public void deleteRange(byte @Nullable [] from, byte @Nullable [] to) {
    delete(KeyBounds.of(from, to, parts.context().comparator().userComparator()));
  }

  @Override
  public void deletePrefix(byte[] prefix) {
    Objects.requireNonNull(prefix, "prefix");
    delete(KeyBounds.ofPrefix(prefix, parts.context().comparator().userComparator()));
  }

  private void delete(KeyBounds range) {
    if (parts.files().retained() != null) {
      new LoggedRangeDelete(parts.reads().reader(), parts.writes().commits()).delete(range);
      return;
    }
    if (!parts.tree().mutator().make(new RangeDelete(parts.tree().jobs(), range))) {
      // Earlier writes become durable. The commit keeps a close from unmapping the log meanwhile.
      parts.writes().commits().write(new EncodedBatch(), true);
    }
  }

  @Override
  public Transaction transaction(TransactionOptions options) {
    return parts.reads().transactions().begin(this, Objects.requireNonNull(options, "options"));
  }

  @Override
  public DBLoads loads() {
    return parts.tree().loads();
  }

  @Override
  public ChangeFeed changes() {
    return parts.tree().feed();
  }

  @Override
  public DBAdmin admin() {
    return admin;
  }

  /** Returns the parts of the database. */
  Parts parts() {
    return parts;
  }

  /**
   * Ends writes, then syncs that nobody waits for, then background work, then reads; then frees
   * everything, and releases LOCK last. A second caller waits until the first has finished. Throws
   * {@link DBIOException} if a log could not be closed, after everything is freed. No failure of a
   * step keeps the later ones from running.
   */
  @Override
  public void close() {
    requireNotInListener(parts.context().events());
    parts.tree().loads().requireNotInCallback();
    parts.background().requireNotInCallback();
    syncs.requireNotInStage();
    if (!closeBegun.compareAndSet(false, true)) {
      Uninterrupted.await(closeDone::await);
      return;
    }
    DatabaseContext context = parts.context();
    Env.Lock lock = parts.lock();
    VersionSet versions = parts.files().versions();
    WriteAheadLog logs = parts.files().logs();
    MemTables memTables = parts.writes().memTables();
    try (lock;
        context;
        versions;
        logs;
        memTables) {
      endWork();
    } catch (IOException e) {
      throw new DBIOException(
          "the database in " + context.directory() + " was closed, with a failure: " + e, e);
    } finally {
      closeDone.countDown();
    }
  }

  /** Without a lambda, like its caller, since a close may find no memory for one. */
  private void endWork() {
    ObsoleteFiles obsolete = parts.files().obsolete();
    DatabaseReader reader = parts.reads().reader();
    LogFeed feed = parts.tree().feed();
    BackgroundThreads background = parts.background();
    Loads loads = parts.tree().loads();
    CommitPipeline commits = parts.writes().commits();
    try (obsolete;
        reader;
        feed;
        background;
        loads;
        syncs;
        commits) {
      parts.files().errors().beginClose();
    } finally {
      Events events = parts.context().events();
      events.post(new CloseEvent(events.database()));
    }
  }
}
