package dev.kv.core.state;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.kv.core.event.Events;
import dev.kv.core.memory.MemoryKind;
import dev.kv.core.memory.OffHeapBudget;
import dev.kv.core.shared.TestMemtable;
import dev.kv.core.shared.WriteBuffers;
import dev.kv.core.write.ErrorHandler;
import dev.kv.env.Env;
import dev.kv.env.ForwardingEnv;
import dev.kv.errors.DBClosedException;
import dev.kv.errors.OffHeapExhaustedException;
import org.junit.jupiter.api.Test;

/** The wait for the memory of memtables, which are flushed while it sleeps. */
class MemoryWaitTest {
  private static final int LIMIT = 64 << 10;

  private final OffHeapBudget budget = new OffHeapBudget(LIMIT);
  private final WriteBuffers writeBuffers = new WriteBuffers(Long.MAX_VALUE);
  private final ErrorHandler errors = new ErrorHandler(new Events("db", null));
  private final Buffer own = new Buffer();
  private final Buffer other = new Buffer();
  private int sleeps;
  private final Env env =
      new ForwardingEnv(Env.inMemory()) {
        @Override
        public void sleepMicros(long micros) {
          sleeps++;
          own.flush();
          other.flush();
        }
      };
  private final MemoryWait memory = new MemoryWait(budget, writeBuffers, own, errors, env);

  /** A memtable whose flush ends later. */
  private final class Buffer extends TestMemtable {
    void fill(long size) {
      budget.reserve(MemoryKind.MEMTABLE, size);
      setBytes(size);
      writeBuffers.add(this);
    }

    void flush() {
      if (isFlushPending()) {
        budget.release(MemoryKind.MEMTABLE, bytes());
        clear();
      }
    }
  }

  private String allocate(int bytes) {
    return memory.allocate(
        MemoryKind.WRITE_BUFFER,
        bytes,
        () -> {
          budget.reserve(MemoryKind.WRITE_BUFFER, bytes);
          return "allocated";
        });
  }

  @Test
  void allocate_ofMemoryThatIsThere_doesNotWait() {
    assertThat(allocate(LIMIT)).isEqualTo("allocated");
    assertThat(sleeps).isZero();
  }

  @Test
  void allocate_withoutMemory_waitsForTheFlushOfAnotherMemtable() {
    other.fill(LIMIT / 2);
    assertThat(allocate(LIMIT)).isEqualTo("allocated");
    assertThat(sleeps).isEqualTo(1);
  }

  @Test
  void allocate_withoutMemory_waitsForAFlushThatWasRequestedBefore() {
    own.fill(LIMIT / 2);
    own.requestFlush();
    assertThat(allocate(LIMIT)).isEqualTo("allocated");
    assertThat(sleeps).isEqualTo(1);
  }

  @Test
  void allocate_withNothingToFlushButTheOwnMemtable_throwsAtOnce() {
    own.fill(LIMIT / 2);
    assertThatThrownBy(() -> allocate(LIMIT)).isInstanceOf(OffHeapExhaustedException.class);
    assertThat(sleeps).isZero();
    assertThat(own.isFlushPending()).isFalse();
    errors.check();
  }

  @Test
  void allocate_ofMoreThanTheLimit_throwsAtOnce() {
    other.fill(LIMIT / 2);
    assertThatThrownBy(() -> allocate(LIMIT + 1)).isInstanceOf(OffHeapExhaustedException.class);
    assertThat(sleeps).isZero();
    assertThat(other.isFlushPending()).isFalse();
  }

  @Test
  void allocate_ofADatabaseThatIsClosed_ends() {
    other.fill(LIMIT / 2);
    errors.beginClose();
    assertThatThrownBy(() -> allocate(LIMIT)).isInstanceOf(DBClosedException.class);
    assertThat(other.isFlushPending()).isFalse();
  }
}
