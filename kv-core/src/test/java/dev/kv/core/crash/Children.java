package dev.kv.core.crash;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** How the tests of this package start a JVM. */
final class Children {
  private Children() {}

  /**
   * Returns the command that runs {@code main} in a JVM that starts quickly, with a heap of so many
   * MiB.
   */
  static List<String> java(int heapMiB, Class<?> main, String... arguments) {
    List<String> command =
        new ArrayList<>(
            List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-Xmx" + heapMiB + "m",
                "-XX:TieredStopAtLevel=1",
                "-XX:+UseSerialGC",
                "-Xshare:auto",
                "-Dorg.slf4j.simpleLogger.defaultLogLevel=off",
                "-cp",
                System.getProperty("java.class.path"),
                main.getName()));
    command.addAll(List.of(arguments));
    return command;
  }

  /**
   * Kills a child with SIGKILL; what it printed can still be read, as it cannot after
   * Process.destroyForcibly.
   */
  static void kill(Process child) {
    child.toHandle().destroyForcibly();
  }
}
