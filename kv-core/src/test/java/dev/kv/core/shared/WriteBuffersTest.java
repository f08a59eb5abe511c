package dev.kv.core.shared;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.management.ThreadMXBean;
import java.lang.management.ManagementFactory;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class WriteBuffersTest {
  private final List<String> requests = new ArrayList<>();

  /** The memtable of a database that flushes when the test says so. */
  private final class Memtable implements WriteBuffers.Buffer {
    private final String name;
    private final WriteBuffers buffers;
    private long bytes;
    private long begun;
    private boolean pending;

    Memtable(String name, WriteBuffers buffers) {
      this.name = name;
      this.buffers = buffers;
      begun = buffers.clock();
      buffers.add(this);
    }

    /** Acquires memory, as an arena that grows. */
    Memtable grow(long more) {
      bytes += more;
      buffers.acquired(more);
      return this;
    }

    void flush() {
      bytes = 0;
      begun = buffers.clock();
      pending = false;
    }

    @Override
    public long bytes() {
      return bytes;
    }

    @Override
    public long begun() {
      return begun;
    }

    @Override
    public boolean isFlushPending() {
      return pending;
    }

    @Override
    public void requestFlush() {
      pending = true;
      requests.add(name);
    }
  }

  @Test
  void acquired_withinTheLimit_requestsNothing() {
    WriteBuffers buffers = new WriteBuffers(100);
    new Memtable("a", buffers).grow(60);
    new Memtable("b", buffers).grow(40);
    assertThat(requests).isEmpty();
  }

  @Test
  void acquired_beyondTheLimit_requestsTheLargestOfTheSameAge() {
    WriteBuffers buffers = new WriteBuffers(100);
    Memtable a = new Memtable("a", buffers);
    Memtable b = new Memtable("b", buffers);
    Memtable c = new Memtable("c", buffers);
    a.grow(20);
    b.grow(60);
    c.grow(30);
    assertThat(requests).containsExactly("b");
  }

  @Test
  void acquired_oneIsNotEnough_requestsAsManyAsNeeded() {
    WriteBuffers buffers = new WriteBuffers(100);
    Memtable a = new Memtable("a", buffers);
    Memtable b = new Memtable("b", buffers);
    Memtable c = new Memtable("c", buffers);
    a.grow(40);
    b.grow(50);
    c.grow(130);
    assertThat(requests).containsExactly("c");
    c.flush();
    c.grow(100);
    assertThat(requests).containsExactly("c", "b", "a");
  }

  @Test
  void acquired_whileARequestHasNoEffect_repeatsIt() {
    WriteBuffers buffers = new WriteBuffers(100);
    Memtable a = new Memtable("a", buffers).grow(150);
    Memtable b = new Memtable("b", buffers).grow(50);
    assertThat(requests).containsExactly("a");
    b.grow(60);
    assertThat(requests).containsExactly("a", "a", "b");
    a.flush();
    b.flush();
    b.grow(10);
    assertThat(requests).hasSize(3);
  }

  @Test
  void acquired_idleMemtablesBesideABusyOne_areFlushedOneAfterAnother() {
    WriteBuffers buffers = new WriteBuffers(1000);
    List<Memtable> idle = new ArrayList<>();
    for (int i = 0; i < 50; i++) {
      idle.add(new Memtable("idle" + i, buffers).grow(16));
    }
    Memtable busy = new Memtable("busy", buffers);
    int flushesOfBusy = 0;
    long written = 0;
    while (idle.stream().anyMatch(each -> each.bytes() > 0) && written < 100_000) {
      busy.grow(16);
      written += 16;
      for (Memtable each : idle) {
        if (each.pending) {
          each.flush();
        }
      }
      if (busy.pending) {
        busy.flush();
        flushesOfBusy++;
      }
    }
    assertThat(idle).allMatch(each -> each.bytes() == 0);
    assertThat(flushesOfBusy).isLessThanOrEqualTo((int) (written / 200));
  }

  @Test
  void acquired_ofARemovedMemtable_isNotCounted() {
    WriteBuffers buffers = new WriteBuffers(100);
    Memtable gone = new Memtable("gone", buffers).grow(90);
    buffers.remove(gone);
    new Memtable("a", buffers).grow(50);
    assertThat(requests).isEmpty();
  }

  @Test
  void calls_withoutARequest_allocateNothing() {
    WriteBuffers buffers = new WriteBuffers(1000);
    Memtable own = new Memtable("own", buffers).grow(500);
    ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
    long id = Thread.currentThread().getId();
    long least = Long.MAX_VALUE;
    for (int round = 0; round < 10; round++) {
      long before = threads.getThreadAllocatedBytes(id);
      own.grow(1);
      buffers.relieve(own);
      buffers.isAnySlowedByLevel0();
      least = Math.min(least, threads.getThreadAllocatedBytes(id) - before);
    }
    assertThat(least).isZero();
    assertThat(requests).isEmpty();
  }

  @Test
  void acquired_withoutALimit_requestsNothing() {
    WriteBuffers buffers = new WriteBuffers(Long.MAX_VALUE);
    new Memtable("a", buffers).grow(Long.MAX_VALUE / 2);
    assertThat(requests).isEmpty();
  }

  @Test
  void relieve_requestsAnotherThanTheWritersOwn() {
    WriteBuffers buffers = new WriteBuffers(1000);
    Memtable own = new Memtable("own", buffers).grow(500);
    assertThat(buffers.relieve(own)).as("nothing but the own one").isFalse();
    new Memtable("other", buffers).grow(10);
    assertThat(buffers.relieve(own)).isTrue();
    assertThat(requests).containsExactly("other");
    assertThat(buffers.relieve(own)).as("one is pending").isTrue();
    assertThat(requests).as("it is requested again").containsExactly("other", "other");
  }

  @Test
  void relieve_besideEmptyMemtables_requestsNothing() {
    WriteBuffers buffers = new WriteBuffers(1000);
    new Memtable("empty", buffers);
    Memtable own = new Memtable("own", buffers).grow(500);
    assertThat(buffers.relieve(own)).isFalse();
    assertThat(requests).isEmpty();
  }

  @Test
  void acquired_ofANegativeNumber_countsAsARelease() {
    WriteBuffers buffers = new WriteBuffers(100);
    new Memtable("a", buffers).grow(80);
    assertThat(buffers.releases()).isZero();
    buffers.acquired(0);
    assertThat(buffers.releases()).isZero();
    buffers.acquired(-80);
    assertThat(buffers.releases()).isEqualTo(1);
    assertThat(buffers.clock()).isEqualTo(80);
    assertThat(requests).isEmpty();
  }

  @Test
  void acquired_upToTheLimitBesideARequest_doesNotRepeatIt() {
    WriteBuffers buffers = new WriteBuffers(100);
    new Memtable("a", buffers).grow(150);
    new Memtable("b", buffers).grow(100);
    assertThat(requests).containsExactly("a");
  }
}
