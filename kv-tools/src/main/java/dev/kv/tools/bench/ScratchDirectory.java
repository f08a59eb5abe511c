package dev.kv.tools.bench;

import dev.kv.DB;
import dev.kv.Options;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/**
 * A directory whose database is deleted at the end, also if the process is interrupted: a shutdown
 * hook cancels the command and waits until it has deleted the directory. If that takes too long,
 * the hook names the directory.
 */
final class ScratchDirectory implements AutoCloseable {
  private static final int WAIT_SECONDS = 5;

  private final Path path;
  private final Thread runner = Thread.currentThread();
  private final CountDownLatch deleted = new CountDownLatch(1);
  private final Thread interrupted = new Thread(this::cancel, "kv-interrupted");

  /** Takes a directory, which need not exist. */
  ScratchDirectory(Path path) {
    this.path = path;
    Runtime.getRuntime().addShutdownHook(interrupted);
  }

  private void cancel() {
    runner.interrupt();
    try {
      if (!deleted.await(WAIT_SECONDS, TimeUnit.SECONDS)) {
        System.err.println("kv: interrupted; the database in " + path + " is not deleted");
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  Path path() {
    return path;
  }

  @Override
  public void close() throws IOException {
    try {
      DB.destroy(path, Options.DEFAULT);
      if (Files.isDirectory(path, LinkOption.NOFOLLOW_LINKS)) {
        Files.delete(path);
      }
      Runtime.getRuntime().removeShutdownHook(interrupted);
    } catch (IllegalStateException ending) {
      Thread.yield(); // the process ends, and the hook waits for the latch
    } finally {
      deleted.countDown();
    }
  }
}
