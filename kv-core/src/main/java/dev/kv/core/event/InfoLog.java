package dev.kv.core.event;

import dev.kv.core.logging.EngineLogger;
import dev.kv.env.Env;
import dev.kv.env.WritableFile;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Instant;
import java.time.ZoneId;
import java.time.format.DateTimeFormatter;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * LevelDB's file LOG. A line is the local time, the number of the thread and a text, as in C++:
 *
 * <pre>
 * 2026/01/31-23:59:59.123456 42 deleted table 7
 * </pre>
 *
 * <p>Not thread-safe. A failure is logged and ends the file; nothing is thrown.
 */
final class InfoLog {
  private static final EngineLogger LOG = EngineLogger.of(InfoLog.class);
  private static final String NAME = "LOG";
  private static final String OLD_NAME = "LOG.old";

  private static final DateTimeFormatter TIME =
      DateTimeFormatter.ofPattern("yyyy/MM/dd-HH:mm:ss.SSSSSS", Locale.ROOT)
          .withZone(ZoneId.systemDefault());

  private final Path path;
  private @Nullable WritableFile file;

  private InfoLog(Path path, WritableFile file) {
    this.path = path;
    this.file = file;
  }

  /** Renames LOG to LOG.old if it exists, and creates LOG; returns null if that fails. */
  static @Nullable InfoLog create(Env env, Path directory) {
    Path path = directory.resolve(NAME);
    try {
      if (env.exists(path)) {
        env.rename(path, directory.resolve(OLD_NAME));
      }
      return new InfoLog(path, env.createWritable(path));
    } catch (IOException | RuntimeException e) {
      LOG.warn("cannot create {}; it is not written: {}", path, e.toString());
      return null;
    }
  }

  /** Writes a line. */
  void line(Instant time, long thread, String text) {
    WritableFile open = file;
    if (open == null) {
      return;
    }
    try {
      String line = TIME.format(time) + ' ' + thread + ' ' + text + '\n';
      open.append(ByteBuffer.wrap(line.getBytes(StandardCharsets.UTF_8)));
      open.flush();
    } catch (Throwable e) {
      LOG.warn("cannot write {}; it ends here: {}", path, e.toString());
      close();
    }
  }

  /** Closes the file. A second call does nothing. */
  void close() {
    WritableFile open = file;
    file = null;
    if (open == null) {
      return;
    }
    try {
      open.close();
    } catch (Throwable e) {
      LOG.warn("closing {} failed: {}", path, e.toString());
    }
  }
}
