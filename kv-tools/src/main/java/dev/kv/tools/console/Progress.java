package dev.kv.tools.console;

import java.io.PrintStream;
import java.util.Locale;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Shows the progress of a command that takes longer than a second, if standard error is a terminal:
 * how much is done, how fast, and the time left if the total is known. It is one line of plain
 * characters, which is overwritten and in the end removed.
 */
public final class Progress implements AutoCloseable {
  /** The system property for the milliseconds before the line appears. */
  private static final String DELAY = "kv.progress.delay";

  private static final long DEFAULT_DELAY = 1000;
  private static final long INTERVAL = 200;
  private static final double MIB = 1 << 20;

  /** The total if it is unknown. */
  public static final long UNKNOWN = -1;

  private final String task;
  private final Unit unit;
  private final LongSupplier totalOf;
  private final LongSupplier counter;
  private final long atStart;
  private final long start = System.nanoTime();
  private final CountDownLatch closed = new CountDownLatch(1);
  private final @Nullable Thread painter;
  private final PrintStream out = System.err;
  private long total = UNKNOWN;
  private int drawn;

  /** The unit of the work. */
  public enum Unit {
    BYTES,
    ENTRIES,
    FILES;

    private String count(long count) {
      return this == BYTES
          ? String.format(Locale.ROOT, "%.1f MiB", count / MIB)
          : count + " " + name().toLowerCase(Locale.ROOT);
    }
  }

  private Progress(
      String task, Unit unit, LongSupplier totalOf, LongSupplier counter, boolean shown) {
    this.task = task;
    this.unit = unit;
    this.totalOf = totalOf;
    this.counter = counter;
    atStart = counter.getAsLong();
    painter = shown ? new Thread(this::draw, "kv-progress") : null;
  }

  /**
   * Returns the progress of {@code task}.
   *
   * @param total the work to do, or {@link #UNKNOWN}
   * @param counter returns the work done; its value now counts as none. Another thread calls it
   */
  public static Progress of(String task, Unit unit, long total, LongSupplier counter) {
    return of(task, unit, () -> total, counter);
  }

  /**
   * Returns the progress of {@code task}.
   *
   * @param totalOf returns the work to do, or {@link #UNKNOWN}; {@link #begin} calls it, and only
   *     if the progress is shown
   * @param counter returns the work done; its value now counts as none. Another thread calls it
   */
  public static Progress of(String task, Unit unit, LongSupplier totalOf, LongSupplier counter) {
    return new Progress(
        task, unit, totalOf, counter, StandardStreams.isTerminal(StandardStreams.ERROR));
  }

  /**
   * Returns the progress, in bytes, of a task that prints as it goes. It is not shown if standard
   * output is a terminal too.
   */
  public static Progress printing(String task, long total, LongSupplier counter) {
    return printing(task, () -> total, counter);
  }

  /**
   * Returns the progress, in bytes, of a task that prints as it goes. It is not shown if standard
   * output is a terminal too.
   *
   * @param totalOf returns the work to do, as for {@link #of}
   */
  public static Progress printing(String task, LongSupplier totalOf, LongSupplier counter) {
    boolean shown =
        StandardStreams.isTerminal(StandardStreams.ERROR)
            && !StandardStreams.isTerminal(StandardStreams.OUTPUT);
    return new Progress(task, Unit.BYTES, totalOf, counter, shown);
  }

  /** Starts to show the progress. */
  public void begin() {
    if (painter != null) {
      total = totalOf.getAsLong();
      painter.setDaemon(true);
      painter.start();
    }
  }

  private void draw() {
    try {
      long delay = Long.getLong(DELAY, DEFAULT_DELAY);
      boolean isOver = delay > 0 && closed.await(delay, TimeUnit.MILLISECONDS);
      while (!isOver) {
        show(line(task, unit, counter.getAsLong() - atStart, total, System.nanoTime() - start));
        isOver = closed.await(INTERVAL, TimeUnit.MILLISECONDS);
      }
    } catch (InterruptedException unexpected) {
      Thread.currentThread().interrupt();
    }
    show("");
  }

  /** Overwrites the line, and leaves the cursor at its start. */
  private void show(String line) {
    if (drawn > 0 || !line.isEmpty()) {
      out.print(line + " ".repeat(Math.max(0, drawn - line.length())) + '\r');
      out.flush();
      drawn = line.length();
    }
  }

  /** Returns the line for the work done in a time. */
  static String line(String task, Unit unit, long done, long total, long nanos) {
    double seconds = Math.max(nanos / 1e9, 1e-3);
    StringBuilder line =
        new StringBuilder("kv: ").append(task).append(' ').append(unit.count(done));
    if (total > 0) {
      long whole = Math.max(done, total);
      line.append(" of ").append(unit.count(whole));
      line.append(", ").append((int) (100.0 * done / whole)).append(" %");
    }
    line.append(", ").append(unit.count((long) (done / seconds))).append("/s");
    if (total > 0 && done > 0) {
      long left = Math.round(seconds * Math.max(0, total - done) / done);
      line.append(", ").append(time(left)).append(" left");
    }
    return line.toString();
  }

  private static String time(long seconds) {
    if (seconds < 60) {
      return seconds + " s";
    }
    return seconds < 3600
        ? seconds / 60 + " min " + seconds % 60 + " s"
        : seconds / 3600 + " h " + seconds % 3600 / 60 + " min";
  }

  @Override
  public void close() {
    closed.countDown();
    Thread last = painter;
    boolean interrupted = false;
    while (last != null) {
      try {
        last.join();
        last = null;
      } catch (InterruptedException cancelled) {
        interrupted = true;
      }
    }
    if (interrupted) {
      Thread.currentThread().interrupt();
    }
  }
}
