package dev.kv.core;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** Starts JVMs that run a part of a test. */
public final class Children {
  private static final int MAX_MINUTES = Boolean.getBoolean("kv.long") ? 600 : 10;

  private static final List<String> OPTIONS =
      List.of("JAVA_TOOL_OPTIONS", "_JAVA_OPTIONS", "JDK_JAVA_OPTIONS", "JAVA_OPTS");

  private Children() {}

  /** The output of a child JVM, and its exit code. */
  public record Ended(int exitCode, String output) {}

  /**
   * Runs {@code main} in a new JVM, and waits until it ends.
   *
   * @param flags options of the JVM, such as {@code -Xmx64m}
   * @param main the class to run
   * @param arguments the arguments of the class
   * @return its standard output and error, and its exit code
   * @throws IOException if the JVM cannot be started or its output cannot be read
   * @throws InterruptedException if the thread is interrupted while it waits
   */
  public static Ended run(List<String> flags, Class<?> main, String... arguments)
      throws IOException, InterruptedException {
    return run(command(flags, main.getName(), List.of(arguments)));
  }

  /**
   * Runs a command, and waits until it ends.
   *
   * @param command the command, as for {@link #builder}
   * @return its standard output and error, and its exit code
   * @throws IOException if the command cannot be started or its output cannot be read
   * @throws InterruptedException if the thread is interrupted while it waits
   */
  public static Ended run(List<String> command) throws IOException, InterruptedException {
    Path output = Files.createTempFile("child", ".txt");
    try {
      Process child =
          builder(command).redirectErrorStream(true).redirectOutput(output.toFile()).start();
      boolean ended;
      try {
        ended = child.waitFor(MAX_MINUTES, TimeUnit.MINUTES);
      } finally {
        child.destroyForcibly().waitFor();
      }
      String text = new String(Files.readAllBytes(output), StandardCharsets.UTF_8);
      if (!ended) {
        throw new AssertionError(command + " does not end; it printed " + text);
      }
      return new Ended(child.exitValue(), text);
    } finally {
      Files.delete(output);
    }
  }

  /**
   * Returns a builder for a command that runs a JVM. The options that the environment has for each
   * JVM are not for that one, which would also print that it takes them.
   *
   * @param command the command
   * @return the builder
   */
  public static ProcessBuilder builder(List<String> command) {
    ProcessBuilder builder = new ProcessBuilder(command);
    builder.environment().keySet().removeAll(OPTIONS);
    return builder;
  }

  /**
   * Returns the command that runs a class in a new JVM with the class path of this one.
   *
   * @param flags options of the JVM
   * @param main the name of the class to run
   * @param arguments the arguments of the class
   * @return the command
   */
  public static List<String> command(List<String> flags, String main, List<String> arguments) {
    return command(flags, System.getProperty("java.class.path"), main, arguments);
  }

  /**
   * Returns the command that runs a class in a new JVM.
   *
   * @param flags options of the JVM
   * @param classPath the class path of the new JVM
   * @param main the name of the class to run
   * @param arguments the arguments of the class
   * @return the command
   */
  public static List<String> command(
      List<String> flags, String classPath, String main, List<String> arguments) {
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.addAll(flags);
    command.addAll(List.of("-cp", classPath, main));
    command.addAll(arguments);
    return command;
  }

  /**
   * Returns the command that runs {@code main} in a JVM that starts quickly.
   *
   * @param flags further options of the JVM, such as {@code -Xmx64m}
   * @param main the class to run
   * @param arguments the arguments of the class
   * @return the command
   */
  public static List<String> quickCommand(List<String> flags, Class<?> main, String... arguments) {
    List<String> all = new ArrayList<>(flags);
    all.addAll(
        List.of(
            "-XX:TieredStopAtLevel=1",
            "-XX:+UseSerialGC",
            "-Xshare:auto",
            "-Dorg.slf4j.simpleLogger.defaultLogLevel=off"));
    return command(all, main.getName(), List.of(arguments));
  }

  /**
   * Kills a process with SIGKILL. Its output can still be read afterwards, unlike after {@link
   * Process#destroyForcibly}.
   *
   * @param child the process
   */
  public static void kill(Process child) {
    child.toHandle().destroyForcibly();
  }
}
