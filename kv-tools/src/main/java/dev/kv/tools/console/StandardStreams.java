package dev.kv.tools.console;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/** The standard streams of the process. */
public final class StandardStreams {
  /** The descriptor of standard input. */
  public static final int INPUT = 0;

  /** The descriptor of standard output. */
  public static final int OUTPUT = 1;

  /** The descriptor of standard error. */
  static final int ERROR = 2;

  private StandardStreams() {}

  /**
   * Returns standard input.
   *
   * @throws Failure if it is closed
   */
  public static InputStream input() {
    // If standard input is closed, the first file that the JVM opens gets its descriptor.
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

  /**
   * Returns standard input as lines of UTF-8.
   *
   * @throws Failure if it is closed
   */
  public static BufferedReader lines() {
    return new BufferedReader(new InputStreamReader(input(), StandardCharsets.UTF_8));
  }

  /**
   * Returns true if a descriptor is a terminal. If the system does not tell, returns true if the
   * JVM has a console.
   */
  public static boolean isTerminal(int descriptor) {
    Path file = file(descriptor);
    return file == null
        ? System.console() != null
        : file.startsWith("/dev/pts") || file.toString().startsWith("/dev/tty");
  }

  /** Returns the file of a descriptor, or null if the system does not tell. */
  private static @Nullable Path file(int descriptor) {
    try {
      return Files.readSymbolicLink(Path.of("/proc/self/fd/" + descriptor));
    } catch (IOException | UnsupportedOperationException unknown) {
      return null;
    }
  }
}
