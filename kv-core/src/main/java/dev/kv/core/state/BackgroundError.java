package dev.kv.core.state;

import dev.kv.DBReadOnlyException;
import dev.kv.core.write.CommitPipeline;
import java.nio.file.Path;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The first failure that nobody was there to be told of, or after which nobody knows what is on
 * disk. It makes the database read-only until it is opened again. Thread-safe.
 */
public final class BackgroundError {
  private static final Logger LOG = LoggerFactory.getLogger(BackgroundError.class);

  private final Path directory;
  private final Monitor monitor;
  private final AtomicReference<@Nullable Throwable> first = new AtomicReference<>();

  private volatile @Nullable CommitPipeline writers;

  /** Creates it unset. */
  public BackgroundError(Path directory, Monitor monitor) {
    this.directory = directory;
    this.monitor = monitor;
  }

  /** Has {@code commits} refuse writes once it is set. */
  public void attach(CommitPipeline commits) {
    writers = commits;
    Throwable cause = first.get();
    if (cause != null) {
      commits.fail(cause);
    }
  }

  /**
   * Makes the database read-only, unless it is, and wakes everybody who waits. Writes are refused
   * before anybody can hear of the failure.
   */
  public void set(String during, Throwable cause) {
    CommitPipeline commits = writers;
    if (commits != null) {
      commits.fail(cause);
    }
    boolean isFirst = first.compareAndSet(null, cause);
    monitor.signalAll();
    if (isFirst) {
      LOG.error("{}: {} failed, the database is read-only from now on", directory, during, cause);
    } else {
      LOG.warn("{}: {} failed too: {}", directory, during, cause.toString());
    }
  }

  /** Returns true once a failure is set. */
  public boolean isSet() {
    return first.get() != null;
  }

  /** Throws where it is set. */
  public void check() {
    Throwable cause = first.get();
    if (cause != null) {
      throw new DBReadOnlyException(
          "the database in "
              + directory
              + " has been read-only since an earlier failure, given as the cause; close it and open"
              + " it again",
          cause);
    }
  }
}
