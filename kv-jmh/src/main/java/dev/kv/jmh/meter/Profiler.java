package dev.kv.jmh.meter;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import one.profiler.AsyncProfiler;
import one.profiler.AsyncProfilerLoader;

/** Records a flame graph of a benchmark with async-profiler, including native frames. */
public final class Profiler {
  private static final String START = "start,event=cpu,interval=1ms";

  private final AsyncProfiler profiler;
  private final Path directory;

  private Profiler(AsyncProfiler profiler, Path directory) {
    this.profiler = profiler;
    this.directory = directory;
  }

  /**
   * Creates a profiler that writes to {@code directory}.
   *
   * @throws IOException if there is no profiler for this system
   */
  public static Profiler into(Path directory) throws IOException {
    Files.createDirectories(directory);
    return new Profiler(AsyncProfilerLoader.load(), directory);
  }

  /** Runs {@code task} and writes its flame graph as {@code name}.html. */
  public void run(String name, Runnable task) {
    execute(START);
    try {
      task.run();
    } finally {
      execute("stop,file=" + directory.resolve(name + ".html"));
    }
  }

  private void execute(String command) {
    try {
      profiler.execute(command);
    } catch (IOException e) {
      throw new IllegalStateException("the profiler does not accept '" + command + "'", e);
    }
  }
}
