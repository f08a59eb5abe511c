package dev.kv.core.table.format;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;

import dev.kv.DB;
import dev.kv.core.db.DbTestBase;
import dev.kv.core.version.FileMetadata;
import dev.kv.core.version.Levels;
import dev.kv.core.version.Version;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Every table that the engine writes has properties, and what is estimated from them. */
class PropertiesOfTablesTest extends DbTestBase {
  private List<TableProperties> all() {
    List<TableProperties> all = new ArrayList<>();
    Version version = parts().versions().current();
    for (int level = 0; level < Levels.COUNT; level++) {
      for (FileMetadata file : version.files(level)) {
        all.add(requireNonNull(parts().context().tables().properties(file), file::toString));
      }
    }
    return all;
  }

  private long estimate() {
    return Long.parseLong(requireNonNull(db.admin().property("kv.estimate-num-keys")));
  }

  @Test
  void table_ofAFlush_hasThem() {
    open();
    put("a", "1");
    put("b", "2");
    delete("a");
    long before = System.currentTimeMillis() / 1000;
    db.admin().flush();
    assertThat(all()).hasSize(1);
    TableProperties found = all().get(0);
    assertThat(found.writtenAt()).isBetween(before, System.currentTimeMillis() / 1000);
    assertThat(found)
        .isEqualTo(
            new TableProperties(1, 3, 3, 1, found.writtenAt(), "leveldb.BytewiseComparator", 2, 1));
  }

  @Test
  void tables_ofRecoveryCompactionAndRepair_haveThem() {
    open();
    for (int i = 0; i < 1000; i++) {
      put(key(i), "v".repeat(500));
      delete(key(2 * i));
    }
    reopen(); // a table of the recovery
    assertThat(all()).hasSize(1);
    assertThat(all().get(0).entries()).isEqualTo(2000);
    assertThat(all().get(0).tombstones()).isEqualTo(1000);
    compact(null, null);
    assertThat(all()).isNotEmpty().allSatisfy(each -> assertThat(each.tombstones()).isZero());
    long left = all().stream().mapToLong(TableProperties::entries).sum();
    close();
    DB.repair(directory, options);
    open();
    assertThat(all()).isNotEmpty();
    assertThat(all().stream().mapToLong(TableProperties::entries).sum()).isEqualTo(left);
  }

  @Test
  void estimate_ofKeys_countsTablesAndMemtableWithoutDeletedOnes() {
    open();
    assertThat(estimate()).isZero();
    for (int i = 0; i < 1000; i++) {
      put(key(i), "v");
    }
    assertThat(estimate()).isEqualTo(1000);
    db.admin().flush();
    assertThat(estimate()).isEqualTo(1000);
    for (int i = 0; i < 100; i++) {
      delete(key(i));
    }
    db.admin().flush();
    assertThat(estimate()).isEqualTo(900);
    compact(null, null);
    assertThat(estimate()).isEqualTo(900);
    reopen();
    assertThat(estimate()).isEqualTo(900);
  }

  @Test
  void estimate_moreTablesThanTheSample_isNear() {
    open(defaults().toBuilder().maxFileSize(1 << 20).writeBufferSize(64 << 10).build());
    db.admin().suspendCompactions();
    for (int i = 0; i < 300; i++) {
      for (int j = 0; j < 10; j++) {
        put(key(10 * i + j), "v".repeat(1 + i % 7));
      }
      db.admin().flush();
    }
    assertThat(totalFiles()).isEqualTo(300);
    assertThat(estimate()).isBetween(2700L, 3300L);
    db.admin().resumeCompactions();
  }
}
