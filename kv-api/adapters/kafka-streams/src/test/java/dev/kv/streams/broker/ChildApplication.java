package dev.kv.streams.broker;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;

/** An {@link Application} in a process of its own. Its state here is what it has reported. */
final class ChildApplication implements AutoCloseable {
  private static final long LIMIT = TimeUnit.SECONDS.toNanos(90);
  private static final int LAST_LINES = 60;

  private final Process process;
  private final PrintStream commands;
  private final Thread reader;

  // Guarded by this
  private final Deque<String> lastLines = new ArrayDeque<>();
  private final Set<String> active = new TreeSet<>();
  private final Map<String, Long> counts = new TreeMap<>();
  private String state = "NEW";
  private long records;
  private boolean countsEnd;
  private boolean ended;

  private ChildApplication(Process process) {
    this.process = process;
    commands = new PrintStream(process.getOutputStream(), true, StandardCharsets.UTF_8);
    reader = new Thread(this::read, "child-output");
    reader.setDaemon(true);
    reader.start();
  }

  static ChildApplication start(Topologies topology, Properties config, String... flags)
      throws IOException {
    List<String> command = new ArrayList<>();
    command.add(System.getProperty("java.home") + "/bin/java");
    command.add("-Xmx256m");
    command.add("-XX:TieredStopAtLevel=1");
    command.addAll(List.of(flags));
    command.add("-cp");
    command.add(System.getProperty("java.class.path"));
    command.add(Application.class.getName());
    command.add(topology.name());
    config.forEach((name, value) -> command.add(name + "=" + value));
    return new ChildApplication(new ProcessBuilder(command).redirectErrorStream(true).start());
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
    lastLines.addLast(line);
    if (lastLines.size() > LAST_LINES) {
      lastLines.removeFirst();
    }
    String[] words = line.split(" ");
    switch (words[0]) {
      case "state" -> state = words[1];
      case "active" -> active.add(words[1]);
      case "idle" -> active.remove(words[1]);
      case "records" -> records = Long.parseLong(words[1]);
      case "count" -> counts.put(words[1], Long.parseLong(words[2]));
      case "end" -> countsEnd = true;
      default -> {}
    }
    notifyAll();
  }

  /** Waits until the application runs with as many active tasks. */
  void awaitActive(int tasks) throws InterruptedException {
    await("run with " + tasks + " tasks", () -> state.equals("RUNNING") && active.size() == tasks);
  }

  /** Waits until the application runs and has an active task. */
  void awaitActive() throws InterruptedException {
    await("run with a task", () -> state.equals("RUNNING") && !active.isEmpty());
  }

  /** Waits until the application has processed as many records. */
  void awaitRecords(long number) throws InterruptedException {
    await("process " + number + " records", () -> records >= number);
  }

  synchronized long records() {
    return records;
  }

  /** Asks for the counts of the active tasks. */
  Map<String, Long> counts() throws InterruptedException {
    commands.println("counts");
    await("tell the counts", () -> countsEnd);
    synchronized (this) {
      countsEnd = false;
      Map<String, Long> result = new TreeMap<>(counts);
      counts.clear();
      return result;
    }
  }

  private synchronized void await(String what, BooleanSupplier condition)
      throws InterruptedException {
    long end = System.nanoTime() + LIMIT;
    while (!condition.getAsBoolean()) {
      long left = TimeUnit.NANOSECONDS.toMillis(end - System.nanoTime());
      if (ended || left <= 0) {
        throw new AssertionError(
            "child "
                + process.pid()
                + (ended ? " ended" : " is late")
                + " and did not "
                + what
                + "; its last lines:\n"
                + String.join("\n", lastLines));
      }
      wait(left);
    }
  }

  long pid() {
    return process.pid();
  }

  /** Kills the process with SIGKILL. */
  void kill() throws InterruptedException {
    process.destroyForcibly().waitFor();
    reader.join();
  }

  @Override
  public void close() throws InterruptedException {
    commands.println("close");
    if (!process.waitFor(40, TimeUnit.SECONDS)) {
      kill();
      throw new AssertionError("the child does not close; its last lines:\n" + lastLines);
    }
    reader.join();
  }
}
