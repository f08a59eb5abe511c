package dev.kv.core.background;

import static dev.kv.core.Bytes.bytes;
import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.kv.core.background.ManualCompactions.Request;
import dev.kv.core.background.ManualCompactions.Step;
import dev.kv.core.compaction.Compaction;
import dev.kv.core.compaction.CompactionPicker;
import dev.kv.core.compaction.RunningJobs;
import dev.kv.core.event.Events;
import dev.kv.core.key.KeyRange;
import dev.kv.core.state.Monitor;
import dev.kv.core.state.Wakeups;
import dev.kv.core.version.Version;
import dev.kv.core.version.VersionText;
import dev.kv.core.write.ErrorHandler;
import dev.kv.errors.CorruptionException;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class ManualCompactionsTest {
  private static final long MAX_FILE_SIZE = 100;
  private static final KeyRange ALL = new KeyRange(null, null);

  private final Monitor monitor =
      new Monitor(new ErrorHandler(new Events("db", null)), new Wakeups());
  private final ManualCompactions manual =
      new ManualCompactions(monitor, new CompactionPicker(MAX_FILE_SIZE, false));
  private final RunningJobs running = new RunningJobs(VersionText.COMPARATOR.userComparator());

  /** Level 1 has so many bytes that a step takes two of its tables. */
  private final Version version =
      VersionText.version(
          List.of(
              "+L1 5:1500 a@5..b@5",
              "+L1 6:1500 c@5..d@5",
              "+L1 7:1500 e@5..f@5",
              "+L2 9:10 x@3..z@3"));

  @BeforeEach
  void lock() {
    monitor.lock();
  }

  @AfterEach
  void unlock() {
    monitor.unlock();
  }

  private Request added(Request request) {
    manual.add(request);
    return request;
  }

  private Step next() {
    return manual.next(version, running);
  }

  private static Compaction compaction(Step step) {
    return requireNonNull(step.pick().compaction());
  }

  private static String inputs(Step step) {
    return VersionText.numbers(compaction(step).inputs());
  }

  @Test
  void next_withoutARequest_isNull() {
    assertThat(manual.isWaiting()).isFalse();
    assertThat(next()).isNull();
  }

  @Test
  void request_ofSeveralSteps_continuesAtTheEndOfEach() {
    Request request = added(Request.merge(1, ALL));
    assertThat(manual.isWaiting()).isTrue();
    Step first = next();
    assertThat(first.request()).isSameAs(request);
    assertThat(inputs(first)).isEqualTo("5 6");
    manual.start(first);
    assertThat(manual.isWaiting()).as("while a step runs").isFalse();
    assertThat(next()).isNull();
    manual.end(first, true);
    assertThat(request.isDone()).isFalse();
    assertThat(manual.isWaiting()).isTrue();
    Step second = next();
    assertThat(inputs(second)).endsWith("7").doesNotContain("5");
    manual.start(second);
    manual.end(second, true);
    assertThat(request.isDone()).isTrue();
    assertThat(manual.isWaiting()).isFalse();
    request.check();
  }

  @Test
  void step_thatWasNotInstalled_isTriedAgain() {
    Request request = added(Request.merge(1, ALL));
    Step step = next();
    manual.start(step);
    manual.end(step, false);
    assertThat(request.isDone()).isFalse();
    assertThat(inputs(next())).isEqualTo("5 6");
  }

  @Test
  void request_withNothingToCompact_isDoneAtOnceAndTheNextOneFollows() {
    Request nothing = added(Request.merge(1, new KeyRange(bytes("m"), bytes("p"))));
    Request ofOne = added(Request.merge(1, new KeyRange(bytes("c"), bytes("c"))));
    Step step = next();
    assertThat(nothing.isDone()).isTrue();
    assertThat(step.request()).isSameAs(ofOne);
    assertThat(inputs(step)).isEqualTo("6");
  }

  @Test
  void requests_areServedInTheirOrder() {
    Request first = added(Request.merge(1, new KeyRange(bytes("a"), bytes("a"))));
    Request second = added(Request.merge(1, new KeyRange(bytes("e"), bytes("e"))));
    Step step = next();
    assertThat(step.request()).isSameAs(first);
    manual.start(step);
    assertThat(next()).as("one at a time").isNull();
    manual.end(step, true);
    assertThat(next().request()).isSameAs(second);
    manual.remove(second);
    assertThat(next()).isNull();
    assertThat(second.isDone()).as("given up by its caller").isFalse();
  }

  @Test
  void next_besideAConflictingCompaction_isBlocked() {
    added(Request.merge(1, ALL));
    Step step = next();
    assertThat(step.pick().blocked()).isFalse();
    running.start(compaction(step));
    Step blocked = next();
    assertThat(blocked.pick().blocked()).isTrue();
    assertThat(blocked.pick().compaction()).isNull();
    running.end(compaction(step), true);
    assertThat(next().pick().blocked()).isFalse();
  }

  @Test
  void rewrite_takesTheGivenTablesOfItsLevelAlone() {
    added(Request.rewrite(1, ALL, Set.of(6L)));
    Step step = next();
    assertThat(inputs(step)).isEqualTo("6");
    assertThat(compaction(step).isRewrite()).isTrue();
    manual.start(step);
    manual.end(step, true);
    assertThat(manual.isWaiting()).isFalse();
  }

  @Test
  void request_whoseStepFindsADamagedTable_failsWithIt() {
    Request request = added(Request.merge(1, ALL));
    Step step = next();
    manual.start(step);
    CorruptionException damage = new CorruptionException("bad checksum", "5.ldb", 7);
    manual.fail(step, damage);
    assertThat(request.isDone()).isTrue();
    assertThat(manual.isWaiting()).isFalse();
    assertThat(next()).isNull();
    assertThatThrownBy(request::check)
        .isInstanceOfSatisfying(
            CorruptionException.class,
            e -> {
              assertThat(e.file()).isEqualTo("5.ldb");
              assertThat(e.offset()).isEqualTo(7);
            })
        .hasMessageContaining("a table is damaged")
        .hasCause(damage);
  }

  /** The queue is the monitor's. */
  @Test
  void everyMethod_withoutTheMonitor_isABug() {
    Request request = added(Request.merge(1, ALL));
    Step step = next();
    monitor.unlock();
    try {
      List<Runnable> calls = new ArrayList<>();
      calls.add(() -> manual.add(request));
      calls.add(() -> manual.remove(request));
      calls.add(manual::isWaiting);
      calls.add(this::next);
      calls.add(() -> manual.start(step));
      calls.add(() -> manual.end(step, false));
      calls.add(() -> manual.fail(step, new CorruptionException("bad checksum", "5.ldb", 7)));
      for (Runnable call : calls) {
        assertThatThrownBy(call::run).isInstanceOf(AssertionError.class);
      }
    } finally {
      monitor.lock();
    }
    assertThat(request.isDone()).isFalse();
    assertThat(inputs(next())).isEqualTo("5 6");
  }
}
