package dev.kv.core.state;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class WakeupsTest {
  private final Wakeups wakeups = new Wakeups();
  private final List<String> woken = new ArrayList<>();

  @BeforeEach
  void addWork() {
    wakeups.onFlush(() -> woken.add("flush"));
    wakeups.onCompaction(() -> woken.add("compaction 1"));
    wakeups.onCompaction(() -> woken.add("compaction 2"));
    wakeups.onMaintenance(() -> woken.add("maintenance"));
  }

  @Test
  void calls_wakeTheWorkThatTheyName() {
    wakeups.flushWanted();
    assertThat(woken).containsExactly("flush", "maintenance");
    woken.clear();
    wakeups.compactionWanted();
    assertThat(woken).containsExactly("compaction 1", "compaction 2");
    woken.clear();
    wakeups.maintenanceWanted();
    assertThat(woken).containsExactly("maintenance");
    woken.clear();
    wakeups.workWanted();
    assertThat(woken).containsExactly("flush", "maintenance", "compaction 1", "compaction 2");
  }

  /** A wake may have to start a thread. The work is there, and those who wait wake it again. */
  @Test
  void wake_withoutMemory_failsNeitherTheCallerNorTheOtherWakes() {
    wakeups.onFlush(
        () -> {
          throw new OutOfMemoryError("simulated");
        });
    wakeups.onFlush(() -> woken.add("flush 2"));
    wakeups.flushWanted();
    assertThat(woken).containsExactly("flush", "flush 2", "maintenance");
  }

  @Test
  void versionFreed_isTakenOnceByTheMaintenance() {
    assertThat(wakeups.takeVersionFreed()).isFalse();
    wakeups.versionFreed();
    assertThat(woken).containsExactly("maintenance");
    assertThat(wakeups.takeVersionFreed()).isTrue();
    assertThat(wakeups.takeVersionFreed()).isFalse();
  }
}
