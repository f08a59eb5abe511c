package dev.kv.tools;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import me.tongfei.progressbar.ConsoleProgressBarConsumer;
import me.tongfei.progressbar.ProgressBar;
import me.tongfei.progressbar.ProgressBarBuilder;
import me.tongfei.progressbar.ProgressBarStyle;
import org.jspecify.annotations.Nullable;

/** A progress bar on standard error where that is a terminal, nothing elsewhere. */
final class Progress implements AutoCloseable {
  private static final int STEPS_PER_UPDATE = 1024;

  private final @Nullable ProgressBar bar;
  private int pending;

  private Progress(String task, long total, boolean bytes) {
    bar = onTerminal() ? bar(task, total, bytes) : null;
  }

  /** Returns a bar that ends at {@code total} steps. */
  static Progress of(String task, long total) {
    return new Progress(task, total, false);
  }

  /** Returns a bar with no known end. */
  static Progress counting(String task) {
    return new Progress(task, -1, false);
  }

  /** Returns a bar over bytes, shown in MiB, that ends at {@code total} of them. */
  static Progress ofBytes(String task, long total) {
    return new Progress(task, total, true);
  }

  void step() {
    if (bar != null && ++pending == STEPS_PER_UPDATE) {
      bar.stepBy(pending);
      pending = 0;
    }
  }

  /** Counts many steps at once. */
  void step(long count) {
    if (bar != null) {
      bar.stepBy(count);
    }
  }

  @Override
  public void close() {
    if (bar != null) {
      bar.stepBy(pending);
      pending = 0;
      bar.close();
    }
  }

  /**
   * Returns whether standard error is a terminal; where that cannot be told, whether there is a
   * console.
   */
  static boolean onTerminal() {
    try {
      String target = Files.readSymbolicLink(Path.of("/proc/self/fd/2")).toString();
      return target.startsWith("/dev/pts/") || target.startsWith("/dev/tty");
    } catch (IOException | UnsupportedOperationException unknown) {
      return System.console() != null;
    }
  }

  private static ProgressBar bar(String task, long total, boolean bytes) {
    return new ProgressBarBuilder()
        .setTaskName(task)
        .setUnit(bytes ? " MiB" : "", bytes ? 1 << 20 : 1)
        .setInitialMax(total)
        .setStyle(ProgressBarStyle.ASCII)
        .setConsumer(new ConsoleProgressBarConsumer(System.err))
        .setUpdateIntervalMillis(200)
        .showSpeed()
        .build();
  }
}
