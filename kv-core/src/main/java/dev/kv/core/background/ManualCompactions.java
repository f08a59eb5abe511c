package dev.kv.core.background;

import dev.kv.core.compaction.CompactionPicker;
import dev.kv.core.compaction.ManualPick;
import dev.kv.core.compaction.RunningJobs;
import dev.kv.core.key.KeyRange;
import dev.kv.core.state.Monitor;
import dev.kv.core.version.Version;
import dev.kv.errors.CorruptionException;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The queue of manual compactions that wait or run, first come, first served. All methods require
 * the monitor.
 */
public final class ManualCompactions {
  /**
   * A request to compact all tables of one level that overlap a range of user keys: they are merged
   * into the next level, or rewritten in place.
   */
  public static final class Request {
    private final int level;
    private final @Nullable Set<Long> rewritten;
    private KeyRange range;
    private boolean inStep;
    private boolean done;
    private @Nullable CorruptionException failure;

    private Request(int level, KeyRange range, @Nullable Set<Long> rewritten) {
      this.level = level;
      this.range = range;
      this.rewritten = rewritten;
    }

    /** Returns a request to merge a level's tables into the next level. */
    public static Request merge(int level, KeyRange range) {
      return new Request(level, range, null);
    }

    /** Returns a request to rewrite, in place, those tables of a level that are in a set. */
    public static Request rewrite(int level, KeyRange range, Set<Long> numbers) {
      return new Request(level, range, Set.copyOf(numbers));
    }

    boolean isDone() {
      return done;
    }

    boolean isInStep() {
      return inStep;
    }

    /** Throws if a step found a damaged table. */
    void check() {
      CorruptionException damage = failure;
      if (damage != null) {
        throw new CorruptionException(
            "the compaction was abandoned because a table is damaged",
            damage.file(),
            damage.offset(),
            damage);
      }
    }
  }

  /** A step to run now, or one that has to wait for a running job. */
  record Step(Request request, ManualPick pick) {}

  private final Monitor monitor;
  private final CompactionPicker picker;
  private final Deque<Request> requests = new ArrayDeque<>();

  ManualCompactions(Monitor monitor, CompactionPicker picker) {
    this.monitor = monitor;
    this.picker = picker;
  }

  void add(Request request) {
    monitor.assertHeld();
    requests.addLast(request);
  }

  void remove(Request request) {
    monitor.assertHeld();
    requests.remove(request);
  }

  /** Returns true if a request waits for its next step. */
  boolean isWaiting() {
    monitor.assertHeld();
    Request first = requests.peekFirst();
    return first != null && !first.inStep;
  }

  /**
   * Returns the next step of the first request, or null if there is no request or its step is
   * already running.
   */
  @Nullable Step next(Version version, RunningJobs running) {
    monitor.assertHeld();
    while (isWaiting()) {
      Request request = requests.getFirst();
      ManualPick pick =
          request.rewritten == null
              ? picker.pickManual(version, running, request.level, request.range)
              : picker.pickRewrite(
                  version, running, request.level, request.range, request.rewritten);
      if (pick.blocked() || pick.compaction() != null) {
        return new Step(request, pick);
      }
      finish(request);
    }
    return null;
  }

  /** Marks a step of a request as running. */
  void start(Step step) {
    monitor.assertHeld();
    step.request().inStep = true;
  }

  /** Marks a step as ended; if it was the last step, ends its request. */
  void end(Step step, boolean installed) {
    monitor.assertHeld();
    Request request = step.request();
    request.inStep = false;
    byte[] next = step.pick().nextBegin();
    if (installed && next == null) {
      finish(request);
    } else if (installed) {
      request.range = new KeyRange(next, request.range.largest());
    }
  }

  /** Ends the request of a step that found a damaged table. */
  void fail(Step step, CorruptionException damage) {
    monitor.assertHeld();
    step.request().failure = damage;
    finish(step.request());
  }

  private void finish(Request request) {
    request.done = true;
    requests.remove(request);
    monitor.signalAll();
  }
}
