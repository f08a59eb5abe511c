package dev.kv.core.db;

import static org.assertj.core.api.Assertions.assertThat;

import dev.kv.DBIterator;
import dev.kv.Options;
import dev.kv.ReadOptions;
import dev.kv.Snapshot;
import dev.kv.core.key.KeyRange;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** Defects that LevelDB or its ports once had, by what they did. */
class RegressionTest extends DbTestBase {

  /** Manual compaction once brought deleted keys back, where ranges met. */
  @Test
  void compactRange_deletedKeysNextToKeptOnes_staysAway() {
    open(Options.builder().createIfMissing(true).writeBufferSize(64 << 10).build());
    int count = 20_000;
    var batch = batch();
    for (int i = 0; i < count; i++) {
      batch.put(b("my_key_" + i + "_x"), b("value for range 1 key"));
    }
    db.write(batch);
    batch.clear();
    for (int i = 0; i < count; i++) {
      batch.put(b("my_key_" + i + "_y"), b("value for range 2 key"));
    }
    db.write(batch);
    batch.clear();
    for (int i = 0; i < count; i++) {
      batch.delete(b("my_key_" + i + "_y"));
    }
    db.write(batch);
    compact("my_key_0_x", "my_key_" + (count - 1) + "_x");
    int found = 0;
    try (DBIterator cursor = db.iterator()) {
      for (cursor.seekToFirst(); cursor.isValid(); cursor.next()) {
        found++;
      }
    }
    assertThat(found).isEqualTo(count);
  }

  /** A cursor that turned round at a deleted key once skipped an entry. */
  @Test
  void iterator_turnsRoundBeforeANewerTable_showsEveryEntry() {
    open();
    put("1", "b");
    put("2", "c");
    put("3", "d");
    put("4", "e");
    put("5", "f");
    try (DBIterator cursor = db.iterator()) {
      put("25", "cd");
      cursor.seek(b("5"));
      assertThat(s(cursor.key())).isEqualTo("5");
      cursor.prev();
      assertThat(s(cursor.key())).isEqualTo("4");
      cursor.prev();
      assertThat(s(cursor.key())).isEqualTo("3");
      cursor.next();
      assertThat(s(cursor.key())).isEqualTo("4");
      cursor.next();
      assertThat(s(cursor.key())).isEqualTo("5");
    }
  }

  /**
   * Snapshots and compactions once disagreed on which version of a key is the newest within two
   * tables.
   */
  @Test
  void snapshots_manyOverwritesAndDeletes_keepTheirViews() {
    open(defaults().toBuilder().writeBufferSize(64 << 10).maxFileSize(1 << 20).build());
    int seed = 320;
    Random random = new Random(seed);
    int keys = 400;
    String[] values = new String[keys];
    List<Snapshot> snapshots = new ArrayList<>();
    List<String[]> views = new ArrayList<>();
    for (int i = 0; i < 12_000; i++) {
      int key = random.nextInt(keys);
      var batch = batch();
      if (values[key] == null || random.nextInt(3) > 0) {
        values[key] = randomValue(random, 50 + random.nextInt(100));
        batch.put(b(key(key)), b(values[key]));
      } else {
        values[key] = null;
        batch.delete(b(key(key)));
      }
      db.write(batch);
      if (i % 40 == 0) {
        if (snapshots.size() == 10) {
          int oldest = random.nextInt(10);
          snapshots.remove(oldest).close();
          views.remove(oldest);
        }
        snapshots.add(db.snapshot());
        views.add(values.clone());
      }
      if (i % 2000 == 0) {
        for (int each = 0; each < snapshots.size(); each++) {
          check(snapshots.get(each), views.get(each), seed);
        }
      }
    }
    snapshots.forEach(Snapshot::close);
  }

  private void check(Snapshot snapshot, String[] view, int seed) {
    try (DBIterator cursor = db.iterator(ReadOptions.at(snapshot))) {
      cursor.seekToFirst();
      for (int key = 0; key < view.length; key++) {
        String expected = view[key];
        assertThat(get(key(key), snapshot))
            .as("seed " + seed)
            .isEqualTo(expected == null ? NOT_FOUND : expected);
        if (expected != null) {
          assertThat(at(cursor)).as("seed " + seed).isEqualTo(key(key) + "->" + expected);
          cursor.next();
        }
      }
      assertThat(cursor.isValid()).isFalse();
    }
  }

  /** A flush that a reader watched was once seen twice. */
  @Test
  void flush_emptyMemtable_makesNoTable() {
    open();
    db.admin().flush();
    assertThat(totalFiles()).isZero();
    put("a", "b");
    db.admin().flush();
    db.admin().flush();
    assertThat(totalFiles()).isEqualTo(1);
  }

  /** A user key whose versions fill more than a table must not be cut in two. */
  @Test
  void compact_manyVersionsOfOneKey_stayInOneTable() {
    open(defaults().toBuilder().writeBufferSize(4 << 20).maxFileSize(1 << 20).build());
    List<Snapshot> snapshots = new ArrayList<>();
    Random random = new Random(5);
    for (int i = 0; i < 40; i++) {
      put("hot", randomValue(random, 60_000));
      snapshots.add(db.snapshot());
      put("a" + i, "v");
      put("z" + i, "v");
    }
    compact(null, null);
    int holders = 0;
    for (int level = 0; level < 7; level++) {
      KeyRange hot = new KeyRange(b("hot"), b("hot"));
      holders += parts().versions().current().overlapping(level, hot).size();
    }
    assertThat(holders).isEqualTo(1);
    snapshots.forEach(Snapshot::close);
  }
}
