package dev.kv.core.db;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;

import dev.kv.DB;
import dev.kv.DBIterator;
import dev.kv.Options;
import dev.kv.ReadOptions;
import dev.kv.WriteOptions;
import dev.kv.core.env.FileEnv;
import dev.kv.core.env.FileName;
import dev.kv.core.env.FileNames;
import dev.kv.env.SequentialFile;
import dev.kv.options.LogRetention;
import dev.kv.testing.WindowsEnv;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Random;
import org.junit.jupiter.api.Test;

/**
 * On a system that neither deletes nor renames files that are in use, as Windows, the engine does
 * not try to, and what another program uses is deleted later.
 */
final class FilesInUseTest extends DbTestBase {
  private static final long SEED = 20261124;

  private final WindowsEnv env = new WindowsEnv(new FileEnv());

  private Options.Builder small() {
    return defaults().toBuilder().env(env).writeBufferSize(64 << 10);
  }

  /** Writes enough for several flushes and compactions. */
  private void churn(Random random, int entries) {
    for (int i = 0; i < entries; i++) {
      byte[] value = new byte[200];
      random.nextBytes(value);
      byte[] key = String.format(Locale.ROOT, "%05d", random.nextInt(3000)).getBytes(US_ASCII);
      if (random.nextInt(10) == 0) {
        db.delete(key);
      } else {
        db.put(i % 500 == 0 ? WriteOptions.SYNC : WriteOptions.DEFAULT, key, value);
      }
    }
  }

  private List<Long> logs() throws IOException {
    List<Long> numbers = new ArrayList<>();
    for (String name : env.list(directory)) {
      FileName file = FileNames.parse(name);
      if (file != null && file.kind() == FileName.Kind.LOG) {
        numbers.add(file.number());
      }
    }
    numbers.sort(Comparator.naturalOrder());
    return numbers;
  }

  @Test
  void writes_flushesCompactionsAndReopens_touchNoFileInUse() throws IOException {
    Random random = new Random(SEED);
    open(small().build());
    for (int round = 0; round < 4; round++) {
      churn(random, 3000);
      try (DBIterator frozen = db.iterator(ReadOptions.DEFAULT)) {
        frozen.seekToFirst();
        churn(random, 3000);
        db.admin().compactRange(null, null);
        while (frozen.isValid()) {
          frozen.next();
        }
      }
      db.admin().compactRange(null, null);
      assertThat(db.admin().property("kv.undeleted-files")).isEqualTo("0");
      reopen();
    }
    close();
    DB.repair(directory, options);
    open();
    db.admin().checkpoint(temp.resolve("copy"));
    close();
    DB.destroy(directory, options);
    assertThat(env.refused()).as("seed " + SEED).isEmpty();
  }

  /** Repair deletes whole tables and moves damaged ones, which it has read before. */
  @Test
  void repair_damagedTables_areClosedBeforeTheyAreMoved() throws IOException {
    open(small().build());
    churn(new Random(SEED), 6000);
    db.admin().compactRange(null, null);
    churn(new Random(SEED), 1000);
    close();
    Path damaged = null;
    for (String name : env.list(directory)) {
      if (name.endsWith(".ldb")) {
        damaged = directory.resolve(name);
      }
    }
    byte[] bytes = Files.readAllBytes(damaged);
    bytes[bytes.length / 3] ^= 1;
    Files.write(damaged, bytes);
    assertThat(DB.repair(directory, options).tablesRewritten()).isEqualTo(1);
    open();
    assertThat(Files.exists(directory.resolve("lost").resolve(damaged.getFileName()))).isTrue();
    assertThat(env.refused()).as("seed " + SEED).isEmpty();
  }

  @Test
  void keptLogs_droppedByTheBound_areNotInUse() throws IOException {
    open(small().logRetention(LogRetention.ofBytes(256 << 10)).build());
    churn(new Random(SEED), 10_000);
    db.admin().compactRange(null, null);
    close();
    assertThat(env.refused()).as("seed " + SEED).isEmpty();
  }

  @Test
  void log_anotherProgramReadsIt_isDeletedLaterAndBeforeNewerLogs() throws IOException {
    open(small().build());
    churn(new Random(SEED), 10);
    long read = logs().get(0);
    try (SequentialFile reader = env.openSequential(FileNames.log(directory, read))) {
      churn(new Random(SEED), 2000);
      db.admin().compactRange(null, null);
      assertThat(reader).isNotNull();
      assertThat(logs()).contains(read).hasSizeGreaterThan(2);
      assertThat(db.admin().property("kv.undeleted-files")).isEqualTo("1");
      assertThat(env.refused())
          .containsOnly("delete " + FileNames.log(directory, read).getFileName());
    }
    churn(new Random(SEED), 2000);
    db.admin().compactRange(null, null);
    assertThat(logs()).doesNotContain(read).hasSizeLessThanOrEqualTo(2);
    assertThat(db.admin().property("kv.undeleted-files")).isEqualTo("0");
  }
}
