package dev.kv.core.env;

import dev.kv.bytes.Escape;
import dev.kv.core.logging.EngineLogger;
import dev.kv.env.Env;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;

/**
 * Closes and deletes files that are not needed any more, many of them after a failure. What fails
 * here is only logged, so that it hides no failure before it and stops no step after it.
 */
public final class UnneededFile {
  private UnneededFile() {}

  /**
   * Closes an open file.
   *
   * @param name its name in the message
   */
  public static void close(AutoCloseable file, Object name, EngineLogger log) {
    try {
      file.close();
    } catch (Exception | OutOfMemoryError e) {
      log.warn("closing {} failed: {}", Escape.text(name.toString()), Escape.text(e.toString()));
    }
  }

  /** Deletes a file, unless there is none. */
  public static void delete(Env env, Path file, EngineLogger log) {
    try {
      env.delete(file);
    } catch (NoSuchFileException e) {
      log.debug("{} was not there", file);
    } catch (Exception | OutOfMemoryError e) {
      log.warn("cannot delete {}: {}", Escape.text(file.toString()), Escape.text(e.toString()));
    }
  }
}
