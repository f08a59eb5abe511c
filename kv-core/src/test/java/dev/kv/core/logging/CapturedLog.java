package dev.kv.core.logging;

import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.List;

/** What is logged while this is open. The engine's own loggers log warnings and errors. */
public final class CapturedLog implements AutoCloseable {
  private final PrintStream before = System.err;
  private final ByteArrayOutputStream bytes = new ByteArrayOutputStream();

  /** Begins. */
  public CapturedLog() {
    System.setErr(new PrintStream(bytes, true, StandardCharsets.UTF_8));
  }

  /**
   * Creates a logger of another level.
   *
   * @param type names the logger; nothing else logs with it
   */
  public static EngineLogger logger(Class<?> type, String level) {
    String property = "org.slf4j.simpleLogger.log." + type.getName();
    System.setProperty(property, level);
    try {
      return EngineLogger.of(type);
    } finally {
      System.clearProperty(property);
    }
  }

  /** Returns the lines so far; each has the thread, the level, the class and the message. */
  public List<String> lines() {
    return bytes.toString(StandardCharsets.UTF_8).lines().toList();
  }

  /** Returns the lines of one level, such as {@code WARN}. */
  public List<String> lines(String level) {
    return lines().stream().filter(line -> line.contains("] " + level + " ")).toList();
  }

  @Override
  public void close() {
    System.setErr(before);
  }
}
