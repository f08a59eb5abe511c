package dev.kv.core.peer;

import static dev.kv.core.Bytes.bytes;
import static dev.kv.core.Bytes.direct;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.kv.DB;
import dev.kv.DBIterator;
import dev.kv.DBReader;
import dev.kv.Options;
import dev.kv.ReadOnlyDB;
import dev.kv.ReadOptions;
import dev.kv.bytes.DBComparator;
import dev.kv.core.LoadsLeveldbjni;
import dev.kv.core.key.InternalKey;
import dev.kv.core.key.InternalKeyComparator;
import dev.kv.core.key.ValueKind;
import dev.kv.core.memory.OffHeapBudget;
import dev.kv.core.table.format.BuildBuffers;
import dev.kv.core.table.format.TableBuilder;
import dev.kv.core.table.format.TableFormat;
import dev.kv.env.Env;
import dev.kv.env.WritableFile;
import dev.kv.options.CompressionType;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import org.fusesource.leveldbjni.JniDBFactory;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Tests databases that the repair of C++ LevelDB has made. All of their tables are in level 0 and
 * keep their numbers. A compaction that began before a flush may have the lower number and the
 * newer entries.
 */
@LoadsLeveldbjni
class RepairByCppTest {
  private static final InternalKeyComparator ORDER =
      new InternalKeyComparator(DBComparator.bytewise());
  private static final Map<String, String> NEWEST =
      Map.of("a", "a of 20", "m", "m of 100", "z", "z of 21");

  @TempDir Path temp;
  private Path directory;

  /** The first and last keys of the two tables are in the order of their numbers; m is not. */
  @BeforeEach
  void repairByCpp() throws IOException {
    directory = Files.createDirectory(temp.resolve("db"));
    writeTable(5, "a@10", "m@100", "z@11");
    writeTable(7, "a@20", "m@50", "z@21");
    JniDBFactory.factory.repair(directory.toFile(), new org.iq80.leveldb.Options());
  }

  @Test
  void get_afterTheRepair_agreesWithAScan() {
    try (ReadOnlyDB db = DB.openReadOnly(directory, Options.DEFAULT)) {
      expectNewest(db);
    }
    try (DB db = DB.open(directory, Options.DEFAULT)) {
      expectNewest(db);
    }
  }

  /** The MANIFEST is then one of C++ LevelDB, and no longer that of the repair. */
  @Test
  void get_afterCppOpenedIt_agreesWithAScan() throws IOException {
    JniDBFactory.factory
        .open(directory.toFile(), new org.iq80.leveldb.Options().createIfMissing(false))
        .close();
    try (DB db = DB.open(directory, Options.DEFAULT)) {
      expectNewest(db);
    }
  }

  /** The MANIFEST is then one that kv began. */
  @Test
  void get_afterWritesFlushesAndReopens_agreesWithAScan() {
    for (int round = 0; round < 3; round++) {
      try (DB db = DB.open(directory, Options.DEFAULT)) {
        expectNewest(db);
        db.put(bytes("b"), bytes("b of " + round));
      }
    }
    try (DB db = DB.open(directory, Options.DEFAULT)) {
      expectNewest(db);
      db.admin().compactRange(null, null);
      expectNewest(db);
    }
  }

  private static void expectNewest(DBReader db) {
    Map<String, String> found = new LinkedHashMap<>();
    try (DBIterator entries = db.iterator(ReadOptions.DEFAULT)) {
      for (entries.seekToFirst(); entries.isValid(); entries.next()) {
        found.put(new String(entries.key(), UTF_8), new String(entries.value(), UTF_8));
      }
    }
    assertThat(found).containsAllEntriesOf(NEWEST);
    found.forEach((key, value) -> assertThat(db.get(bytes(key))).asString().isEqualTo(value));
  }

  private void writeTable(long number, String... entries) throws IOException {
    Options options = Options.builder().compression(CompressionType.NONE).build();
    OffHeapBudget budget = new OffHeapBudget(0);
    TableFormat format = TableFormat.of(options);
    Path table = directory.resolve(String.format(Locale.ROOT, "%06d.sst", number));
    try (WritableFile file = Env.fileSystem().createWritable(table);
        BuildBuffers buffers = new BuildBuffers(format, budget)) {
      TableBuilder builder = new TableBuilder(format, ORDER, file, buffers);
      for (String entry : entries) {
        String[] parts = entry.split("@");
        ByteBuffer key =
            direct(InternalKey.encode(bytes(parts[0]), Long.parseLong(parts[1]), ValueKind.VALUE));
        ByteBuffer value = direct(bytes(parts[0] + " of " + parts[1]));
        builder.add(key, 0, key.capacity(), value, 0, value.capacity());
      }
      builder.finish();
    }
  }
}
