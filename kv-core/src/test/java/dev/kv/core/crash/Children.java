package dev.kv.core.crash;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** How tests start a JVM. */
public final class Children {
  private Children() {}

  /** What a child JVM printed, and the code it ended with. */
  public record Ended(int exitCode, String output) {}

  /**
   * Runs {@code main} in a JVM with {@code flags} until it ends.
   *
   * @param flags options of the JVM, as {@code -Xmx64m}
   * @return its standard output and error, and its exit code
   */
  public static Ended run(List<String> flags, Class<?> main, String... arguments)
      throws IOException, InterruptedException {
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.addAll(flags);
    command.addAll(List.of("-cp", System.getProperty("java.class.path"), main.getName()));
    command.addAll(List.of(arguments));
    Process child = new ProcessBuilder(command).redirectErrorStream(true).start();
    String output = new String(child.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    return new Ended(child.waitFor(), output);
  }

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
