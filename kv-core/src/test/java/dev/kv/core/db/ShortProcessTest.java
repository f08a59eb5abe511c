package dev.kv.core.db;

import static org.assertj.core.api.Assertions.assertThat;

import dev.kv.core.env.FileName;
import dev.kv.env.Env;
import dev.kv.env.ForwardingEnv;
import dev.kv.env.ForwardingWritableFile;
import dev.kv.env.WritableFile;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Random;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Programs that open a database, write a little, and close it again. */
class ShortProcessTest extends DbTestBase {
  /** Counts the bytes that are written to tables. */
  private static final class Counting extends ForwardingEnv {
    private long tableBytes;

    Counting() {
      super(Env.fileSystem());
    }

    @Override
    public WritableFile createWritable(Path file) throws IOException {
      return new ForwardingWritableFile(super.createWritable(file)) {
        @Override
        public void append(ByteBuffer bytes) throws IOException {
          tableBytes += file.toString().endsWith(".ldb") ? bytes.remaining() : 0;
          super.append(bytes);
        }
      };
    }
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void thirtyOpensThatPutOneEntry_leaveAtMostTwoTables(boolean reuseLogs) {
    options = options.toBuilder().reuseLogs(reuseLogs).build();
    StringBuilder expected = new StringBuilder();
    for (int i = 0; i < 30; i++) {
      open();
      assertThat(totalFiles()).as("tables found by open %d", i).isLessThanOrEqualTo(2);
      put(key(i), "value" + i);
      expected.append("(").append(key(i)).append("->value").append(i).append(")");
      close();
    }
    open();
    assertThat(totalFiles()).isLessThanOrEqualTo(2);
    assertThat(contents()).isEqualTo(expected.toString());
    assertThat(files(FileName.Kind.TABLE).size()).isLessThanOrEqualTo(2);
  }

  @Test
  void manyOpensThatWriteMore_leaveFewTablesAndWriteLittleAgain() {
    Counting env = new Counting();
    options = options.toBuilder().env(env).build();
    Random random = new Random(3);
    TreeMap<String, String> model = new TreeMap<>();
    long bytes = 0;
    for (int i = 0; i < 200; i++) {
      open();
      long before = env.tableBytes;
      String key = key(random.nextInt(1000));
      String value = randomValue(random, 1 + random.nextInt(10_000));
      put(key, value);
      model.put(key, value);
      bytes += value.length();
      close();
      assertThat(env.tableBytes - before).isLessThan(2 << 20);
    }
    open();
    // 1 MB of values in tables of up to 1 MiB, and a few smaller ones.
    assertThat(totalFiles()).isLessThanOrEqualTo(6);
    assertThat(env.tableBytes).as("bytes written for %d", bytes).isLessThan(8 * bytes);
    model.forEach((key, value) -> assertThat(get(key)).isEqualTo(value));
  }

  @Test
  void openThatMergesSmallTables_keepsDeletionsAndOverwrittenValues() {
    open();
    for (int i = 0; i < 10; i++) {
      put(key(i), "old" + i);
    }
    compact(null, null); // to the bottom, where the tombstones must hide them
    reopen();
    for (int i = 0; i < 10; i += 2) {
      delete(key(i));
      reopen();
      put(key(i + 1), "new");
      reopen();
    }
    assertThat(filesAt(0)).isLessThanOrEqualTo(2);
    for (int i = 0; i < 10; i += 2) {
      assertThat(get(key(i))).isEqualTo(NOT_FOUND);
      assertThat(get(key(i + 1))).isEqualTo("new");
    }
    compact(null, null);
    for (int i = 0; i < 10; i += 2) {
      assertThat(get(key(i))).isEqualTo(NOT_FOUND);
    }
  }

  @Test
  void largeTablesOfLevelZero_areLeftToCompactions() {
    options = options.toBuilder().compression(dev.kv.options.CompressionType.NONE).build();
    open();
    db.admin().suspendCompactions();
    Random random = new Random(1);
    for (int table = 0; table < 3; table++) {
      for (int i = 0; i < 100; i++) {
        put(key(i), randomValue(random, 10_000));
      }
      db.admin().flush();
    }
    put("small", "value");
    reopen();
    assertThat(filesPerLevel()).startsWith("2"); // the first two went deeper, or stay as they were
    assertThat(get("small")).isEqualTo("value");
  }

  @Test
  void damagedSmallTable_doesNotFailTheOpen() throws IOException {
    open();
    put("a", "1");
    reopen();
    put("b", "2");
    close();
    Path table = directory.resolve(files(FileName.Kind.TABLE).get(0));
    byte[] bytes = Files.readAllBytes(table);
    bytes[3] ^= 1;
    Files.write(table, bytes);
    open();
    assertThat(get("b")).isEqualTo("2");
    assertThat(filesAt(0)).isEqualTo(2);
  }
}
