package dev.kv.tools.console;

import java.io.BufferedReader;
import java.io.Console;
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
    String home = System.getProperty("java.home"); // null in a native image
    Path file = file(INPUT);
    try {
      if (home != null
          && file != null
          && file.equals(Path.of(home, "lib", "modules").toRealPath())) {
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
   * JVM has a console that is a terminal.
   */
  public static boolean isTerminal(int descriptor) {
    Path file = file(descriptor);
    return isTerminal(file, Console.class, file == null ? System.console() : null);
  }

  /**
   * Returns true if a descriptor is a terminal.
   *
   * @param file the file of the descriptor, or null if the system does not tell
   * @param type the class of consoles. From JDK 22 on it has {@code isTerminal}: there the JVM can
   *     have a console although its streams are files or pipes.
   * @param console the console of the JVM, or null if it has none
   */
  static <T> boolean isTerminal(@Nullable Path file, Class<T> type, @Nullable T console) {
    if (file != null) {
      return file.startsWith("/dev/pts") || file.toString().startsWith("/dev/tty");
    }
    if (console == null) {
      return false;
    }
    try {
      return (boolean) type.getMethod("isTerminal").invoke(console);
    } catch (ReflectiveOperationException olderJdk) {
      return true;
    }
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
