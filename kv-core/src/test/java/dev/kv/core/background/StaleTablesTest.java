package dev.kv.core.background;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.kv.FilterPolicy;
import dev.kv.Options;
import dev.kv.Snapshot;
import dev.kv.core.Call;
import dev.kv.core.db.DbTestBase;
import dev.kv.core.db.HookedEnv;
import dev.kv.core.env.FileName;
import dev.kv.core.version.FileMetadata;
import dev.kv.core.version.Levels;
import dev.kv.core.version.Version;
import dev.kv.errors.CorruptionException;
import dev.kv.options.CompactionFilter;
import dev.kv.options.CompressionType;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Which tables {@code compactRange} rewrites, and which ones it leaves as they are. */
class StaleTablesTest extends DbTestBase {
  private static final int KEYS = 4000;
  private static final int PER_TABLE = 1000;

  /** Tables of about 1 MB, which is the maximum size of a file. */
  private static Options.Builder settings() {
    return defaults().toBuilder()
        .compression(CompressionType.NONE)
        .maxFileSize(1 << 20)
        .writeBufferSize(8 << 20);
  }

  private void fill() {
    for (int i = 0; i < KEYS; i++) {
      put(key(i), value(i));
      if (i % PER_TABLE == PER_TABLE - 1) {
        db.admin().flush();
      }
    }
    assertThat(tables()).hasSize(KEYS / PER_TABLE);
  }

  private static String value(int i) {
    return (i + "v").repeat(1000).substring(0, 1000);
  }

  /** Returns the numbers of all tables, in the order of their keys. */
  private List<Long> tables() {
    List<Long> numbers = new ArrayList<>();
    Version version = parts().versions().current();
    for (int level = 0; level < Levels.COUNT; level++) {
      version.files(level).stream().map(FileMetadata::number).forEach(numbers::add);
    }
    return numbers;
  }

  private void assertAllIsThere() {
    for (int i = 0; i < KEYS; i++) {
      assertThat(get(key(i))).isEqualTo(value(i));
    }
  }

  /** It began with a snapshot that is closed now, and keeps what the snapshot saw. */
  @Test
  void compactRange_besideACompactionThatBeganEarlier_dropsWhatThatOneKeeps() throws Exception {
    HookedEnv env = new HookedEnv(defaults().env());
    open(defaults().toBuilder().env(env).build());
    put("a", "1");
    put("z", "1");
    db.admin().flush();
    put("k", "1");
    Snapshot before = db.snapshot();
    delete("k");
    put("a", "2");
    put("z", "2");
    db.admin().flush();
    CountDownLatch gate = new CountDownLatch(1);
    env.tableSyncGate = gate;
    Call first = Call.start(() -> compact(null, null));
    await("the compaction", () -> parts().jobs().running().compactions() == 1);
    before.close();
    Call second = Call.start(() -> compact(null, null));
    second.awaitParked();
    gate.countDown();
    assertThat(first.outcome()).isNull();
    assertThat(second.outcome()).isNull();
    assertThat(allEntriesFor("k")).isEqualTo("[ ]");
  }

  @Test
  void compactRange_nothingToDrop_leavesTheTables() {
    open(settings().build());
    fill();
    List<Long> before = tables();
    compact(null, null);
    assertThat(tables()).isEqualTo(before);
    compact(key(10), key(3 * PER_TABLE));
    assertThat(tables()).isEqualTo(before);
    assertAllIsThere();
  }

  @Test
  void compactRange_twice_writesNothingTheSecondTime() {
    open(settings().build());
    fill();
    for (int i = 0; i < KEYS; i += 2) {
      put(key(i), value(i));
    }
    compact(null, null);
    List<Long> before = tables();
    compact(null, null);
    assertThat(tables().subList(0, before.size() - 1))
        .isEqualTo(before.subList(0, before.size() - 1));
    assertAllIsThere();
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void compactRange_tableThatKeptOldEntriesForASnapshot_isRewrittenAlone(boolean delete) {
    open(settings().build());
    fill();
    int changed = PER_TABLE + 10;
    try (Snapshot snapshot = db.snapshot()) {
      if (delete) {
        delete(key(changed));
      } else {
        put(key(changed), "new");
      }
      compact(null, null);
      assertThat(get(key(changed), snapshot)).isEqualTo(value(changed));
    }
    List<Long> before = tables();
    compact(null, null);
    assertThat(allEntriesFor(key(changed))).isEqualTo(delete ? "[ ]" : "[ new ]");
    Set<Long> left = new TreeSet<>(before);
    left.retainAll(tables());
    assertThat(left).as("the others stay").hasSize(before.size() - 1);
  }

  @Test
  void compactRange_keyOverwrittenInOneMemtable_isRewritten() {
    open(settings().build());
    for (int i = 0; i < PER_TABLE; i++) {
      put(key(i), "old");
      put(key(i), value(i));
    }
    db.admin().flush();
    assertThat(allEntriesFor(key(7))).isEqualTo("[ " + value(7) + ", old ]");
    compact(null, null);
    assertThat(allEntriesFor(key(7))).isEqualTo("[ " + value(7) + " ]");
  }

  @Test
  void compactRange_smallTables_areMerged() {
    open(settings().build());
    for (int i = 0; i < 400; i++) {
      put(key(i), value(i));
      if (i % 100 == 99) {
        db.admin().flush();
      }
    }
    assertThat(tables()).hasSize(4);
    compact(null, null);
    assertThat(tables()).hasSize(1);
  }

  @Test
  void compactRange_withAFilter_showsItAllEntries() {
    CompactionFilter filter =
        (level, key, value) ->
            key.byteAt(key.length() - 1) == '7'
                ? CompactionFilter.Decision.DROP
                : CompactionFilter.Decision.KEEP;
    open(settings().build());
    fill();
    reopen(settings().compaction(c -> c.filter(filter)).build());
    compact(null, null);
    for (int i = 0; i < KEYS; i++) {
      assertThat(get(key(i))).isEqualTo(i % 10 == 7 ? NOT_FOUND : value(i));
    }
  }

  @Test
  void compactRange_withAnotherCompression_rewritesAll() {
    open(settings().build());
    fill();
    List<Long> before = tables();
    reopen(settings().compression(CompressionType.SNAPPY).build());
    compact(null, null);
    assertThat(tables()).doesNotContainAnyElementsOf(before);
    assertThat(size("", "z")).isLessThan(KEYS * 500L);
    assertAllIsThere();
  }

  @Test
  void compactRange_withANewFilterPolicy_rewritesAllOnce() {
    open(settings().build());
    fill();
    List<Long> before = tables();
    reopen(settings().filterPolicy(FilterPolicy.bloom(10)).build());
    compact(null, null);
    List<Long> rewritten = tables();
    assertThat(rewritten).doesNotContainAnyElementsOf(before);
    compact(key(0), key(PER_TABLE));
    assertThat(tables()).containsAll(rewritten.subList(0, 2));
    reopen(settings().build());
    compact(key(0), key(PER_TABLE));
    assertThat(tables()).as("a filter too many").containsAll(rewritten.subList(0, 2));
  }

  @Test
  void compactRange_damagedTable_isNotLeft() throws IOException {
    open(settings().build());
    fill();
    close();
    Path damaged = directory.resolve(files(FileName.Kind.TABLE).get(1));
    byte[] bytes = Files.readAllBytes(damaged);
    Arrays.fill(bytes, bytes.length - 40, bytes.length, (byte) 0);
    Files.write(damaged, bytes);
    open(settings().build());
    assertThatThrownBy(() -> compact(null, null)).isInstanceOf(CorruptionException.class);
  }
}
