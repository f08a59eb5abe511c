package dev.kv.core.background;

import static org.assertj.core.api.Assertions.assertThat;

import dev.kv.core.compaction.RunningJobs;
import dev.kv.core.db.DbTestBase;
import dev.kv.core.state.Monitor;
import dev.kv.env.Env;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class JobContextTest extends DbTestBase {
  private int marked() {
    Monitor monitor = parts().jobs().monitor();
    RunningJobs running = parts().jobs().running();
    monitor.lock();
    try {
      return running.withTombstones().size();
    } finally {
      monitor.unlock();
    }
  }

  /** Writes a table of so many entries, of which some are tombstones. */
  private void writeTable(int entries, int tombstones) {
    for (int i = 0; i < entries; i++) {
      if (i < tombstones) {
        delete(key(i));
      } else {
        put(key(i), "");
      }
    }
    db.admin().flush();
  }

  /** 4096 tombstones, and one in four entries. */
  @ParameterizedTest
  @CsvSource({
    "4096, 4096, 1",
    "4095, 4095, 0",
    "16384, 4096, 1",
    "16387, 4096, 1",
    "16388, 4096, 0",
    "16388, 4097, 1",
  })
  void table_withManyTombstones_isMarkedByItsFlush(int entries, int tombstones, int expected) {
    open(defaults().toBuilder().env(Env.inMemory()).writeBufferSize(16 << 20).build());
    db.admin().suspendCompactions();
    writeTable(entries, tombstones);
    assertThat(marked()).isEqualTo(expected);
  }

  @Test
  void tables_fromBeforeTheOpen_areMarkedByTheFirstFlush() {
    open(defaults().toBuilder().env(Env.inMemory()).writeBufferSize(16 << 20).build());
    db.admin().suspendCompactions();
    writeTable(5000, 5000);
    reopen();
    db.admin().suspendCompactions();
    assertThat(marked()).as("an open reads no table for it").isZero();
    put("x", "1");
    db.admin().flush();
    await("the mark", () -> marked() == 1);
    put("x", "2");
    db.admin().flush();
    assertThat(marked()).isEqualTo(1);
  }
}
