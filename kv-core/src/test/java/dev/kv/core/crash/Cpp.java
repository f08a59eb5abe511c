package dev.kv.core.crash;

import dev.kv.bytes.Slice;
import dev.kv.change.OperationHandler;
import dev.kv.core.Children;
import dev.kv.core.peer.Plyvel;
import java.io.BufferedReader;
import java.io.BufferedWriter;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** C++ LevelDB in a process that answers commands. */
final class Cpp implements AutoCloseable {
  private final Process python;
  private final BufferedWriter to;
  private final BufferedReader from;

  private Cpp(Process python) {
    this.python = python;
    to = python.outputWriter(StandardCharsets.US_ASCII);
    from = python.inputReader(StandardCharsets.US_ASCII);
  }

  /** Starts the process. Returns null if Python has no plyvel. */
  static @Nullable Cpp start() throws IOException, InterruptedException {
    if (!Plyvel.isAvailable()) {
      return null;
    }
    ProcessBuilder command = new ProcessBuilder(Plyvel.command("/crash/cpp.py"));
    return new Cpp(command.redirectError(ProcessBuilder.Redirect.INHERIT).start());
  }

  /** Returns the entries of the database in a directory. The open changes the directory. */
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

  /** Opens a directory and keeps it open for writes until the process is killed. */
  void open(Path directory) throws IOException {
    say("write " + directory);
    String answer = from.readLine();
    if (!"ok".equals(answer)) {
      throw new AssertionError("C++ LevelDB cannot open " + directory + ": " + answer);
    }
  }

  /** Writes a batch. Returns false if the process died before it acknowledged the batch. */
  boolean write(History history, int number, boolean sync) {
    HexFormat hex = HexFormat.of();
    StringBuilder line = new StringBuilder(sync ? "sync" : "");
    history
        .batch(number)
        .iterate(
            new OperationHandler() {
              @Override
              public void put(Slice key, Slice value) {
                line.append(' ').append(hex.formatHex(key.toByteArray()));
                line.append('=').append(hex.formatHex(value.toByteArray()));
              }

              @Override
              public void delete(Slice key) {
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

  /** Kills the process, and waits until it has ended. */
  void kill() throws InterruptedException {
    Children.kill(python);
    python.waitFor();
  }

  @Override
  public void close() throws InterruptedException {
    kill();
  }
}
