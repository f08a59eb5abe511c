package dev.kv.tools.console;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/** What the streams are that a command is started with. */
public final class StandardStreams {
  /** The descriptor of standard input. */
  public static final int INPUT = 0;

  /** The descriptor of standard output. */
  public static final int OUTPUT = 1;

  /** The descriptor of standard error. */
  static final int ERROR = 2;

  private StandardStreams() {}

  /** Returns standard input; a {@link Failure} where there is none. */
  public static InputStream input() {
    // The JVM's first file takes the place of an input that is closed, and would be read.
    Path modules = Path.of(System.getProperty("java.home"), "lib", "modules");
    Path file = file(INPUT);
    try {
      if (file != null && file.equals(modules.toRealPath())) {
        throw new Failure("standard input is closed");
      }
    } catch (IOException isNoSuchJvm) {
      return System.in;
    }
    return System.in;
  }

  /** Returns standard input as lines of UTF-8; a {@link Failure} where there is none. */
  public static BufferedReader lines() {
    return new BufferedReader(new InputStreamReader(input(), StandardCharsets.UTF_8));
  }

  /**
   * Returns whether a descriptor is a terminal; where that cannot be told, whether there is a
   * console.
   */
  public static boolean isTerminal(int descriptor) {
    Path file = file(descriptor);
    return file == null
        ? System.console() != null
        : file.startsWith("/dev/pts") || file.toString().startsWith("/dev/tty");
  }

  /** Returns the name of the file behind a descriptor, or null where that cannot be told. */
  private static @Nullable Path file(int descriptor) {
    try {
      return Files.readSymbolicLink(Path.of("/proc/self/fd/" + descriptor));
    } catch (IOException | UnsupportedOperationException unknown) {
      return null;
    }
  }
}
