package dev.kv.core.recovery;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.kv.DB;
import dev.kv.DBIterator;
import dev.kv.Options;
import dev.kv.ReadOptions;
import dev.kv.WriteBatch;
import dev.kv.WriteOptions;
import dev.kv.admin.RepairReport;
import dev.kv.core.Call;
import dev.kv.core.db.DbTestBase;
import dev.kv.core.db.HookedEnv;
import dev.kv.core.env.FileName;
import dev.kv.env.WritableFile;
import dev.kv.errors.DBReadOnlyException;
import dev.kv.load.BulkLoader;
import dev.kv.table.TableReader;
import dev.kv.table.TableWriter;
import dev.kv.testing.StrictMemEnv;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * What each single sync is for: a moment at which loss of power would take back something that was
 * promised, if that one sync were left out. Sweeps over random moments are elsewhere; these are the
 * shortest ways.
 */
class DurabilityTest extends DbTestBase {
  private static final int SEEDS = 40;

  private final StrictMemEnv disk = new StrictMemEnv();
  private final HookedEnv env = new HookedEnv(disk);
  private final CountDownLatch errors = new CountDownLatch(1);

  private Options.Builder strict() {
    return Options.builder().createIfMissing(true).env(env);
  }

  private void putSync(String key, String value) {
    db.put(WriteOptions.SYNC, b(key), b(value));
  }

  /** Returns what is found under a key after power is lost now. */
  private String found(int percentKept, long seed, String key) {
    try (DB after = afterCrash(percentKept, seed)) {
      return s(after.get(b(key)));
    }
  }

  private DB afterCrash(int percentKept, long seed) {
    StrictMemEnv clone = disk.crashClone(percentKept, seed);
    return DB.open(
        directory, options.toBuilder().createIfMissing(false).reuseLogs(false).env(clone).build());
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void put_sync_survivesLossOfPower(boolean mapped) {
    env.noMappedLogs = !mapped;
    open(strict().build());
    putSync("a", "1");
    assertThat(found(0, 1, "a")).isEqualTo("1");
    putSync("b", "2");
    assertThat(found(0, 1, "b")).isEqualTo("2");
  }

  /** The names of the new directories are synced as well: each is in its parent. */
  @Test
  void put_syncInNewDirectories_survivesLossOfPower() {
    directory = Path.of("/new/and/nested/db");
    open(strict().build());
    putSync("a", "1");
    assertThat(found(0, 1, "a")).isEqualTo("1");
  }

  @Test
  void rangeDelete_ofNoEntries_makesEarlierWritesDurable() {
    open(strict().build());
    put("a", "1");
    db.deleteRange(b("b"), b("c"));
    assertThat(found(0, 1, "a")).isEqualTo("1");
  }

  /** The flush is stuck, so nothing but the logs holds either write, nor syncs what they need. */
  /** The guide's table of what is durable. */
  @Test
  void callsThatSync_afterUnsyncedPuts_makeThemDurable() {
    open(strict().build());
    Map<String, Runnable> calls = new LinkedHashMap<>();
    calls.put("flush", () -> db.admin().flush());
    calls.put("compactRange", () -> db.admin().compactRange(b("x"), b("y")));
    calls.put("deleteRange", () -> db.deleteRange(b("x"), b("y")));
    calls.put("batch", () -> db.write(WriteOptions.SYNC, WriteBatch.create()));
    calls.put("syncAsync", () -> db.syncAsync().toCompletableFuture().join());
    calls.put(
        "load",
        () -> {
          try (BulkLoader loader = db.loads().bulkLoader()) {
            loader.put(b("loaded"), b("1"));
            loader.finish();
          }
        });
    calls.forEach(
        (name, call) -> {
          db.put(b(name), b("1"));
          call.run();
          assertThat(found(0, 1, name)).as(name).isEqualTo("1");
        });
  }

  @Test
  void put_syncInASecondLog_keepsTheFirstAndItsOwnName() throws InterruptedException {
    open(strict().build());
    put("a", "1");
    Call flush = startFlushThatIsStuck();
    try {
      putSync("b", "2");
      assertThat(found(0, 1, "b")).isEqualTo("2");
      assertThat(found(0, 1, "a")).isEqualTo("1");
    } finally {
      end(flush);
    }
  }

  private Call startFlushThatIsStuck() {
    env.tableSyncGate = errors;
    int tables = files(FileName.Kind.TABLE).size();
    Call flush = Call.start(() -> db.admin().flush());
    await("the flush's table", () -> files(FileName.Kind.TABLE).size() > tables);
    return flush;
  }

  private void end(Call flush) throws InterruptedException {
    env.tableSyncGate = null;
    errors.countDown();
    assertThat(flush.outcome()).isNull();
  }

  /**
   * What a flush wrote must be durable with its name when the edit is, and the edit before the log
   * goes.
   */
  @Test
  void flush_afterIt_anyLossOfPowerKeepsWhatWasSynced() {
    open(strict().build());
    putSync("a", "1");
    db.admin().flush();
    putSync("b", "2");
    db.admin().flush();
    for (int seed = 0; seed < SEEDS; seed++) {
      for (int kept : new int[] {0, 50, 100}) {
        try (DB after = afterCrash(kept, seed)) {
          assertThat(s(after.get(b("a")))).as("kept %d, seed %d", kept, seed).isEqualTo("1");
          assertThat(s(after.get(b("b")))).as("kept %d, seed %d", kept, seed).isEqualTo("2");
        }
      }
    }
  }

  @Test
  void open_createdAndReopened_anyLossOfPowerLeavesADatabase() {
    open(strict().build());
    putSync("a", "1");
    reopen();
    putSync("b", "2");
    reopen();
    for (int seed = 0; seed < SEEDS; seed++) {
      for (int kept : new int[] {0, 30, 70}) {
        assertThat(found(kept, seed, "b")).as("kept %d, seed %d", kept, seed).isEqualTo("2");
      }
    }
  }

  /**
   * The log was written without a sync; an empty sync write says that everything before it is
   * durable.
   */
  @Test
  void open_reusingALog_makesDurableWhatItHolds() {
    open(strict().build());
    put("a", "1");
    close();
    open(strict().reuseLogs(true).build());
    db.write(WriteOptions.SYNC, batch());
    assertThat(found(0, 1, "a")).isEqualTo("1");
  }

  @Test
  void repair_damagedTable_staysInLostAfterLossOfPower() throws IOException {
    open(strict().build());
    put("a", "1");
    db.admin().flush();
    close();
    Path table = directory.resolve(files(FileName.Kind.TABLE).get(0));
    try (WritableFile file = env.createWritable(table)) {
      file.append(ByteBuffer.allocateDirect(100));
      file.sync();
    }
    RepairReport report = DB.repair(directory, options);
    assertThat(report.filesLost()).isPositive();
    Path lost = directory.resolve("lost").resolve(table.getFileName());
    assertThat(disk.crashClone(0, 1).exists(lost)).isTrue();
    assertThat(found(0, 1, "a")).isEqualTo(NOT_FOUND);
  }

  @Test
  void tableWriter_finished_survivesLossOfPower() throws IOException {
    Path file = directory.resolve("alone.ldb");
    disk.createDurableDirectory(directory);
    Options with = strict().build();
    try (TableWriter writer = TableWriter.create(file, with)) {
      writer.put(b("a"), b("1"));
      writer.finish();
    }
    Options after = with.toBuilder().env(disk.crashClone(0, 1)).build();
    try (TableReader reader = TableReader.open(file, after);
        DBIterator cursor = reader.iterator(ReadOptions.DEFAULT)) {
      cursor.seekToFirst();
      assertThat(at(cursor)).isEqualTo("a->1");
    }
  }

  /**
   * A table that no version names yet must outlive the deletion of obsolete files, which the decoy
   * shows.
   */
  @Test
  void obsoleteFiles_deletedWhileAFlushWrites_spareItsTable() throws Exception {
    open(strict().build());
    put("a", "1");
    DBIterator old = db.iterator();
    db.admin().flush();
    put("b", "2");
    Call flush = startFlushThatIsStuck();
    try {
      Path decoy = directory.resolve("000001.ldb");
      env.createWritable(decoy).close();
      old.close();
      await("the deletion of the decoy", () -> !files(FileName.Kind.TABLE).contains("000001.ldb"));
      assertThat(files(FileName.Kind.TABLE)).hasSize(2);
    } finally {
      end(flush);
    }
    assertThat(get("a")).isEqualTo("1");
    assertThat(get("b")).isEqualTo("2");
  }

  /** After a failure nobody knows which version the next open finds. */
  @Test
  void obsoleteFiles_afterAFailure_stay() throws IOException {
    open(strict().build());
    put("a", "1");
    DBIterator old = db.iterator();
    db.admin().flush();
    put("b", "2");
    env.manifestSyncFails = true;
    assertThatThrownBy(() -> db.admin().flush()).isInstanceOf(DBReadOnlyException.class);
    env.manifestSyncFails = false;
    Path decoy = directory.resolve("000001.ldb");
    env.createWritable(decoy).close();
    long listed = env.lists.get();
    old.close();
    await("the next look at the directory", () -> env.lists.get() > listed);
    close();
    assertThat(env.exists(decoy)).isTrue();
  }
}
