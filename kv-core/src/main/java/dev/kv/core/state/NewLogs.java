package dev.kv.core.state;

import com.google.errorprone.annotations.CanIgnoreReturnValue;
import com.google.errorprone.annotations.concurrent.GuardedBy;
import dev.kv.core.env.FileNames;
import dev.kv.core.env.UnfailingLock;
import dev.kv.core.env.UnneededFile;
import dev.kv.core.log.LogWriter;
import dev.kv.core.logging.EngineLogger;
import dev.kv.core.state.WriteAheadLog.NumberedLog;
import dev.kv.core.write.ErrorHandler;
import dev.kv.env.Env;
import dev.kv.env.MappedLogFile;
import java.io.IOException;
import java.nio.file.FileSystemException;
import java.nio.file.Path;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * Creates the logs of an open database, and prepares the next one, so that no writer waits for its
 * creation. Deletes those that are not used. Thread-safe.
 */
public final class NewLogs {
  private static final EngineLogger LOG = EngineLogger.of(NewLogs.class);

  private final Env env;
  private final Path directory;
  private final ObsoleteFiles obsolete;
  private final ErrorHandler errors;

  /**
   * Held while the next log is created, so that logs are used in the order of their numbers. A
   * prepared log that is current now must not stay prepared because memory is short.
   */
  private final ReentrantLock creating = new UnfailingLock();

  @GuardedBy("creating")
  private @Nullable NumberedLog next;

  NewLogs(DatabaseContext context, ObsoleteFiles obsolete, ErrorHandler errors) {
    this.env = context.env();
    this.directory = context.directory();
    this.obsolete = obsolete;
    this.errors = errors;
  }

  /**
   * Returns a new log whose directory entry is durable; the caller owns it.
   *
   * @throws IOException if the log cannot be created; nothing has changed, but after a failed sync
   *     of the directory writes are refused
   */
  public NumberedLog create() throws IOException {
    long number = obsolete.newPendingNumber();
    Path file = FileNames.log(directory, number);
    LogWriter writer = null;
    try {
      MappedLogFile mapped = env.createMappedLog(file);
      writer =
          mapped == null
              ? LogWriter.appending(file, env.createWritable(file), 0)
              : LogWriter.mapped(file, mapped);
      writer.reserveAhead();
      syncDirectory();
      return new NumberedLog(number, writer);
    } catch (IOException e) {
      discard(number, file, writer);
      boolean named = String.valueOf(e.getMessage()).contains(directory.toString());
      throw named ? e : new IOException(file + ": " + e.getMessage(), e);
    } catch (Throwable e) {
      discard(number, file, writer);
      throw e;
    }
  }

  /**
   * A failed sync is permanent, though nothing depends on the new log: it may be the sync of the
   * entry of a new table, and the next one may succeed without it.
   */
  private void syncDirectory() throws IOException {
    try {
      env.syncDirectory(directory);
    } catch (FileSystemException e) {
      throw e; // the directory cannot be opened, and nothing was synced
    } catch (IOException e) {
      errors.fail("the sync of the directory", e);
      throw e;
    }
  }

  /**
   * Returns the log that is prepared, after creating it if there is none. It stays prepared until
   * {@link #removePrepared}.
   */
  NumberedLog prepared() throws IOException {
    creating.lock();
    try {
      NumberedLog log = next;
      if (log == null) {
        log = create();
        next = log;
      }
      return log;
    } finally {
      creating.unlock();
    }
  }

  /** Returns the log that is prepared, or null. It is prepared no more; the caller owns it. */
  @CanIgnoreReturnValue
  @Nullable NumberedLog removePrepared() {
    creating.lock();
    try {
      NumberedLog log = next;
      next = null;
      return log;
    } finally {
      creating.unlock();
    }
  }

  /**
   * Prepares the next log unless one is already prepared. If this fails, {@link #prepared} tries
   * again and throws the reason.
   */
  public void prepareNext() {
    try {
      prepared();
    } catch (IOException e) {
      LOG.debug("{}: cannot prepare a log: {}", directory, e.toString());
    }
  }

  /** Deletes the prepared log. */
  public void deletePrepared() {
    NumberedLog unused = removePrepared();
    if (unused != null) {
      discard(unused);
    }
  }

  /** Closes and deletes a log that no edit names. */
  public void discard(NumberedLog log) {
    discard(log.number(), log.writer().name(), log.writer());
  }

  private void discard(long number, Path file, @Nullable LogWriter writer) {
    try {
      if (writer != null) {
        UnneededFile.close(writer, file, LOG);
      }
      UnneededFile.delete(env, file, LOG);
    } finally {
      obsolete.settle(number);
    }
  }
}
