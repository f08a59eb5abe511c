package dev.kv.core.peer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.kv.DB;
import dev.kv.FilterPolicy;
import dev.kv.Options;
import dev.kv.ReadOnlyDB;
import dev.kv.ReadOptions;
import dev.kv.Transaction;
import dev.kv.TransactionOptions;
import dev.kv.core.Directories;
import dev.kv.errors.ConflictException;
import dev.kv.errors.DBException;
import dev.kv.load.BulkLoader;
import dev.kv.options.CompactionFilter;
import dev.kv.options.CompactionFilter.Decision;
import dev.kv.options.RecoveryMode;
import dev.kv.options.TableSuffix;
import dev.kv.table.TableWriter;
import java.io.File;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.Iterator;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Compares kv with a current C++ LevelDB. Skipped if {@link Plyvel} is not available. */
@Tag("one-jdk")
class PlyvelPeerTest {
  private static final long SEED = 11;
  private static final int OPERATIONS = 6000;
  private static final long DAMAGE_SEED = Long.getLong("kv.peer.seed", 17);
  private static final int DAMAGES = Boolean.getBoolean("kv.long") ? 1000 : 24;

  @TempDir Path temp;

  @BeforeAll
  static void findPlyvel() throws InterruptedException {
    assumeTrue(Plyvel.isAvailable(), "Python has no plyvel");
  }

  @ParameterizedTest
  @EnumSource(KvSide.Configuration.class)
  void directoryOfKv_readAndWrittenByCpp_isTheSame(KvSide.Configuration configuration)
      throws Exception {
    Path directory = temp.resolve("db");
    TreeMap<byte[], byte[]> model = Workload.emptyModel();
    for (long round = 0; round < 2; round++) {
      Workload mine = Workload.of(SEED + round, OPERATIONS);
      KvSide.write(directory, configuration.options(), mine, round == 1);
      mine.applyTo(model);
      KvSide.expectEntries("C++ LevelDB", read(directory), model);
      Workload theirs = Workload.of(SEED + 100 + round, OPERATIONS / 4);
      write(directory, theirs);
      theirs.applyTo(model);
      KvSide.expect(directory, configuration.options(), model);
    }
  }

  /** C++ LevelDB reads tables with properties, and the tables that it makes of them have none. */
  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void tablesWithProperties_compactedByCpp_loseNothingElse(boolean bloom) throws Exception {
    Path directory = temp.resolve("db");
    Options options = KvSide.Configuration.SMALL.options();
    if (bloom) {
      options = options.toBuilder().filterPolicy(FilterPolicy.bloom(10)).build();
    }
    TreeMap<byte[], byte[]> model = Workload.emptyModel();
    Workload mine = Workload.of(SEED, OPERATIONS);
    KvSide.write(directory, options, mine, false);
    mine.applyTo(model);
    List<Path> ofKv = tablesWithProperties(directory);
    assertThat(ofKv).hasSizeGreaterThan(1);
    KvSide.expectEntries("C++ LevelDB", read(directory, bloom ? "bloom" : ""), model);
    Workload theirs = Workload.of(SEED + 1, OPERATIONS);
    write(directory, theirs, "compact", bloom ? "bloom" : "");
    theirs.applyTo(model);
    assertThat(tablesWithProperties(directory)).hasSizeLessThan(ofKv.size());
    KvSide.expectEntries("C++ LevelDB", read(directory, bloom ? "bloom" : ""), model);
    KvSide.expect(directory, options, model);
  }

  /** Loads and ingests into an empty database, beside entries, over them, and during writes. */
  @Test
  void loadsOfKv_readAndCompactedByCpp_areTheSame() throws Exception {
    Path directory = temp.resolve("db");
    Options options = KvSide.Configuration.SMALL.options();
    TreeMap<byte[], byte[]> model = Workload.emptyModel();
    Random random = new Random(SEED);
    for (int round = 0; round < 6; round++) {
      TreeMap<byte[], byte[]> loaded = Workload.emptyModel();
      Workload.of(SEED + round, 1500).applyTo(loaded);
      try (DB db = DB.open(directory, options)) {
        if (round % 3 == 2) {
          Path table = temp.resolve("table" + round);
          try (TableWriter writer = TableWriter.forIngest(table, options)) {
            loaded.forEach(writer::put);
            writer.finish();
          }
          db.loads().ingest(List.of(table));
        } else {
          try (BulkLoader loader = db.loads().bulkLoader()) {
            loaded.forEach(
                (key, value) -> {
                  loader.put(key, value);
                  if (random.nextInt(100) == 0) {
                    db.put(key, new byte[] {1});
                  }
                });
            loader.finish();
          }
        }
        model.putAll(loaded);
        Workload mine = Workload.of(SEED + 50 + round, 500);
        mine.run(db::put, db::delete);
        mine.applyTo(model);
      }
      KvSide.expectEntries("C++ LevelDB", read(directory), model);
      Workload theirs = Workload.of(SEED + 100 + round, 300);
      write(directory, theirs, round % 2 == 0 ? "compact" : "");
      theirs.applyTo(model);
      KvSide.expect(directory, options, model);
    }
  }

  /** Tombstones in place of dropped entries, and values that a filter has replaced. */
  @Test
  void directoryOfKvWithACompactionFilter_readAndCompactedByCpp_isTheSame() throws Exception {
    Path directory = temp.resolve("db");
    CompactionFilter filter =
        (level, key, value) ->
            switch (value.length() % 3) {
              case 0 -> Decision.DROP;
              case 1 -> Decision.replace(Arrays.copyOf(value.toByteArray(), value.length() + 1));
              default -> Decision.KEEP;
            };
    Options options =
        KvSide.Configuration.SMALL.options().toBuilder().compaction(c -> c.filter(filter)).build();
    for (int round = 0; round < 3; round++) {
      TreeMap<byte[], byte[]> model = Workload.emptyModel();
      Workload mine = Workload.of(SEED + round, OPERATIONS / 2);
      try (DB db = DB.open(directory, options)) {
        mine.run(db::put, db::delete);
        if (round == 0) {
          db.admin().flush();
          db.admin().waitForCompactions();
        } else {
          db.admin().compactRange(null, null);
        }
        assertThat(db.admin().stats().filtered().dropped()).isPositive();
        assertThat(db.admin().stats().filtered().replaced()).isPositive();
        db.forEach(
            ReadOptions.DEFAULT, (key, value) -> model.put(key.toByteArray(), value.toByteArray()));
      }
      KvSide.expectEntries("C++ LevelDB", read(directory), model);
      Workload theirs = Workload.of(SEED + 100 + round, 300);
      write(directory, theirs, round == 1 ? "compact" : "");
      theirs.applyTo(model);
      KvSide.expect(directory, Options.DEFAULT, model);
    }
  }

  /** Committed and refused transactions and conditional writes, also those in the open log. */
  @Test
  void directoryOfKvWithTransactionsAndConditions_readAndWrittenByCpp_isTheSame() throws Exception {
    Path directory = temp.resolve("db");
    Options options = KvSide.Configuration.SMALL.options();
    TreeMap<byte[], byte[]> model = Workload.emptyModel();
    Random random = new Random(SEED);
    for (int round = 0; round < 2; round++) {
      try (DB db = DB.open(directory, options)) {
        for (int i = 0; i < 1500; i++) {
          byte[] key =
              String.format(Locale.ROOT, "key%03d", random.nextInt(300))
                  .getBytes(StandardCharsets.UTF_8);
          byte[] other =
              String.format(Locale.ROOT, "key%03d", random.nextInt(300))
                  .getBytes(StandardCharsets.UTF_8);
          byte[] value = new byte[random.nextInt(600)];
          random.nextBytes(value);
          if (random.nextBoolean()) {
            byte[] expected = random.nextInt(5) == 0 ? new byte[] {1, 2, 3} : model.get(key);
            boolean done = db.compareAndSet(key, expected, value);
            assertThat(done).isEqualTo(Arrays.equals(expected, model.get(key)));
            if (done) {
              model.put(key, value);
            }
          } else {
            try (Transaction transaction = db.transaction(TransactionOptions.SERIALIZABLE)) {
              transaction.getAll(List.of(key, other));
              transaction.put(key, value).delete(other);
              if (random.nextInt(5) == 0) {
                db.put(other, value);
                model.put(other, value);
                assertThatThrownBy(transaction::commit).isInstanceOf(ConflictException.class);
              } else {
                transaction.commit();
                model.put(key, value);
                model.remove(other);
              }
            }
          }
        }
        Path copy = temp.resolve("copy" + round);
        db.admin().checkpoint(copy);
        KvSide.expectEntries("C++ LevelDB", read(copy), model);
      }
      KvSide.expectEntries("C++ LevelDB", read(directory), model);
      Workload theirs = Workload.of(SEED + 100 + round, 300);
      write(directory, theirs, round == 0 ? "compact" : "");
      theirs.applyTo(model);
      KvSide.expect(directory, options, model);
    }
  }

  private static List<Path> tablesWithProperties(Path directory) throws IOException {
    List<Path> found = new ArrayList<>();
    for (Path table : Directories.files(directory, ".ldb")) {
      byte[] bytes = Files.readAllBytes(table);
      if (new String(bytes, StandardCharsets.ISO_8859_1).contains("kv.properties")) {
        found.add(table);
      }
    }
    return found;
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "plain", "bloom", "compact"})
  void directoryOfCpp_openedByKv_isTheSame(String flag) throws Exception {
    Path directory = temp.resolve("db");
    Workload workload = Workload.of(SEED, OPERATIONS);
    TreeMap<byte[], byte[]> model = Workload.emptyModel();
    write(directory, workload, flag);
    workload.applyTo(model);
    KvSide.expect(directory, Options.builder().filterPolicy(FilterPolicy.bloom(10)).build(), model);
  }

  @Test
  void openDatabaseOfKv_copiedAsAfterAKill_isReadByCpp() throws Exception {
    Path directory = temp.resolve("db");
    Path copy = temp.resolve("copy");
    TreeMap<byte[], byte[]> model = Workload.emptyModel();
    Workload workload = Workload.of(SEED, 500);
    try (DB db = DB.open(directory, Options.builder().createIfMissing(true).build())) {
      workload.run(db::put, db::delete);
      Directories.copy(directory, copy);
    }
    workload.applyTo(model);
    KvSide.expectEntries("C++ LevelDB", read(copy), model);
    KvSide.expect(copy, Options.DEFAULT, model);
  }

  /** A killed flush of kv leaves N.sst, and C++ LevelDB writes N.ldb and keeps both. */
  @ParameterizedTest
  @ValueSource(ints = {0, 1000, 100_000})
  void tableOfAKilledFlush_whoseNumberCppGivesAgain_isNotRead(int size) throws Exception {
    Path directory = temp.resolve("db");
    Options options =
        Options.builder().createIfMissing(true).tables(t -> t.suffix(TableSuffix.SST)).build();
    TreeMap<byte[], byte[]> model = Workload.emptyModel();
    try (DB db = DB.open(directory, options)) {
      for (byte i = 0; i < 2; i++) {
        db.put(new byte[] {i}, new byte[2000]);
        model.put(new byte[] {i}, new byte[2000]);
      }
    }
    for (int number = 4; number < 10; number++) {
      Files.write(directory.resolve("00000" + number + ".sst"), new byte[size]);
    }
    KvSide.expectEntries("C++ LevelDB", read(directory), model);
    List<Path> tables = Directories.files(directory, ".ldb");
    assertThat(tables).hasSize(1);
    Path stale = Path.of(tables.get(0).toString().replace(".ldb", ".sst"));
    assertThat(Directories.files(directory, ".sst")).containsExactly(stale);

    Path repaired = Directories.copy(directory, temp.resolve("repaired"));
    assertThat(DB.repair(repaired, options).filesLost()).isZero();
    KvSide.expect(repaired, options, model);
    Path copy = temp.resolve("copy");
    try (ReadOnlyDB db = DB.openReadOnly(directory, options)) {
      db.admin().checkpoint(copy);
    }
    KvSide.expect(copy, options, model);
    KvSide.expect(directory, options, model);
    assertThat(stale).doesNotExist();
    KvSide.expectEntries("C++ LevelDB", read(directory), model);
  }

  /** Its MANIFEST begins with several records, because the keys are long. */
  @Test
  void directoryOfKvWithLongKeys_readAndCompactedByCpp_isTheSame() throws Exception {
    Path directory = temp.resolve("db");
    TreeMap<byte[], byte[]> model = Workload.emptyModel();
    Options options = Options.builder().createIfMissing(true).build();
    try (DB db = DB.open(directory, options)) {
      db.admin().suspendCompactions();
      for (int i = 0; i < 12; i++) {
        byte[] key = new byte[100_000];
        key[0] = (byte) i;
        byte[] next = key.clone();
        next[99_999] = 1;
        db.put(key, new byte[] {(byte) i});
        db.put(next, new byte[] {1});
        model.put(key, new byte[] {(byte) i});
        model.put(next, new byte[] {1});
        db.admin().flush();
      }
    }
    try (DB db = DB.open(directory, options)) { // the first write begins a MANIFEST
      db.put(new byte[] {100}, new byte[] {2});
      model.put(new byte[] {100}, new byte[] {2});
    }
    KvSide.expectEntries("C++ LevelDB", read(directory), model);
    Workload theirs = Workload.of(SEED, 300);
    write(directory, theirs, "compact");
    theirs.applyTo(model);
    KvSide.expect(directory, options, model);
  }

  /** With the recovery mode CPP_COMPAT, kv recovers the same entries as C++ LevelDB. */
  @Test
  void damagedLog_recoveredByBoth_isTheSame() throws Exception {
    Path directory = temp.resolve("db");
    Random random = new Random(DAMAGE_SEED);
    Options options = Options.builder().recoveryMode(RecoveryMode.CPP_COMPAT).build();
    try (DB db = DB.open(directory, options.toBuilder().createIfMissing(true).build())) {
      for (int i = 0; i < 400; i++) {
        byte[] value = new byte[random.nextInt(20) == 0 ? 40_000 : random.nextInt(600)];
        random.nextBytes(value);
        db.put(String.format(Locale.ROOT, "key%05d", i).getBytes(StandardCharsets.UTF_8), value);
      }
    }
    int lossy = 0;
    for (int round = 0; round < DAMAGES; round++) {
      String what = "round " + round + " of seed " + DAMAGE_SEED;
      Path theirs = temp.resolve("theirs" + round);
      Path ours = temp.resolve("ours" + round);
      Directories.copy(directory, theirs);
      Path log = Directories.files(theirs, ".log").get(0);
      Files.write(log, damaged(Files.readAllBytes(log), random, round % 4));
      Directories.copy(theirs, ours);
      TreeMap<byte[], byte[]> model = Workload.emptyModel();
      read(theirs, "lenient")
          .forEachRemaining(entry -> model.put(entry.getKey(), entry.getValue()));
      try {
        KvSide.expect(ours, options, model);
      } catch (AssertionError | DBException e) {
        throw new AssertionError(what, e);
      }
      lossy += model.size() < 400 ? 1 : 0;
    }
    assertThat(lossy).isGreaterThan(DAMAGES / 2);
  }

  @Test
  void directoryWithALostLog_readAndWrittenByCpp_isTheSame() throws Exception {
    Path directory = temp.resolve("db");
    Options options = KvSide.Configuration.SMALL.options();
    Workload mine = Workload.of(SEED, 100);
    KvSide.write(directory, options, mine, false);
    Path log = Directories.files(directory, ".log").get(0);
    byte[] bytes = Files.readAllBytes(log);
    int sector = bytes.length / 2 / 512 * 512;
    Arrays.fill(bytes, sector, sector + 512, (byte) 0);
    Files.write(log, bytes);
    TreeMap<byte[], byte[]> model = Workload.emptyModel();
    try (DB db = DB.open(directory, options)) {
      db.forEach(
          ReadOptions.DEFAULT, (key, value) -> model.put(key.toByteArray(), value.toByteArray()));
    }
    Path lost = directory.resolve("lost").resolve(log.getFileName());
    assertThat(lost).hasBinaryContent(bytes);
    KvSide.expectEntries("C++ LevelDB", read(directory), model);
    Workload theirs = Workload.of(SEED + 1, 100);
    write(directory, theirs);
    theirs.applyTo(model);
    KvSide.expect(directory, options, model);
    assertThat(lost).hasBinaryContent(bytes);
  }

  private static byte[] damaged(byte[] log, Random random, int kind) {
    byte[] bytes = log.clone();
    int at = random.nextInt(bytes.length);
    switch (kind) {
      case 0 -> bytes[at] ^= (byte) (1 << random.nextInt(8));
      case 1 -> {
        int sector = at - at % 512;
        Arrays.fill(bytes, sector, Math.min(bytes.length, sector + 512 * 9), (byte) 0);
      }
      case 2 -> bytes = Arrays.copyOf(bytes, at);
      default -> {
        // Damages the header of the first record of a block.
        for (int i = 0; i < 3; i++) {
          bytes[at - at % 32768 + random.nextInt(7)] ^= (byte) (1 << random.nextInt(8));
        }
      }
    }
    return bytes;
  }

  private Iterator<Map.Entry<byte[], byte[]>> read(Path directory, String... flags)
      throws Exception {
    HexFormat hex = HexFormat.of();
    List<Map.Entry<byte[], byte[]>> entries = new ArrayList<>();
    for (String line : Files.readAllLines(run(Path.of("/dev/null"), "read", directory, flags))) {
      int space = line.indexOf(' ');
      entries.add(
          Map.entry(hex.parseHex(line, 0, space), hex.parseHex(line, space + 1, line.length())));
    }
    return entries.iterator();
  }

  private void write(Path directory, Workload workload, String... flags) throws Exception {
    HexFormat hex = HexFormat.of();
    StringBuilder lines = new StringBuilder();
    for (Workload.Operation operation : workload.operations()) {
      byte[] value = operation.value();
      lines.append(value == null ? "delete " : "put ").append(hex.formatHex(operation.key()));
      lines.append(' ').append(value == null ? "" : hex.formatHex(value)).append('\n');
    }
    Path input = Files.writeString(temp.resolve("input"), lines);
    run(input, "write", directory, flags);
  }

  private Path run(Path input, String mode, Path directory, String... flags) throws Exception {
    List<String> command = new ArrayList<>(Plyvel.command("/peer/peer.py"));
    command.add(mode);
    command.add(directory.toString());
    command.addAll(List.of(flags));
    File output = temp.resolve("output").toFile();
    File errors = temp.resolve("errors").toFile();
    Process python =
        new ProcessBuilder(command)
            .redirectInput(input.toFile())
            .redirectOutput(output)
            .redirectError(errors)
            .start();
    assertThat(python.waitFor(60, TimeUnit.SECONDS)).as("python ends").isTrue();
    assertThat(python.exitValue()).as(Files.readString(errors.toPath())).isZero();
    return output.toPath();
  }
}
