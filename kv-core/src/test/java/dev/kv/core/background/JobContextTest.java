package dev.kv.core.background;

import static org.assertj.core.api.Assertions.assertThat;

import dev.kv.core.compaction.RunningJobs;
import dev.kv.core.db.DbTestBase;
import dev.kv.core.env.FileName;
import dev.kv.core.state.Monitor;
import dev.kv.env.Env;
import dev.kv.env.ForwardingEnv;
import dev.kv.env.RandomAccessFile;
import java.io.IOException;
import java.nio.file.Path;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
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

  @Test
  void tables_fromBeforeTheOpen_areMarkedByTheNextFlushAfterAShortageOfTheHeap() {
    AtomicBoolean isShort = new AtomicBoolean();
    AtomicReference<String> old = new AtomicReference<>("");
    Env env =
        new ForwardingEnv(Env.inMemory()) {
          @Override
          public RandomAccessFile openRandomAccess(Path file, boolean map) throws IOException {
            if (file.endsWith(old.get()) && isShort.getAndSet(false)) {
              throw new OutOfMemoryError("Java heap space");
            }
            return super.openRandomAccess(file, map);
          }
        };
    open(defaults().toBuilder().env(env).writeBufferSize(16 << 20).build());
    db.admin().suspendCompactions();
    writeTable(5000, 5000);
    old.set(files(FileName.Kind.TABLE).get(0));
    reopen();
    db.admin().suspendCompactions();
    isShort.set(true);
    put("x", "1");
    db.admin().flush();
    await("the shortage", () -> !isShort.get());
    put("x", "2");
    db.admin().flush();
    await("the mark", () -> marked() == 1);
  }
}
