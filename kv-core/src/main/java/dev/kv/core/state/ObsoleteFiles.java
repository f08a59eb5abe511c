package dev.kv.core.state;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import dev.kv.core.env.FileName;
import dev.kv.core.env.FileNames;
import dev.kv.core.event.Events;
import dev.kv.core.logging.EngineLogger;
import dev.kv.core.manifest.VersionSet;
import dev.kv.core.write.ErrorHandler;
import dev.kv.event.TableDeletedEvent;
import java.io.IOException;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * Deletes obsolete files: tables that no version in use contains, logs whose memtables have been
 * flushed, and MANIFESTs older than the current one. Never touches files whose names do not parse.
 * Thread-safe.
 *
 * <p>Two rules make this safe. 1. The directory is listed before the live files are determined: a
 * file created later is not in the list, and a file that was pending in between is live by then. 2.
 * Nothing is deleted while it is unknown which version a restart will find, that is before the
 * recovered version is durable, and after a permanent failure. For the same reason the files of a
 * failed job whose edit may be logged stay pending.
 *
 * <p>Logs are deleted oldest first: a MANIFEST that has lost its end names an old log, and the open
 * sees that it is missing. So if one cannot be deleted, the newer ones stay too. An old log that
 * {@link RetainedLogs} keeps is not missing: then the open replays all logs, and if it ends in a
 * torn one, {@link RetainedLogs#firstLogOf} shows what a whole MANIFEST would name. Only a log of
 * {@link #keepLog} may stay without the newer ones, until the close.
 *
 * <p>A file that cannot be deleted is counted, and each later collection tries again. It is logged
 * when it fails for the second time: on Windows a file stays while another program reads it.
 *
 * <p>{@link RetainedLogs} keeps obsolete logs for readers of changes. A {@link Hold} keeps logs and
 * MANIFESTs longer. It is added before the install that makes them obsolete, and here the holds are
 * read after the numbers that this install sets.
 */
public final class ObsoleteFiles implements AutoCloseable {
  private static final EngineLogger LOG = EngineLogger.of(ObsoleteFiles.class);

  private final DatabaseContext context;
  private final VersionSet versions;
  private final ErrorHandler errors;
  private final @Nullable RetainedLogs kept;

  /** The numbers of tables that are in no version yet, and of logs that are open or kept. */
  private final Set<Long> pending = ConcurrentHashMap.newKeySet();

  private final Set<Hold> holds = ConcurrentHashMap.newKeySet();

  /** Held while files are collected. */
  private final ReentrantLock collecting = new ReentrantLock();

  @GuardedBy("collecting")
  private boolean isClosed;

  /** How often the deletion of a file failed, by its name. Replaced while collecting. */
  private volatile Map<String, Integer> stuck = Map.of();

  /**
   * Creates the object. Nothing is deleted before the first call of {@link #collect}.
   *
   * @param kept the logs that readers of changes need, or null if there are no such readers
   */
  public ObsoleteFiles(
      DatabaseContext context,
      VersionSet versions,
      ErrorHandler errors,
      @Nullable RetainedLogs kept) {
    this.kept = kept;
    this.context = context;
    this.versions = versions;
    this.errors = errors;
  }

  /**
   * Returns the number for a new file. The file is not deleted before {@link #settle} is called.
   */
  public long newPendingNumber() {
    while (true) {
      long number = versions.newFileNumber();
      if (pending.add(number)) {
        return number;
      }
    }
  }

  /** Makes a file deletable again: it is in a version now, closed, or unused. */
  public void settle(Long number) {
    pending.remove(number);
  }

  /**
   * Keeps a log until the database is closed, though it is obsolete. Newer logs are deleted
   * nevertheless.
   */
  public void keepLog(long number) {
    pending.add(number);
  }

  /**
   * The oldest log and the oldest MANIFEST that are kept although they may be obsolete. Identified
   * by the object, so that equal holds can be added several times.
   */
  public static final class Hold {
    private final long log;
    private final long manifest;

    /** Creates a hold of all logs and MANIFESTs from these numbers on. */
    public Hold(long log, long manifest) {
      this.log = log;
      this.manifest = manifest;
    }
  }

  /**
   * Keeps logs and MANIFESTs until {@link #release}. Called while no version can be installed that
   * makes one of them obsolete. Tables are kept by a reference to their version.
   */
  public void hold(Hold hold) {
    holds.add(hold);
  }

  /** Ends a hold. Files that only it kept are deleted by the next {@link #collect}. */
  public void release(Hold hold) {
    holds.remove(hold);
  }

  /** Returns how many obsolete files could not be deleted by the last collection that has ended. */
  public int stuck() {
    return stuck.size();
  }

  /** Deletes the files that are obsolete now. */
  public void collect() {
    collect(false);
  }

  /**
   * Deletes obsolete files, and temporary files that a crash has left. Called at the open, or at
   * the first version install after it, while no new MANIFEST is being written.
   */
  public void collectWithTemporary() {
    collect(true);
  }

  private void collect(boolean withTemporary) {
    collecting.lock();
    try {
      if (!isClosed) {
        deleteObsolete(withTemporary);
      }
    } finally {
      collecting.unlock();
    }
  }

  /**
   * Ends deletions, and waits for one that runs. Called by the close while it holds LOCK, before
   * the versions are closed. A thread whose call the close overtakes may collect later: then no
   * version is in use, and another program may have the directory open.
   */
  @Override
  public void close() {
    collecting.lock();
    try {
      isClosed = true;
    } finally {
      collecting.unlock();
    }
  }

  @GuardedBy("collecting")
  private void deleteObsolete(boolean withTemporary) {
    List<FileName> files;
    try {
      files = FileNames.list(context.env(), context.directory());
    } catch (IOException e) {
      LOG.warn(
          "{}: cannot list the directory; obsolete files are not deleted: {}",
          context.directory(),
          e.toString());
      return;
    }
    Set<Long> live = new HashSet<>(pending);
    versions.forEachLiveFileNumber(live::add);
    if (!versions.isDurable() || errors.isFailedPermanently()) {
      return;
    }
    if (kept != null) {
      kept.trim(versions.logNumber());
    }
    Map<String, Integer> failures = new HashMap<>(); // without those that somebody else has deleted
    boolean logStays = false;
    for (FileName file : files) {
      boolean isLog = file.kind() == FileName.Kind.LOG;
      if (isObsolete(file, live, withTemporary) && !(isLog && logStays)) {
        logStays |= !delete(file, failures) && isLog;
      }
    }
    stuck = failures;
  }

  private boolean isObsolete(FileName file, Set<Long> live, boolean withTemporary) {
    return switch (file.kind()) {
      case LOG ->
          file.number() < versions.logNumber()
              && file.number() != versions.previousLogNumber()
              && !live.contains(file.number())
              && (kept == null || file.number() < kept.oldest())
              && !isHeld(file);
      case MANIFEST -> file.number() < versions.manifestNumber() && !isHeld(file);
      case TABLE -> !live.contains(file.number());
      case TEMP -> withTemporary && !live.contains(file.number());
      case CURRENT, LOCK, INFO_LOG, CHANGES -> false;
    };
  }

  /** Returns true if a hold keeps the log or MANIFEST. */
  private boolean isHeld(FileName file) {
    for (Hold hold : holds) {
      if (file.number() >= (file.kind() == FileName.Kind.LOG ? hold.log : hold.manifest)) {
        return true;
      }
    }
    return false;
  }

  /**
   * Returns true if the file is deleted.
   *
   * @param failures gets how often that failed, if it fails
   */
  @GuardedBy("collecting")
  private boolean delete(FileName name, Map<String, Integer> failures) {
    Path file = context.directory().resolve(name.text());
    if (name.kind() == FileName.Kind.TABLE) {
      context.tables().evict(name.number());
    }
    try {
      context.env().delete(file);
      if (name.kind() == FileName.Kind.TABLE) {
        Events events = context.events();
        events.post(new TableDeletedEvent(events.database(), name.number()));
      } else {
        LOG.debug("deleted {}", file);
      }
    } catch (NoSuchFileException e) {
      LOG.debug("{} was deleted already", file);
    } catch (IOException e) {
      int times = stuck.getOrDefault(name.text(), 0) + 1;
      failures.put(name.text(), times);
      if (times == 2) {
        LOG.warn("cannot delete the obsolete file {}, and tries again: {}", file, e.toString());
      }
      return false;
    }
    return true;
  }
}
