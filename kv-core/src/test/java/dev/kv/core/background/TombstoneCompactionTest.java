package dev.kv.core.background;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.kv.Options;
import dev.kv.Snapshot;
import dev.kv.core.db.DbTestBase;
import dev.kv.core.env.FileName;
import dev.kv.core.state.Monitor;
import dev.kv.core.table.format.TableProperties;
import dev.kv.core.version.FileMetadata;
import dev.kv.core.version.Version;
import dev.kv.env.Env;
import dev.kv.options.CompressionType;
import dev.kv.options.LogRetention;
import dev.kv.testing.FaultEnv;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** Tables with many tombstones are compacted without being asked, and space comes back. */
class TombstoneCompactionTest extends DbTestBase {
  private static final int KEYS = 20_000;

  private void fill() {
    fill(defaults().env());
  }

  private void fill(Env env) {
    open(
        defaults().toBuilder()
            .env(env)
            .compression(CompressionType.NONE)
            .writeBufferSize(64 << 20)
            .compaction(c -> c.seekTriggered(false))
            .build());
    for (int i = 0; i < KEYS; i++) {
      put(key(i), "v".repeat(500));
    }
    db.admin().flush();
    compact(null, null);
    assertThat(size(key(0), key(KEYS))).isGreaterThan(KEYS * 500L);
  }

  private void deleteAll() {
    for (int i = 0; i < KEYS; i++) {
      delete(key(i));
    }
    db.admin().flush();
  }

  @Test
  void space_afterManyDeletes_comesBackWithoutACompactRange() {
    fill();
    put("zzz", "stays");
    deleteAll();
    await("the space", () -> size(key(0), key(KEYS)) == 0 && totalFiles() <= 1);
    await("the files", () -> files(FileName.Kind.TABLE).size() <= 1);
    assertThat(contents()).isEqualTo("(zzz->stays)");
    reopen();
    assertThat(contents()).isEqualTo("(zzz->stays)");
  }

  /** What failed is tried again, although no level is too large. */
  @Test
  void space_afterACompactionThatFailedOnce_comesBack() {
    FaultEnv env = new FaultEnv(Env.fileSystem());
    fill(env);
    db.admin().suspendCompactions();
    put("zzz", "stays"); // or there would be no table to write
    deleteAll();
    env.fail(FaultEnv.Fault.ERROR, 1, each -> each.kind() == FaultEnv.Kind.CREATE);
    db.admin().resumeCompactions();
    await("the failure", () -> env.injected() == 1);
    await("the space", () -> size(key(0), key(KEYS)) == 0);
  }

  @Test
  void space_afterADeleteOfARange_comesBackWithoutACompactRange() {
    open(
        defaults().toBuilder()
            .compression(CompressionType.NONE)
            .writeBufferSize(64 << 20)
            .maxFileSize(64 << 20)
            .compaction(c -> c.seekTriggered(false))
            .build());
    for (int i = 0; i < KEYS; i++) {
      put(key(i), "v".repeat(500));
    }
    put("zzz", "stays");
    db.admin().flush();
    assertThat(totalFiles()).isEqualTo(1);
    db.deleteRange(b(key(0)), b(key(KEYS)));
    await("the space", () -> size(key(0), key(KEYS)) == 0);
    assertThat(contents()).isEqualTo("(zzz->stays)");
  }

  @Test
  void memtable_withManyTombstonesInARow_isFlushedAndCompactedWithoutBeingAsked() {
    fill();
    put("zzz", "stays");
    long size = size(key(0), key(KEYS));
    for (int i = 0; i < KEYS; i++) {
      delete(key(i));
    }
    db.admin().waitForCompactions();
    assertThat(size(key(0), key(KEYS))).isEqualTo(size);
    for (int i = KEYS; i < 2 * KEYS; i++) {
      delete(key(i));
    }
    await("the space", () -> size(key(0), key(KEYS)) == 0);
    assertThat(contents()).isEqualTo("(zzz->stays)");
  }

  @Test
  void memtable_withManyTombstonesAtRandom_isNotFlushed() {
    fill();
    long size = size(key(0), key(KEYS));
    List<Integer> order = new ArrayList<>(IntStream.range(0, 2 * KEYS).boxed().toList());
    Collections.shuffle(order, new Random(1));
    order.forEach(i -> delete(key(i)));
    db.admin().waitForCompactions();
    assertThat(size(key(0), key(KEYS))).isEqualTo(size);
  }

  @Test
  void space_ofDeletesBeforeAReopen_comesBackAfterTheNextFlush() {
    fill();
    db.admin().suspendCompactions();
    deleteAll();
    reopen();
    assertThat(size(key(0), key(KEYS))).isGreaterThan(KEYS * 400L);
    put("zzz", "stays");
    db.admin().flush();
    await("the space", () -> size(key(0), key(KEYS)) == 0);
    assertThat(contents()).isEqualTo("(zzz->stays)");
  }

  @Test
  void entries_thatASnapshotSees_stayAndNothingIsCompactedForever() {
    fill();
    try (Snapshot before = db.snapshot()) {
      deleteAll();
      db.admin().waitForCompactions();
      long written = bytesWritten();
      put("zzz", "1");
      db.admin().flush();
      assertThat(get(key(7), before)).hasSize(500);
      assertThat(get(key(7))).isEqualTo(NOT_FOUND);
      db.admin().waitForCompactions();
      assertThat(bytesWritten() - written).isLessThan(1 << 20);
    }
  }

  /** Returns the number of tables that wait for a compaction because of their tombstones. */
  private int marked() {
    Monitor monitor = parts().jobs().monitor();
    monitor.lock();
    try {
      return parts().jobs().running().withTombstones().size();
    } finally {
      monitor.unlock();
    }
  }

  private long bytesWritten() {
    return db.admin().stats().levels().stream()
        .mapToLong(each -> each.compactionBytesWritten())
        .sum();
  }

  @Test
  void fewTombstones_areLeftToOtherCompactions() {
    fill();
    for (int i = 0; i < 1000; i++) {
      delete(key(i));
    }
    db.admin().flush();
    assertThat(marked()).isZero();
    assertThat(size(key(0), key(KEYS))).isGreaterThan(KEYS * 400L);
  }

  @Test
  void compactDeletes_tombstonesOfThatAge_areGoneFromAllTables() {
    fill();
    for (int i = 0; i < 1000; i++) {
      delete(key(i));
    }
    db.admin().compactDeletes(Duration.ofDays(1));
    long before = size(key(0), key(KEYS));
    assertThat(tombstones()).isEqualTo(1000);
    db.admin().compactDeletes(Duration.ofDays(1));
    assertThat(tombstones()).isEqualTo(1000);
    assertThat(size(key(0), key(KEYS))).isEqualTo(before);
    db.admin().compactDeletes(Duration.ZERO);
    assertThat(tombstones()).isZero();
    assertThat(size(key(0), key(KEYS))).isLessThan(before - 1000 * 500L);
    assertThat(get(key(999))).isEqualTo(NOT_FOUND);
    assertThat(get(key(1000))).hasSize(500);
  }

  /** Otherwise, each compaction on the way down would begin the term again. */
  @Test
  void ageOfTombstones_afterACompactionThatKeepsThem_isThatOfTheirFirstTable() throws Exception {
    fill();
    try (Snapshot before = db.snapshot()) {
      delete(key(7));
      db.admin().flush();
      FileMetadata first = tableWithTombstones();
      long written = properties(first).writtenAt();
      Thread.sleep(1100);
      compact(null, null);
      FileMetadata second = tableWithTombstones();
      assertThat(second.number()).isNotEqualTo(first.number());
      assertThat(properties(second).writtenAt()).isEqualTo(written);
      assertThat(get(key(7), before)).hasSize(500);
    }
  }

  @Test
  void ageOfTombstones_afterAnOpenThatMergesSmallTables_isThatOfTheirFirstTable() throws Exception {
    open(defaults());
    db.admin().suspendCompactions();
    try (Snapshot before = db.snapshot()) {
      for (int level = 2; level > 0; level--) { // a table goes as deep as it can
        put("a", "1");
        put("z", "1");
        db.admin().flush();
      }
      delete("a");
      put("z", "2");
      db.admin().flush();
      assertThat(filesAt(0)).isPositive();
      assertThat(get("a", before)).isEqualTo(NOT_FOUND);
    }
    FileMetadata first = tableWithTombstones();
    long written = properties(first).writtenAt();
    Thread.sleep(1100);
    put("b", "3");
    reopen();
    FileMetadata second = tableWithTombstones();
    assertThat(second.number()).isNotEqualTo(first.number());
    assertThat(properties(second).writtenAt()).isEqualTo(written);
  }

  private FileMetadata tableWithTombstones() {
    List<FileMetadata> found =
        parts().versions().withCurrent(Version::files).stream()
            .filter(table -> properties(table).tombstones() > 0)
            .toList();
    assertThat(found).hasSize(1);
    return found.get(0);
  }

  private TableProperties properties(FileMetadata table) {
    TableProperties properties = parts().context().tables().properties(table);
    assertThat(properties).isNotNull();
    return properties;
  }

  @Test
  void compactDeletes_tombstonesOfASnapshot_stayAndTheCallReturns() {
    fill();
    try (Snapshot before = db.snapshot()) {
      delete(key(7));
      db.admin().compactDeletes(Duration.ZERO);
      db.admin().flush();
      db.admin().compactDeletes(Duration.ZERO);
      assertThat(get(key(7), before)).hasSize(500);
    }
    db.admin().compactDeletes(Duration.ZERO);
    assertThat(tombstones()).isZero();
  }

  @Test
  void compactDeletes_deletedEntry_leavesOnlyItsKeyInManifests() throws Exception {
    Options plain = defaults().toBuilder().compression(CompressionType.NONE).build();
    deleteSecret(plain);
    assertThat(filesWith("SECRETVALUE")).isEmpty();
    assertThat(filesWith("SECRETKEY")).allMatch(name -> name.startsWith("MANIFEST-"));
    reopen();
    put("A", "b");
    db.admin().flush();
    db.admin().waitForCompactions(); // until the flushed log is deleted
    assertThat(filesWith("SECRETVALUE")).isEmpty();
    assertThat(filesWith("SECRETKEY")).allMatch(name -> name.startsWith("MANIFEST-"));
  }

  @Test
  void compactDeletes_deletedEntryInKeptLogs_staysInTheLogsUntilTheRetentionEnds()
      throws Exception {
    Options plain = defaults().toBuilder().compression(CompressionType.NONE).build();
    deleteSecret(plain.toBuilder().logRetention(LogRetention.ofBytes(1 << 30)).build());
    assertThat(filesWith("SECRETVALUE")).isNotEmpty().allMatch(name -> name.endsWith(".log"));
    assertThat(filesWith("SECRETKEY"))
        .allMatch(name -> name.endsWith(".log") || name.startsWith("MANIFEST-"));
    reopen(plain); // without retention
    put("A", "c");
    db.admin().flush();
    close(); // waits for the job that deletes the logs
    assertThat(filesWith("SECRETVALUE")).isEmpty();
  }

  /** Deletes an entry that is in a table, at the end of its range, and compacts its tombstone. */
  private void deleteSecret(Options with) {
    open(with);
    put("A", "a");
    put("SECRETKEY", "SECRETVALUE");
    db.admin().flush();
    delete("SECRETKEY");
    put("A", "b");
    db.admin().compactDeletes(Duration.ZERO);
    assertThat(get("SECRETKEY")).isEqualTo(NOT_FOUND);
  }

  private List<String> filesWith(String text) throws IOException {
    List<String> found = new ArrayList<>();
    try (Stream<Path> files = Files.list(directory)) {
      for (Path file : files.sorted().toList()) {
        if (Files.readString(file, ISO_8859_1).contains(text)) {
          found.add(file.getFileName().toString());
        }
      }
    }
    return found;
  }

  @Test
  void compactDeletes_ageBeforeTheFirstInstant_compactsNothing() {
    fill();
    delete(key(7));
    db.admin().flush();
    db.admin().compactDeletes(ChronoUnit.FOREVER.getDuration());
    assertThat(tombstones()).isEqualTo(1);
  }

  @Test
  void compactDeletes_negativeAge_throws() {
    open();
    assertThatThrownBy(() -> db.admin().compactDeletes(Duration.ofSeconds(-1)))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("negative");
  }

  private long tombstones() {
    long sum = 0;
    for (FileMetadata table :
        new OldTombstones(
                parts().versions(),
                parts().context().tables(),
                parts().context().comparator().userComparator())
            .writtenUntil(Instant.MAX)) {
      sum += properties(table).tombstones();
    }
    return sum;
  }
}
