package dev.kv.core.change;

import static org.assertj.core.api.Assertions.assertThat;

import dev.kv.DB;
import dev.kv.Options;
import dev.kv.Snapshot;
import dev.kv.core.db.DbTestBase;
import dev.kv.options.LogRetention;
import dev.kv.testing.StrictMemEnv;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;

/** Range deletes of a database that retains its logs. */
class LoggedRangeDeleteTest extends DbTestBase {
  private static final Path POWER = Path.of("/power/db");

  private static Options retaining() {
    return defaults().toBuilder().logRetention(LogRetention.ofBytes(1 << 20)).build();
  }

  private long sequence() {
    try (Snapshot snapshot = db.snapshot()) {
      return snapshot.sequence();
    }
  }

  @Test
  void delete_ofARange_writesATombstoneForEachOfItsKeys() {
    open(retaining());
    for (String key : new String[] {"a", "b", "c", "d", "e"}) {
      put(key, "1");
    }
    db.admin().flush();
    put("c", "2");
    delete("d");
    long before = sequence();
    try (Snapshot snapshot = db.snapshot()) {
      db.deleteRange(b("b"), b("e"));
      assertThat(contents()).isEqualTo("(a->1)(e->1)");
      assertThat(sequence() - before).as("tombstones of b and c").isEqualTo(2);
      assertThat(get("c", snapshot)).isEqualTo("2");
    }
    reopen();
    assertThat(contents()).isEqualTo("(a->1)(e->1)");
    db.deleteRange(null, null);
    assertThat(contents()).isEmpty();
  }

  /** As a loop of deletes does: nobody has to pass so many tombstones. */
  @Test
  void delete_ofManyKeys_isFlushedWithoutAnotherWrite() {
    open(
        defaults().toBuilder()
            .logRetention(LogRetention.ofBytes(64 << 20))
            .writeBufferSize(64 << 20)
            .build());
    for (int i = 0; i < 40_000; i++) {
      put(key(i), "value");
    }
    put("zzz", "stays");
    db.admin().flush();
    compact(null, null);
    db.deleteRange(b(key(0)), b(key(40_000)));
    await("the space", () -> size(key(0), key(40_000)) == 0);
    assertThat(contents()).isEqualTo("(zzz->stays)");
  }

  @Test
  void delete_thatHasReturned_isDurableWithTheWritesBeforeIt() {
    StrictMemEnv disk = new StrictMemEnv();
    options = retaining().toBuilder().env(disk).build();
    db = openOther(POWER, options);
    put("a", "1");
    put("b", "1");
    db.deleteRange(b("b"), b("c"));
    Options found = options.toBuilder().env(disk.crashClone(0, 1)).build();
    try (DB after = DB.open(POWER, found)) {
      assertThat(s(after.get(b("a")))).isEqualTo("1");
      assertThat(s(after.get(b("b")))).isEqualTo(NOT_FOUND);
    }
  }
}
