package dev.kv.core.read;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.kv.bytes.DBComparator;
import dev.kv.core.key.InternalKeyComparator;
import dev.kv.core.memory.ArenaPool;
import dev.kv.core.memory.OffHeapBudget;
import dev.kv.core.memory.Stripes;
import dev.kv.core.memtable.MemTable;
import dev.kv.core.version.Version;
import dev.kv.errors.DBClosedException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;

final class ReadStatesTest {
  private final InternalKeyComparator order = new InternalKeyComparator(DBComparator.bytewise());
  private final ArenaPool arenas = new ArenaPool(new OffHeapBudget(0));
  private final AtomicInteger freedVersions = new AtomicInteger();
  private final ReadStates states = new ReadStates();

  private MemTable publish() {
    MemTable memtable = new MemTable(order, arenas.acquire(4096), arenas);
    Version version = Version.empty(order, freed -> freedVersions.incrementAndGet());
    states.publish(List.of(memtable), version);
    memtable.release();
    version.release();
    return memtable;
  }

  @Test
  void publish_withoutReaders_freesTheStateBefore() {
    MemTable first = publish();
    MemTable second = publish();
    assertThat(first.references()).isZero();
    assertThat(second.references()).isEqualTo(1);
    assertThat(freedVersions.get()).isEqualTo(1);
  }

  @Test
  void publish_withAPinnedStateBefore_freesItAtTheLastRelease() {
    MemTable first = publish();
    ReadState one = states.acquire(0);
    ReadState same = states.acquire(Stripes.COUNT - 1);
    assertThat(one).isSameAs(same);
    publish();
    assertThat(first.references()).isEqualTo(1);
    one.unpin(0);
    assertThat(first.references()).isEqualTo(1);
    same.unpin(Stripes.COUNT - 1);
    assertThat(first.references()).isZero();
    assertThat(freedVersions.get()).isEqualTo(1);
  }

  @Test
  void publish_ofAMemtableAgain_keepsIt() {
    MemTable memtable = new MemTable(order, arenas.acquire(4096), arenas);
    MemTable next = new MemTable(order, arenas.acquire(4096), arenas);
    Version version = Version.empty(order, freed -> freedVersions.incrementAndGet());
    states.publish(List.of(memtable), version);
    states.publish(List.of(next, memtable), version);
    assertThat(memtable.references()).isEqualTo(2);
    ReadState state = states.acquire(0);
    assertThat(state.memTableCount()).isEqualTo(2);
    assertThat(state.memTable(0)).isSameAs(next);
    assertThat(state.memTable(1)).isSameAs(memtable);
    assertThat(state.version()).isSameAs(version);
    state.unpin(0);
  }

  @Test
  void close_withAReader_freesAtItsRelease() {
    MemTable memtable = publish();
    ReadState state = states.acquire(3);
    states.close();
    states.close();
    assertThatThrownBy(() -> states.acquire(3)).isInstanceOf(DBClosedException.class);
    assertThat(memtable.references()).isEqualTo(1);
    state.unpin(3);
    assertThat(memtable.references()).isZero();
  }

  @Test
  void release_onceTooOften_isABug() {
    publish();
    ReadState state = states.acquire(1);
    state.unpin(1);
    assertThatThrownBy(() -> state.unpin(1)).isInstanceOf(AssertionError.class);
  }

  @Test
  void states_publishedUnderReaders_areFreedOnceAndNeverWhilePinned() throws Exception {
    int rounds = Boolean.getBoolean("kv.long") ? 1_000_000 : 5_000;
    publish();
    AtomicReference<Throwable> failure = new AtomicReference<>();
    List<Thread> readers = new ArrayList<>();
    for (int t = 0; t < 3; t++) {
      int stripe = t == 2 ? 0 : t;
      Thread reader = new Thread(() -> readUntilClosed(stripe, failure));
      reader.setDaemon(true);
      reader.start();
      readers.add(reader);
    }
    for (int i = 0; i < rounds && failure.get() == null; i++) {
      publish();
    }
    states.close();
    for (Thread reader : readers) {
      reader.join(60_000);
      assertThat(reader.isAlive()).isFalse();
    }
    assertThat(failure.get()).isNull();
    assertThat(freedVersions.get()).isEqualTo(rounds + 1);
    assertThat(arenas.liveArenas()).isZero();
  }

  private void readUntilClosed(int stripe, AtomicReference<Throwable> failure) {
    try {
      while (true) {
        ReadState state = states.acquire(stripe);
        try {
          readAgain(stripe);
          requireUnfreed(state);
        } finally {
          state.unpin(stripe);
        }
      }
    } catch (DBClosedException expected) {
      // The states are closed.
    } catch (Throwable e) {
      failure.set(e);
    }
  }

  private void readAgain(int stripe) {
    ReadState state = states.acquire(stripe);
    requireUnfreed(state);
    Thread.onSpinWait();
    requireUnfreed(state);
    state.unpin(stripe);
  }

  private static void requireUnfreed(ReadState state) {
    if (state.version().references() < 1 || state.memTable(0).references() < 1) {
      throw new AssertionError("a pinned state was freed");
    }
  }
}
