package dev.kv.infinispan.cluster;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;

/** A {@link Node} in its process, as the test sees it. Thread-safe. */
final class NodeProcess implements AutoCloseable {
  private static final long LIMIT = TimeUnit.SECONDS.toNanos(180);
  private static final int LAST_LINES = 80;

  private final Process process;
  private final Path log;
  private final PrintStream commands;
  private final Thread reader;

  // Guarded by this
  private final Deque<String> answers = new ArrayDeque<>();
  private int put;
  private boolean ended;

  private NodeProcess(Process process, Path log) {
    this.process = process;
    this.log = log;
    commands = new PrintStream(process.getOutputStream(), true, StandardCharsets.UTF_8);
    reader = new Thread(this::read, "node-output");
    reader.setDaemon(true);
    reader.start();
  }

  /**
   * Starts a node.
   *
   * @param log what the node logs, in a file of its own: it would break the lines of the answers
   * @param discovery the directory by which the nodes find each other
   */
  static NodeProcess start(int heapMegabytes, Path log, Path discovery, String... args)
      throws IOException {
    List<String> command = new ArrayList<>();
    command.add(System.getProperty("java.home") + "/bin/java");
    command.add("-Xmx" + heapMegabytes + "m");
    command.add("-XX:MaxDirectMemorySize=256m");
    command.add("-XX:+UseSerialGC");
    command.add("-XX:TieredStopAtLevel=1");
    command.add("-Dkv.cluster.directory=" + discovery);
    command.add("-cp");
    command.add(System.getProperty("java.class.path"));
    command.add(Node.class.getName());
    command.addAll(List.of(args));
    return new NodeProcess(
        new ProcessBuilder(command)
            .redirectError(ProcessBuilder.Redirect.appendTo(log.toFile()))
            .start(),
        log);
  }

  private void read() {
    try (BufferedReader lines = process.inputReader(StandardCharsets.UTF_8)) {
      for (String line = lines.readLine(); line != null; line = lines.readLine()) {
        note(line);
      }
    } catch (IOException e) {
      note(e.toString());
    }
    synchronized (this) {
      ended = true;
      notifyAll();
    }
  }

  private synchronized void note(String line) {
    if (line.startsWith("answer ")) {
      answers.add(line.substring("answer ".length()));
    } else if (line.startsWith("put ")) {
      put = Integer.parseInt(line.substring("put ".length()));
    }
    notifyAll();
  }

  /** Sends a command, whose answer is the next one. */
  void send(String command) {
    synchronized (this) {
      put = 0;
    }
    commands.println(command);
  }

  /** Waits for the answer of the oldest command without one. */
  String answer() throws InterruptedException {
    return await("answer", answers::poll);
  }

  /** Sends a command and waits for its answer. */
  String ask(String command) throws InterruptedException {
    send(command);
    return answer();
  }

  /** Waits until the node has put so many entries. */
  void awaitPut(int entries) throws InterruptedException {
    await("put " + entries, () -> put >= entries ? "" : null);
  }

  private synchronized String await(String what, Supplier<String> condition)
      throws InterruptedException {
    long end = System.nanoTime() + LIMIT;
    while (true) {
      String result = condition.get();
      if (result != null) {
        return result;
      }
      long left = TimeUnit.NANOSECONDS.toMillis(end - System.nanoTime());
      if (ended || left <= 0) {
        throw new AssertionError(
            "node "
                + process.pid()
                + (ended ? " ended" : " is late")
                + " and did not "
                + what
                + "; its last lines:\n"
                + lastLines());
      }
      wait(left);
    }
  }

  private String lastLines() {
    try {
      List<String> lines = Files.readAllLines(log);
      return String.join("\n", lines.subList(Math.max(0, lines.size() - LAST_LINES), lines.size()));
    } catch (IOException e) {
      return e.toString();
    }
  }

  /** Kills the process with SIGKILL. */
  void kill() throws InterruptedException {
    process.destroyForcibly().waitFor();
    reader.join();
  }

  @Override
  public void close() throws InterruptedException {
    kill();
  }
}
