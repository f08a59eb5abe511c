package dev.kv.tools;

import static org.assertj.core.api.Assertions.assertThat;

import dev.kv.tools.shell.Commands;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.InputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.IntSupplier;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * One run of the command line inside the test's JVM, with its streams caught; {@code bytes} is
 * standard output.
 */
public record Cli(int exitCode, byte[] bytes, String err) {
  /** Flags of a JVM that starts quickly. */
  private static final List<String> QUICK =
      List.of("-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC", "-Xshare:auto");

  /** Returns standard output as text. */
  public String out() {
    return new String(bytes, StandardCharsets.UTF_8);
  }

  /** Returns the words that begin a run in a process of its own. */
  public static List<String> inProcess(String... flags) {
    List<String> words = new ArrayList<>();
    words.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    words.addAll(QUICK);
    words.addAll(List.of(flags));
    words.addAll(List.of("-cp", System.getProperty("java.class.path"), Main.class.getName()));
    return words;
  }

  /** Returns those words as sh reads them. */
  public static String inShell(String... flags) {
    return inProcess(flags).stream()
        .map(word -> "'" + word.replace("'", "'\\''") + "'")
        .collect(Collectors.joining(" "));
  }

  /** Returns the words of a command, with paths, which may have blanks, in the place of names. */
  static String[] words(String command, Map<String, String> paths) {
    return Stream.of(command.split(" "))
        .map(word -> paths.getOrDefault(word, word))
        .toArray(String[]::new);
  }

  /** Returns the command line as the shell has it. */
  public static Commands commands() {
    return new CommandTree();
  }

  /** Returns a database's entries as lines of the format hex. */
  public static List<String> hex(Path dir, String... more) {
    List<String> args = new ArrayList<>(List.of("scan", dir.toString(), "--format", "hex"));
    args.addAll(List.of(more));
    Cli scan = run(args.toArray(new String[0]));
    assertThat(scan.exitCode()).as(scan.err()).isZero();
    return scan.out().lines().toList();
  }

  public static Cli run(String... args) {
    return runWithInput("", args);
  }

  /** Runs a command as a line of the shell does. */
  public static Cli runInShell(String name, String... args) {
    return runCaught(InputStream.nullInputStream(), () -> Main.runInShell(name, args));
  }

  public static Cli runWithInput(String input, String... args) {
    return runWithInput(input.getBytes(StandardCharsets.UTF_8), args);
  }

  public static Cli runWithInput(byte[] input, String... args) {
    return runWithInput(new ByteArrayInputStream(input), args);
  }

  public static Cli runWithInput(InputStream input, String... args) {
    return runCaught(input, () -> Main.run(args));
  }

  private static Cli runCaught(InputStream input, IntSupplier command) {
    PrintStream out = System.out;
    PrintStream err = System.err;
    InputStream in = System.in;
    ByteArrayOutputStream caughtOut = new ByteArrayOutputStream();
    ByteArrayOutputStream caughtErr = new ByteArrayOutputStream();
    try {
      System.setIn(input);
      System.setOut(new PrintStream(caughtOut, true, StandardCharsets.UTF_8));
      System.setErr(new PrintStream(caughtErr, true, StandardCharsets.UTF_8));
      int exitCode = command.getAsInt();
      System.out.flush();
      return new Cli(exitCode, caughtOut.toByteArray(), caughtErr.toString(StandardCharsets.UTF_8));
    } finally {
      System.setIn(in);
      System.setOut(out);
      System.setErr(err);
    }
  }
}
