package dev.kv.core.env;

import dev.kv.env.Env;
import java.io.IOException;
import java.nio.file.Path;

/**
 * The main class of a child process that tries to lock a file. It prints {@code locked} or {@code
 * refused}, holds the lock until its input ends, and exits.
 */
final class LockHolder {
  private LockHolder() {}

  /** Locks the file named by the first argument. */
  public static void main(String[] args) throws IOException {
    try (Env.Lock lock = new FileEnv().lock(Path.of(args[0]))) {
      System.out.println(lock == null ? "refused" : "locked");
      System.out.flush();
      if (lock != null) {
        System.in.read();
      }
    }
  }
}
