package dev.kv.core.env;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import dev.kv.env.Env;
import dev.kv.env.ForwardingEnv;
import java.io.IOException;
import java.nio.file.FileSystemException;
import java.nio.file.Path;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * An environment that does not forget a failed sync of one directory: every later sync of it fails,
 * too. A file system may take entries for durable that it could not write, and let the next sync
 * succeed without them. So a thread that has created a file must learn that another thread's sync
 * has failed since.
 */
public final class StickySyncEnv extends ForwardingEnv {
  private final Path directory;
  private final ReentrantLock lock = new ReentrantLock();

  @GuardedBy("lock")
  private @Nullable Throwable failure;

  /** Creates an environment that remembers a failed sync of {@code directory}. */
  public StickySyncEnv(Env target, Path directory) {
    super(target);
    this.directory = directory;
  }

  @Override
  public void syncDirectory(Path synced) throws IOException {
    if (!synced.equals(directory)) {
      super.syncDirectory(synced);
      return;
    }
    lock.lock();
    try {
      if (failure != null) {
        throw new IOException("an earlier sync of " + directory + " failed: " + failure, failure);
      }
      syncOnce();
    } finally {
      lock.unlock();
    }
  }

  @GuardedBy("lock")
  private void syncOnce() throws IOException {
    try {
      super.syncDirectory(directory);
    } catch (FileSystemException e) {
      throw e; // the directory cannot be opened, and nothing was synced
    } catch (Throwable e) { // an Env in another language may throw a checked exception
      failure = e;
      throw e;
    }
  }
}
