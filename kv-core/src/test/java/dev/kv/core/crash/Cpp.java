package dev.kv.core.crash;

import java.io.BufferedReader;
import java.io.BufferedWriter;
import java.io.IOException;
import java.net.URISyntaxException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** C++ LevelDB, as python's plyvel has it, in a process that answers commands. */
final class Cpp implements AutoCloseable {
  private final Process python;
  private final BufferedWriter to;
  private final BufferedReader from;

  private Cpp(Process python) {
    this.python = python;
    to = python.outputWriter(StandardCharsets.US_ASCII);
    from = python.inputReader(StandardCharsets.US_ASCII);
  }

  /** Starts it, or returns null, and says why, where python has no plyvel. */
  static @Nullable Cpp start() throws IOException, InterruptedException {
    try {
      Process probe =
          new ProcessBuilder("python3", "-c", "import plyvel").redirectErrorStream(true).start();
      String output = new String(probe.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
      if (probe.waitFor() != 0) {
        return missing("python3 has no plyvel: " + output.strip());
      }
    } catch (IOException none) {
      return missing("no python3: " + none.getMessage());
    }
    ProcessBuilder command = new ProcessBuilder("python3", script());
    return new Cpp(command.redirectError(ProcessBuilder.Redirect.INHERIT).start());
  }

  private static @Nullable Cpp missing(String reason) {
    System.out.println("Not compared with C++ LevelDB: " + reason);
    if ("true".equals(System.getenv("CI"))) {
      throw new AssertionError(reason);
    }
    return null;
  }

  private static String script() {
    try {
      return Path.of(Cpp.class.getResource("/crash/cpp.py").toURI()).toString();
    } catch (URISyntaxException e) {
      throw new AssertionError(e);
    }
  }

  /** Returns what it finds in a directory, which it changes as it opens it. */
  TreeMap<byte[], byte[]> read(Path directory) throws IOException {
    say("read " + directory);
    TreeMap<byte[], byte[]> entries = new TreeMap<>(Arrays::compareUnsigned);
    HexFormat hex = HexFormat.of();
    for (String line = from.readLine(); !".".equals(line); line = from.readLine()) {
      if (line == null || line.startsWith("!")) {
        throw new AssertionError("C++ LevelDB cannot open " + directory + ": " + line);
      }
      int space = line.indexOf(' ');
      entries.put(hex.parseHex(line, 0, space), hex.parseHex(line, space + 1, line.length()));
    }
    return entries;
  }

  /** Opens a directory, to write to it until the process is killed. */
  void open(Path directory) throws IOException {
    say("write " + directory);
    String answer = from.readLine();
    if (!"ok".equals(answer)) {
      throw new AssertionError("C++ LevelDB cannot open " + directory + ": " + answer);
    }
  }

  /** Writes a batch; returns false where the process has died before it acknowledged it. */
  boolean write(History history, int number, boolean sync) {
    HexFormat hex = HexFormat.of();
    StringBuilder line = new StringBuilder(sync ? "sync" : "");
    history
        .batch(number)
        .iterate(
            new dev.kv.WriteBatch.Handler() {
              @Override
              public void put(dev.kv.Slice key, dev.kv.Slice value) {
                line.append(' ').append(hex.formatHex(key.toByteArray()));
                line.append('=').append(hex.formatHex(value.toByteArray()));
              }

              @Override
              public void delete(dev.kv.Slice key) {
                line.append(' ').append(hex.formatHex(key.toByteArray()));
              }
            });
    try {
      say(line.toString());
      return "ok".equals(from.readLine());
    } catch (IOException dead) {
      return false;
    }
  }

  private void say(String line) throws IOException {
    to.write(line + "\n");
    to.flush();
  }

  /** Kills it. */
  void kill() throws InterruptedException {
    Children.kill(python);
    python.waitFor();
  }

  @Override
  public void close() throws InterruptedException {
    kill();
  }

  /** Copies a database's files but LOCK into a new directory. */
  static Path copy(Path from, Path to) throws IOException {
    Files.createDirectory(to);
    try (Stream<Path> files = Files.list(from)) {
      for (Path file : files.toList()) {
        if (!file.endsWith("LOCK")) {
          Files.copy(file, to.resolve(file.getFileName()));
        }
      }
    }
    return to;
  }

  /** Deletes a directory of files. */
  static void delete(Path directory) throws IOException {
    try (Stream<Path> files = Files.list(directory)) {
      for (Path file : files.toList()) {
        Files.delete(file);
      }
    }
    Files.delete(directory);
  }
}
