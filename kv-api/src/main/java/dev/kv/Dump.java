package dev.kv;

import java.nio.file.Path;

/**
 * Prints what a log, MANIFEST or table file holds, byte ranges and damage included. Changes nothing
 * on disk.
 */
public final class Dump {
  private Dump() {}

  /**
   * Prints {@code file}, whose name tells its kind, line by line. Damaged parts are shown with
   * their offset and the dump goes on behind them.
   */
  public static void file(Path file, Options options, Sink sink) {
    DBFactory.instance().dump(file, options, sink);
  }

  /** Receives the lines of a dump. */
  @FunctionalInterface
  public interface Sink {
    /** One line without its end, escaped. */
    void line(String text);
  }
}
