package dev.kv.tools;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;

/** A process that has ended, with the text of its streams. */
public record Child(int exitCode, String out, String err, double seconds) {
  private static final long POLL_MILLIS = 1;
  private static final long MAX_MINUTES = 5;

  private static final List<String> OPTIONS =
      List.of("JAVA_TOOL_OPTIONS", "_JAVA_OPTIONS", "JDK_JAVA_OPTIONS", "JAVA_OPTS");

  /**
   * Returns a builder for a command that runs a JVM, which does not take the options that the
   * environment has for each JVM.
   */
  public static ProcessBuilder builder(List<String> command) {
    ProcessBuilder builder = new ProcessBuilder(command);
    builder.environment().keySet().removeAll(OPTIONS);
    return builder;
  }

  /** Runs a process with empty standard input to its end; keeps its streams in {@code temp}. */
  public static Child run(ProcessBuilder builder, Path temp) throws Exception {
    long start = System.nanoTime();
    Process process =
        builder
            .redirectOutput(temp.resolve("out").toFile())
            .redirectError(temp.resolve("err").toFile())
            .start();
    try {
      process.getOutputStream().close();
      assertThat(process.waitFor(3, TimeUnit.MINUTES)).isTrue();
    } finally {
      process.destroyForcibly();
    }
    return new Child(
        process.exitValue(),
        Files.readString(temp.resolve("out")),
        Files.readString(temp.resolve("err")),
        (System.nanoTime() - start) / 1e9);
  }

  /** Waits until a condition holds or a process has ended. */
  public static void await(Process process, BooleanSupplier condition) throws InterruptedException {
    long end = System.nanoTime() + TimeUnit.MINUTES.toNanos(MAX_MINUTES);
    while (process.isAlive() && !condition.getAsBoolean()) {
      assertThat(System.nanoTime()).as("no end of the wait").isLessThan(end);
      Thread.sleep(POLL_MILLIS);
    }
  }

  /** Returns the number of files in a directory whose names have an ending; 0 without it. */
  public static long count(Path directory, String ending) {
    try (var files = Files.list(directory)) {
      return files.filter(file -> file.toString().endsWith(ending)).count();
    } catch (IOException missing) {
      return 0;
    }
  }
}
