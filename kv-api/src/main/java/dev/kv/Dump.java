package dev.kv;

import dev.kv.errors.DBIOException;
import java.nio.file.Path;

/**
 * Prints the content of a log, MANIFEST or table file, with byte ranges and damage. Changes nothing
 * on disk. Thread-safe.
 */
public final class Dump {
  private Dump() {}

  /**
   * Prints a file line by line. The kind of the file is taken from its name. A damaged part is
   * printed with its offset, and the dump continues after it.
   *
   * @param file the file
   * @param options the options that the database is opened with; the comparator, the filter policy
   *     and the environment are used
   * @param sink receives the lines, in the calling thread
   * @throws IllegalArgumentException if the name is not that of a log, MANIFEST or table
   * @throws DBIOException if the file cannot be read
   */
  public static void file(Path file, Options options, Sink sink) {
    DBFactory.instance().dump(file, options, sink);
  }

  /** Receives the lines of a dump. */
  @FunctionalInterface
  public interface Sink {
    /**
     * Takes one line.
     *
     * @param text the line without its line separator; bytes of the file are escaped
     */
    void line(String text);
  }
}
