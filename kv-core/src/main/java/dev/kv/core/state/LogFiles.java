package dev.kv.core.state;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import dev.kv.core.env.FileNames;
import dev.kv.core.log.LogWriter;
import dev.kv.core.manifest.VersionChange;
import dev.kv.core.manifest.VersionSet;
import dev.kv.core.version.Version;
import dev.kv.core.version.VersionEdit;
import dev.kv.env.Env;
import dev.kv.env.MappedLogFile;
import java.io.IOException;
import java.nio.file.Path;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The making and closing of logs. The next log can be prepared before it is needed, so that a
 * writer that fills a memtable need not wait for the disk. Thread-safe.
 */
public final class LogFiles {
  private static final Logger LOG = LoggerFactory.getLogger(LogFiles.class);

  /** A log and its number. */
  public record NumberedLog(long number, LogWriter writer) {}

  private final Env env;
  private final Path directory;
  private final VersionSet versions;
  private final ObsoleteFiles obsolete;

  /** Held while the next log is made, so that logs are used in the order of their numbers. */
  private final ReentrantLock creating = new ReentrantLock();

  @GuardedBy("creating")
  private @Nullable NumberedLog next;

  private final ConcurrentLinkedQueue<LogWriter> retired = new ConcurrentLinkedQueue<>();

  /** Creates it; no log is made yet. */
  public LogFiles(Resources resources, VersionSet versions, ObsoleteFiles obsolete) {
    this.env = resources.env();
    this.directory = resources.directory();
    this.versions = versions;
    this.obsolete = obsolete;
  }

  /** Returns a new log, whose name is durable; the caller owns it. */
  public NumberedLog create() throws IOException {
    long number = versions.newFileNumber();
    Path file = FileNames.log(directory, number);
    LogWriter writer = null;
    boolean done = false;
    try {
      MappedLogFile mapped = env.createMappedLog(file);
      writer =
          mapped == null
              ? LogWriter.appending(file, env.createWritable(file), 0)
              : LogWriter.mapped(file, mapped);
      writer.reserveAhead();
      env.syncDirectory(directory);
      done = true;
      return new NumberedLog(number, writer);
    } finally {
      if (!done) {
        discard(file, writer);
      }
    }
  }

  /**
   * Logs the edit by which {@code first}, the first log since the open, becomes the oldest that a
   * recovery replays. Then the state that the open found is durable, and what was there before it
   * is deleted. Where this fails, the log must stay on disk: it may be named there.
   */
  public void name(NumberedLog first, VersionEdit.Builder edit) {
    VersionEdit complete = edit.logNumber(first.number()).previousLogNumber(0).build();
    versions.logAndApply(
        new VersionChange() {
          @Override
          public VersionEdit prepare(Version current) {
            return complete;
          }

          @Override
          public void install(Version next) {
            obsolete.collectWithTemporary();
          }
        });
  }

  /** Returns the prepared log, or a new one; the caller owns it. */
  NumberedLog takeNext() throws IOException {
    creating.lock();
    try {
      NumberedLog prepared = next;
      next = null;
      return prepared == null ? create() : prepared;
    } finally {
      creating.unlock();
    }
  }

  /** Prepares a log unless one is. Where that fails, whoever needs it makes it, and is told why. */
  void prepareNext() {
    creating.lock();
    try {
      if (next == null) {
        next = create();
      }
    } catch (IOException e) {
      LOG.debug("{}: no log could be prepared: {}", directory, e.toString());
    } finally {
      creating.unlock();
    }
  }

  /** Takes over a log whose memtable is in a table, to be closed by {@link #closeRetired}. */
  public void retire(LogWriter log) {
    retired.add(log);
  }

  /**
   * Closes the retired logs. Not to be called while another thread may reserve ahead in one of
   * them.
   */
  public void closeRetired() {
    for (LogWriter log = retired.poll(); log != null; log = retired.poll()) {
      closeQuietly(log);
    }
  }

  /** Closes what is retired, and deletes the log that was prepared in vain. */
  public void close() {
    closeRetired();
    creating.lock();
    try {
      NumberedLog unused = next;
      next = null;
      if (unused != null) {
        discard(unused.writer().name(), unused.writer());
      }
    } finally {
      creating.unlock();
    }
  }

  private void discard(Path file, @Nullable LogWriter writer) {
    if (writer != null) {
      closeQuietly(writer);
    }
    try {
      env.delete(file);
    } catch (IOException e) {
      LOG.debug("{} was not deleted: {}", file, e.toString());
    }
  }

  /** Closes a log that nobody needs any more. */
  private static void closeQuietly(LogWriter log) {
    try {
      log.close();
    } catch (IOException e) {
      LOG.warn("closing {} failed: {}", log.name(), e.toString());
    }
  }
}
