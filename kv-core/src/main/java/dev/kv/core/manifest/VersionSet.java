package dev.kv.core.manifest;

import static java.util.Objects.requireNonNull;

import dev.kv.core.env.FileName;
import dev.kv.core.env.FileNames;
import dev.kv.core.version.FileMetadata;
import dev.kv.core.version.Levels;
import dev.kv.core.version.Version;
import dev.kv.core.version.VersionBuilder;
import dev.kv.core.version.VersionEdit;
import dev.kv.core.version.VersionEditCodec;
import dev.kv.errors.CorruptionException;
import dev.kv.errors.DBClosedException;
import dev.kv.errors.DBIOException;
import dev.kv.errors.DBReadOnlyException;
import dev.kv.errors.OffHeapExhaustedException;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.LongConsumer;
import org.jspecify.annotations.Nullable;

/**
 * The versions of a database that are in use, one of which is current, and the MANIFEST that makes
 * them durable. Thread-safe.
 *
 * <p>{@link #logAndApply} makes the next version current after its edit is durable. One version
 * install runs at a time, under a lock of this class. In the lock order this lock comes before the
 * database's lock: a thread that holds the database's lock must not call this method.
 *
 * <p>Durability: {@link Manifest} says how an edit is made durable. The state that a recovery reads
 * need not be durable. The first install after a recovery begins a new MANIFEST, or appends to one
 * that was synced first, so that afterwards nothing depends on data that an earlier process did not
 * sync. No write is acknowledged and no file is deleted before that install. After a failed sync,
 * or a failed write of the MANIFEST in use, it is unknown which version the next open will find, so
 * every later install fails with the first cause until the database is opened again.
 */
public final class VersionSet implements AutoCloseable {
  /** The largest next file number of a MANIFEST, and the largest number of a log. */
  public static final long LARGEST_NEXT_NUMBER = 1L << 61;

  /**
   * The largest number of a file that was found and is counted; no real database reaches it. Files
   * that are made after one with such a number have larger ones, for which there is room.
   */
  public static final long LARGEST_NUMBER = LARGEST_NEXT_NUMBER - (1L << 40);

  // Constant after construction.
  /**
   * The MANIFEST that was recovered.
   *
   * @param nextFileNumber the next file number when it was written: it accounts for all files with
   *     lower numbers
   * @param lastSequence the last sequence number in it
   * @param length its length in bytes
   * @param tail the number of bytes after its last record. If there are any, an edit may be lost
   *     that was never acknowledged
   */
  public record Recovered(long nextFileNumber, long lastSequence, long length, long tail) {}

  private final ManifestContext context;
  private final Runnable whenVersionFreed;
  private final Consumer<Version> whenFreed = this::freed;

  // Self-synchronised. The volatile fields are written under manifestLock, or by the recovery.
  /**
   * The versions in use, the oldest first. One is removed only after the next was added, so an
   * iteration sees at least one of two consecutive ones. To remove one needs no memory: the edit of
   * the install that does so is durable.
   */
  private final Queue<Version> live = new ConcurrentLinkedQueue<>();

  private final AtomicLong nextFileNumber = new AtomicLong(2);
  private volatile Version current;
  private volatile long lastSequence;
  private volatile long logNumber;
  private volatile long previousLogNumber;
  private volatile Recovered recovered = new Recovered(0, 0, 0, 0);
  private volatile long firstManifestNumber;
  private volatile boolean durable;
  private volatile boolean closed;
  private volatile List<byte @Nullable []> compactPointers =
      Collections.nCopies(Levels.COUNT, null);

  // Guarded by manifestLock, except the number of the MANIFEST.
  private final ReentrantLock manifestLock = new ReentrantLock();
  private final Manifest manifest;

  /** Written under manifestLock. */
  private volatile @Nullable Throwable failure;

  /**
   * Creates a set whose current version is empty.
   *
   * @param whenVersionFreed called by any thread, with any lock held, after a version that was not
   *     current was freed: tables may have become obsolete. It must be quick and must not throw
   */
  public VersionSet(ManifestContext context, Runnable whenVersionFreed) {
    this.context = context;
    this.manifest = new Manifest(context);
    this.whenVersionFreed = whenVersionFreed;
    this.current = Version.empty(context.comparator(), whenFreed);
    live.add(current);
  }

  private void freed(Version version) {
    live.remove(version);
    whenVersionFreed.run();
  }

  /**
   * Creates a database, of which the empty version is the state. In the place of {@link #recover};
   * an edit must be logged afterwards.
   */
  public void createDatabase() {
    manifestLock.lock();
    try {
      manifest.createDatabase();
      firstManifestNumber = newFileNumber();
    } finally {
      manifestLock.unlock();
    }
  }

  /**
   * Reads CURRENT and the MANIFEST, and makes their state current. Writes nothing, unless the
   * MANIFEST will be reused; in that case it makes the end and the name of the MANIFEST durable.
   *
   * @param readOnly true if the MANIFEST will never be written
   * @return true if an edit must be logged in any case, because it begins a new MANIFEST
   */
  public boolean recover(boolean readOnly) {
    manifestLock.lock();
    try {
      RecoveredManifest read = ManifestReader.read(context, whenFreed);
      replaceCurrent(read.version());
      recovered =
          new Recovered(
              read.nextFileNumber(), read.lastSequence(), read.file().length(), read.file().tail());
      firstManifestNumber = read.nextFileNumber();
      nextFileNumber.set(read.nextFileNumber() + 1);
      lastSequence = read.lastSequence();
      logNumber = read.logNumber();
      previousLogNumber = read.previousLogNumber();
      compactPointers = read.compactPointers();
      markFileNumberUsed(logNumber);
      markFileNumberUsed(previousLogNumber);
      durable = manifest.recover(read, readOnly);
      return readOnly || !durable;
    } finally {
      manifestLock.unlock();
    }
  }

  /**
   * Replaces the metadata of tables of the current version: their sizes differ from those in the
   * MANIFEST. Called by a recovery, before the first edit, which begins a MANIFEST with these
   * sizes.
   */
  public void correctSizes(List<FileMetadata> tables) {
    if (tables.isEmpty()) {
      return;
    }
    manifestLock.lock();
    try {
      VersionBuilder builder =
          new VersionBuilder(current, manifestPath(manifest.number()).toString());
      tables.forEach(builder::replace);
      replaceCurrent(builder.build(whenFreed));
    } finally {
      manifestLock.unlock();
    }
  }

  private void replaceCurrent(Version next) {
    live.add(next);
    Version before = current;
    current = next;
    before.release();
  }

  /** Returns the current version, borrowed: it may be freed at any time after the next install. */
  public Version current() {
    return current;
  }

  /**
   * Returns the current version; the caller must release it.
   *
   * @throws DBClosedException after the close
   */
  public Version acquireCurrent() {
    while (true) {
      Version version = current;
      if (version.tryRetain()) {
        return version;
      }
      if (closed) {
        throw new DBClosedException("the database is closed");
      }
    }
  }

  /**
   * Returns what {@code action} returns for the current version, which it borrows.
   *
   * @throws DBClosedException after the close
   */
  public <R extends @Nullable Object> R withCurrent(Function<Version, R> action) {
    Version version = acquireCurrent();
    try {
      return action.apply(version);
    } finally {
      version.release();
    }
  }

  /**
   * Passes the number of every table of the versions in use to {@code sink}; may pass a number more
   * than once.
   */
  public void forEachLiveFileNumber(LongConsumer sink) {
    for (Version version : live) {
      version.forEachFileNumber(sink);
    }
  }

  /** Returns a number for a new file. */
  public long newFileNumber() {
    return nextFileNumber.getAndIncrement();
  }

  /** Makes sure that {@link #newFileNumber} never returns {@code number}. */
  public void markFileNumberUsed(long number) {
    nextFileNumber.accumulateAndGet(number + 1, Math::max);
  }

  /**
   * Makes sure that no new file gets the number of a file that exists. A MANIFEST that has lost its
   * end may not know of it.
   */
  public void markFilesUsed(List<FileName> files) {
    long largest = 0;
    for (FileName file : files) {
      if (file.number() <= LARGEST_NUMBER) {
        largest = Math.max(largest, file.number());
      }
    }
    markFileNumberUsed(largest);
    if (largest >= firstManifestNumber) {
      firstManifestNumber = newFileNumber();
    }
  }

  /** Returns the sequence number that the next edit has at least. */
  public long lastSequence() {
    return lastSequence;
  }

  /**
   * Sets the sequence number of the last write that a recovery has found, for the first edit. Later
   * edits set theirs with the tables that have the write, so that a failed edit leaves no trace: if
   * the oldest log begins after the next number, a recovery concludes that the log before it is
   * lost, and no edit may hide that.
   */
  public void setLastSequence(long sequence) {
    lastSequence = sequence;
  }

  /** Returns the number of the oldest log that is not completely in tables. */
  public long logNumber() {
    return logNumber;
  }

  /**
   * Returns the number of a log older than {@link #logNumber} that is not completely in tables, or
   * 0. Only databases of old versions of LevelDB have one.
   */
  public long previousLogNumber() {
    return previousLogNumber;
  }

  /** Returns the number of the MANIFEST in use, which CURRENT names. */
  public long manifestNumber() {
    return manifest.number();
  }

  /** Returns what the MANIFEST said that was recovered; zeros if none was. */
  public Recovered recovered() {
    return recovered;
  }

  /**
   * Returns true if the MANIFEST on disk is the one that was recovered, with the same length. For a
   * set that only reads, beside a writer.
   */
  public boolean isUnchangedOnDisk() throws IOException {
    return CurrentFile.read(context.env(), context.directory()).number() == manifestNumber()
        && context.env().size(manifestPath(manifestNumber())) == recovered.length();
  }

  /**
   * Returns true if the state of the MANIFEST in use survives loss of power. Before the first
   * install after a recovery it may not: a killed process may not have synced its last edit or the
   * rename of CURRENT. Until then the files of an earlier state are needed.
   */
  public boolean isDurable() {
    return durable;
  }

  /** Returns, for each level, the internal key after which its next compaction begins, or null. */
  public List<byte @Nullable []> compactPointers() {
    return compactPointers;
  }

  /** Logs an edit and makes the resulting version current. */
  public void logAndApply(VersionEdit edit) {
    logAndApply(version -> edit);
  }

  /**
   * Makes the next version current. The edit is completed with the log numbers (if it sets none),
   * the next file number, and the last sequence unless it sets a higher one.
   *
   * @throws DBIOException if a new MANIFEST or CURRENT could not be created or written, or there is
   *     no descriptor for the directory, and nothing has changed; or if it is unknown whether the
   *     edit is logged, and all later installs fail, too
   * @throws DBReadOnlyException if an earlier install failed
   * @throws CorruptionException if a damaged MANIFEST or log has left no file numbers
   * @throws OffHeapExhaustedException if there is no memory for the edit; nothing was written, and
   *     the step may be tried again
   */
  public void logAndApply(VersionInstall change) {
    manifestLock.lock();
    try {
      requireUsable();
      VersionEdit asked = change.prepare(current);
      boolean replace = manifest.isFull();
      long number = replace ? newManifestNumber() : manifest.number();
      List<VersionEdit> state = replace ? state() : List.of();
      VersionEdit edit = complete(asked);
      byte[] encoded = VersionEditCodec.encode(edit); // while a shortage of memory changes nothing
      List<byte @Nullable []> pointers = compactPointersAfter(edit);
      VersionBuilder builder = new VersionBuilder(current, manifestPath(number).toString());
      builder.apply(edit);
      Version next = builder.build(whenFreed);
      live.add(next);
      try {
        log(edit, encoded, replace ? manifest.create(number) : null, state);
        confirm(change);
      } catch (Throwable e) {
        next.release();
        throw e;
      }
      try {
        install(edit, next, pointers);
        change.install(next);
      } catch (Throwable e) {
        failure = e;
        throw e;
      }
    } finally {
      manifestLock.unlock();
    }
  }

  /**
   * What the MANIFEST describes at one moment.
   *
   * @param version the version, retained; the caller releases it
   * @param manifestNumber the number of the MANIFEST
   * @param manifestLength the length of the MANIFEST; all of these bytes are durable
   * @param logNumber the number of the oldest log that is not completely in tables
   */
  public record Described(
      Version version, long manifestNumber, long manifestLength, long logNumber) {}

  /**
   * Returns what {@code hold} returns for what the MANIFEST describes now. Requires that a version
   * was installed since the recovery, or that the MANIFEST is reused.
   *
   * @param hold called before the next install, which may make the MANIFEST and logs obsolete
   */
  public <R> R describe(Function<Described, R> hold) {
    manifestLock.lock();
    try {
      requireUsable();
      Described now = new Described(current, manifest.number(), manifest.length(), logNumber);
      R held = hold.apply(now);
      current.retain();
      return held;
    } finally {
      manifestLock.unlock();
    }
  }

  /** Returns true after a step whose edit may be logged though the step failed. */
  public boolean isFailed() {
    return failure != null;
  }

  /**
   * Returns the number of a new MANIFEST. The number of the first one was reserved at the recovery.
   */
  private long newManifestNumber() {
    return manifest.isOpen() ? newFileNumber() : firstManifestNumber;
  }

  private void requireUsable() {
    if (closed) {
      throw new AssertionError("the version set is closed");
    }
    if (failure != null) {
      throw new DBReadOnlyException(
          "the MANIFEST in "
              + context.directory()
              + " could not be written before; reopen the database",
          failure);
    }
  }

  private VersionEdit complete(VersionEdit asked) {
    VersionEdit.Builder edit = asked.toBuilder();
    if (asked.logNumber() == VersionEdit.UNSET) {
      edit.logNumber(logNumber);
    } else if (asked.logNumber() < logNumber || asked.logNumber() >= nextFileNumber.get()) {
      throw new AssertionError("log number " + asked.logNumber() + " after " + logNumber);
    }
    if (asked.previousLogNumber() == VersionEdit.UNSET) {
      edit.previousLogNumber(previousLogNumber);
    }
    long next = nextFileNumber.get();
    if (next > LARGEST_NEXT_NUMBER) { // which the next open would refuse
      throw new CorruptionException(
          "MANIFEST: there are no file numbers left after those that it holds",
          manifestPath(manifest.number()).toString(),
          CorruptionException.NO_OFFSET);
    }
    return edit.nextFileNumber(next)
        .lastSequence(Math.max(lastSequence, asked.lastSequence()))
        .build();
  }

  /**
   * Makes an edit durable. A failure is kept for later steps, unless the edit is certainly not
   * logged: after a shortage of memory before CURRENT is changed, or a {@link NotLoggedException}.
   *
   * @param created the MANIFEST that the edit goes to, or null for the one in use
   * @param state what a new MANIFEST begins with
   */
  private void log(
      VersionEdit edit, byte[] encoded, @Nullable ManifestWriter created, List<VersionEdit> state) {
    boolean preparing = created != null;
    try {
      if (created == null) {
        manifest.append(edit, encoded);
      } else {
        manifest.prepare(created, state, encoded);
        preparing = false;
        manifest.replaceBy(created);
      }
      durable = true;
    } catch (NotLoggedException e) {
      throw cannotWrite(requireNonNull(e.getCause(), "cause"));
    } catch (IOException e) {
      failure = e;
      throw cannotWrite(e);
    } catch (OffHeapExhaustedException e) {
      throw e;
    } catch (Throwable e) {
      if (!preparing || !(e instanceof OutOfMemoryError)) {
        failure = e;
      }
      throw e;
    }
  }

  private DBIOException cannotWrite(Throwable cause) {
    return new DBIOException(
        "cannot write the MANIFEST in " + context.directory() + ": " + cause, cause);
  }

  private void confirm(VersionInstall change) {
    try {
      change.logged();
    } catch (Throwable e) {
      failure = e;
      throw e;
    }
  }

  /**
   * Returns the edits that describe the current version, for the beginning of a MANIFEST. The
   * tables of level 0 that are known to be flushed memtables come last, in edits like that of a
   * flush, so that a recovery knows it too.
   */
  private List<VersionEdit> state() {
    EditParts state = new EditParts(context, VersionEdit.UNSET, VersionEdit.UNSET);
    for (int level = 0; level < Levels.COUNT; level++) {
      byte[] pointer = compactPointers.get(level);
      if (pointer != null) {
        state.compactPointer(level, pointer);
      }
    }
    for (int level = 0; level < Levels.COUNT; level++) {
      for (int i = 0; i < current.fileCount(level); i++) {
        if (level > 0 || !current.isFlushed(i)) {
          state.addFile(level, current.file(level, i));
        }
      }
    }
    state.nextLogNumber(logNumber);
    for (int i = current.fileCount(0) - 1; i >= 0; i--) {
      if (current.isFlushed(i)) {
        state.addFile(0, current.file(0, i));
      }
    }
    return state.endBefore();
  }

  private List<byte @Nullable []> compactPointersAfter(VersionEdit edit) {
    if (edit.compactPointers().isEmpty()) {
      return compactPointers;
    }
    List<byte @Nullable []> pointers = new ArrayList<>(compactPointers);
    for (VersionEdit.CompactPointer pointer : edit.compactPointers()) {
      pointers.set(pointer.level(), pointer.key());
    }
    return Collections.unmodifiableList(pointers);
  }

  private void install(VersionEdit edit, Version next, List<byte @Nullable []> pointers) {
    logNumber = edit.logNumber();
    previousLogNumber = edit.previousLogNumber();
    lastSequence = edit.lastSequence();
    compactPointers = pointers;
    Version before = current;
    current = next;
    before.release();
  }

  private Path manifestPath(long number) {
    return FileNames.manifest(context.directory(), number);
  }

  /** Closes the MANIFEST and releases the current version. Closing twice does nothing. */
  @Override
  public void close() {
    manifestLock.lock();
    try {
      if (closed) {
        return;
      }
      closed = true;
      manifest.close();
      current.release();
    } finally {
      manifestLock.unlock();
    }
  }
}
