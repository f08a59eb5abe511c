package dev.kv.core.repair;

import static dev.kv.core.Bytes.bytes;
import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.kv.DB;
import dev.kv.DBIterator;
import dev.kv.Dump;
import dev.kv.Options;
import dev.kv.ReadOptions;
import dev.kv.WriteOptions;
import dev.kv.admin.RepairReport;
import dev.kv.bytes.DBComparator;
import dev.kv.change.ChangePosition;
import dev.kv.core.EnvFiles;
import dev.kv.core.OpenFiles;
import dev.kv.core.logging.CapturedLog;
import dev.kv.core.manifest.NewDatabase;
import dev.kv.core.state.DatabaseContext;
import dev.kv.env.Env;
import dev.kv.errors.ChangesLostException;
import dev.kv.errors.CorruptionException;
import dev.kv.errors.DBIOException;
import dev.kv.errors.DBLockedException;
import dev.kv.errors.NoSuchDatabaseException;
import dev.kv.errors.UnsupportedFormatException;
import dev.kv.load.BulkLoader;
import dev.kv.options.CompressionType;
import dev.kv.options.LogRetention;
import dev.kv.options.RecoveryMode;
import dev.kv.testing.FaultEnv;
import dev.kv.testing.StrictMemEnv;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class RepairTest {
  private static final long SEED = 31;
  private static final Options OPTIONS =
      Options.builder().createIfMissing(true).writeBufferSize(64 << 10).build();

  @TempDir Path temp;
  private final TreeMap<String, String> model = new TreeMap<>();
  private final Map<String, Set<String>> history = new HashMap<>();

  /** The position after the last write of {@link #overwriteWhatWasLost}. */
  private @Nullable ChangePosition position;

  /**
   * Fills a database over several levels, with overwritten and deleted keys, the last of them in
   * the log.
   */
  private Path fill() {
    Path directory = temp.resolve("db");
    Random random = new Random(SEED);
    try (DB db = DB.open(directory, OPTIONS)) {
      for (int i = 0; i < 12_000; i++) {
        String key = "key" + random.nextInt(1500);
        if (random.nextInt(4) == 0) {
          db.delete(bytes(key));
          model.remove(key);
        } else {
          String value = key + "-" + i + "-" + "x".repeat(random.nextInt(60));
          db.put(bytes(key), bytes(value));
          model.put(key, value);
          history.computeIfAbsent(key, k -> new HashSet<>()).add(value);
        }
        if (i == 5000) {
          db.admin().compactRange(null, null);
        }
      }
    }
    return directory;
  }

  private static Map<String, String> read(Path directory) {
    Map<String, String> entries = new TreeMap<>();
    try (DB db = DB.open(directory, OPTIONS);
        DBIterator cursor = db.iterator()) {
      for (cursor.seekToFirst(); cursor.isValid(); cursor.next()) {
        entries.put(cursor.keySlice().toUtf8String(), cursor.valueSlice().toUtf8String());
      }
    }
    return entries;
  }

  private static List<Path> files(Path directory, String part) throws IOException {
    try (Stream<Path> files = Files.list(directory)) {
      return files.filter(file -> file.getFileName().toString().contains(part)).sorted().toList();
    }
  }

  @Test
  void repair_undamaged_keepsEverything() {
    Path directory = fill();
    RepairReport report = DB.repair(directory, OPTIONS);
    assertThat(report.bytesLost()).isZero();
    assertThat(report.tablesRewritten()).isZero();
    assertThat(report.tablesKept()).isPositive();
    assertThat(read(directory)).isEqualTo(model);
    assertThat(DB.repair(directory, OPTIONS).entries()).isLessThanOrEqualTo(report.entries());
    assertThat(read(directory)).isEqualTo(model);
  }

  /**
   * Writes values that a loss of power destroys, in a log that is kept, and then others with their
   * sequence numbers. Leaves the database without a MANIFEST.
   */
  private Path overwriteWhatWasLost(Options options) throws IOException {
    Path directory = temp.resolve("db");
    try (DB db = DB.open(directory, options)) {
      db.put(bytes("first"), bytes("1"));
      db.put(bytes("filler"), bytes("x".repeat(40_000)));
      db.put(bytes("key"), bytes("lost"));
      db.put(bytes("other"), bytes("lost"));
    }
    Path log = files(directory, ".log").get(0);
    byte[] content = Files.readAllBytes(log);
    Arrays.fill(content, 1024, 2048, (byte) 0);
    Files.write(log, content);
    try (DB db = DB.open(directory, options)) {
      assertThat(db.get(bytes("filler"))).isNull();
      db.put(WriteOptions.SYNC, bytes("key"), bytes("acknowledged"));
      position = db.changes().position();
    }
    Files.delete(directory.resolve("CURRENT"));
    assertThat(log).exists();
    return directory;
  }

  private static Options keepingLogs() {
    return OPTIONS.toBuilder()
        .logRetention(LogRetention.ofBytes(1 << 20))
        .recoveryMode(RecoveryMode.POINT_IN_TIME)
        .build();
  }

  @Test
  void repair_withoutManifest_leavesWritesLostThatAnOpenDidNotBringBack() throws IOException {
    Path directory = overwriteWhatWasLost(keepingLogs());
    DB.repair(directory, keepingLogs());
    assertThat(read(directory)).isEqualTo(Map.of("first", "1", "key", "acknowledged"));
  }

  /** Its entries may not be those that the readers of changes have seen. */
  @Test
  void repair_thatCannotMoveOldFiles_endsTheHistory() throws IOException {
    Path directory = overwriteWhatWasLost(keepingLogs());
    ChangePosition before = position;
    FaultEnv env = new FaultEnv(Env.fileSystem());
    env.fail(
        FaultEnv.Fault.ERROR,
        Long.MAX_VALUE,
        operation ->
            operation.kind() == FaultEnv.Kind.RENAME
                && operation.path().startsWith(directory.resolve("lost")));
    assertThatThrownBy(() -> DB.repair(directory, keepingLogs().toBuilder().env(env).build()))
        .hasMessageContaining("is repaired, but");
    try (DB db = DB.open(directory, keepingLogs())) {
      assertThatThrownBy(() -> db.changes().open(before)).isInstanceOf(ChangesLostException.class);
    }
  }

  /** Until the tables are installed, a second repair needs the incarnations. */
  @ParameterizedTest
  @ValueSource(ints = {0, 100})
  void repair_killedAtAnyStep_endsTheHistoryOnceItIsInstalled(int percentKept) throws IOException {
    Path directory = Path.of("/db");
    StrictMemEnv disk = new StrictMemEnv();
    disk.createDurableDirectory(directory);
    for (Path file : files(overwriteWhatWasLost(keepingLogs()), "")) {
      EnvFiles.write(disk, directory.resolve(file.getFileName()), Files.readAllBytes(file));
    }
    disk.syncDirectory(directory);
    FaultEnv env = new FaultEnv(disk);
    List<StrictMemEnv> killed = new ArrayList<>();
    env.watch(operation -> killed.add(disk.crashClone(percentKept, killed.size())));
    DB.repair(directory, keepingLogs().toBuilder().env(env).build());
    int installed = 0;
    for (int step = 0; step < killed.size(); step++) {
      StrictMemEnv left = killed.get(step);
      if (left.exists(directory.resolve("CURRENT"))) {
        expectRepaired(directory, left.crashClone(100, 1), step);
        installed++;
      }
      DB.repair(directory, keepingLogs().toBuilder().env(left).build());
      expectRepaired(directory, left, step);
    }
    assertThat(installed).isBetween(5, killed.size() - 5);
  }

  private void expectRepaired(Path directory, Env env, int step) {
    ChangePosition before = position;
    try (DB db = DB.open(directory, keepingLogs().toBuilder().env(env).build())) {
      assertThat(db.get(bytes("key"))).as("step %d", step).isEqualTo(bytes("acknowledged"));
      assertThat(db.get(bytes("other"))).as("step %d", step).isNull();
      assertThatThrownBy(() -> db.changes().open(before))
          .as("step %d", step)
          .isInstanceOf(ChangesLostException.class);
    }
  }

  @Test
  void repair_withoutManifestAndWithDamagedHistory_warns() throws IOException {
    Path directory = overwriteWhatWasLost(keepingLogs());
    Files.write(directory.resolve("CHANGES"), new byte[10]);
    try (CapturedLog log = new CapturedLog()) {
      DB.repair(directory, keepingLogs());
      assertThat(log.lines("WARN"))
          .anyMatch(line -> line.contains("writes that an earlier recovery dropped may return"));
    }
    assertThat(read(directory)).containsEntry("first", "1");
  }

  /** A crash between a flush and its edit leaves such a table. */
  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void repair_damagedLogBesideATableOfItsFlush_namesTheTable(boolean damaged) throws IOException {
    Path directory = temp.resolve("db");
    Path copy = Files.createDirectory(temp.resolve("copy"));
    String table;
    try (DB db = DB.open(directory, OPTIONS)) {
      db.put(bytes("first"), bytes("x".repeat(100)));
      db.put(bytes("second"), bytes("2"));
      for (Path file : files(directory, "")) {
        Files.copy(file, copy.resolve(file.getFileName()));
      }
      db.admin().flush();
      Path flushed = files(directory, ".ldb").get(0);
      table = flushed.getFileName().toString();
      Files.copy(flushed, copy.resolve(table));
    }
    if (damaged) {
      Path log = files(copy, ".log").get(0);
      byte[] content = Files.readAllBytes(log);
      content[50]++;
      Files.write(log, content);
    }
    try (CapturedLog log = new CapturedLog()) {
      DB.repair(copy, OPTIONS);
      String warning = table + " goes to lost/ unread";
      assertThat(log.lines("WARN").stream().anyMatch(line -> line.contains(warning)))
          .isEqualTo(damaged);
    }
    assertThat(copy.resolve("lost").resolve(table)).exists();
    assertThat(read(copy).size() < 2).isEqualTo(damaged);
  }

  @Test
  void repair_withoutCurrent_saysThatItIsMissing() throws IOException {
    Path directory = fill();
    Path current = directory.resolve("CURRENT");
    Files.delete(current);
    try (CapturedLog log = new CapturedLog()) {
      DB.repair(directory, OPTIONS);
      assertThat(log.lines("WARN"))
          .anyMatch(line -> line.endsWith("from all tables and logs: " + current + " is missing"))
          .noneMatch(line -> line.contains("Exception"));
    }
  }

  private static int logsAndManifests(Path directory) throws IOException {
    return files(directory, ".log").size() + files(directory, "MANIFEST").size();
  }

  @Test
  void repair_damagedLog_countsItAsLost() throws IOException {
    Path directory = fill();
    int old = logsAndManifests(directory);
    Path log = files(directory, ".log").get(0);
    byte[] content = Files.readAllBytes(log);
    content[content.length / 2] ^= 1;
    Files.write(log, content);
    RepairReport report = DB.repair(directory, OPTIONS);
    assertThat(report.filesLost()).isEqualTo(1);
    assertThat(report.filesReplaced()).isEqualTo(old - 1);
    assertThat(report.bytesLost()).isPositive();
  }

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void repair_tableThatTheManifestDoesNotName_isLostOnlyWithoutManifest(boolean manifest)
      throws IOException {
    Path directory = fill();
    int old = logsAndManifests(directory);
    Files.createFile(directory.resolve("000999.ldb"));
    if (!manifest) {
      Files.delete(directory.resolve("CURRENT"));
    }
    RepairReport report = DB.repair(directory, OPTIONS);
    assertThat(report.filesLost()).isEqualTo(manifest ? 0 : 1);
    assertThat(report.filesReplaced()).isEqualTo(manifest ? old + 1 : old);
    assertThat(directory.resolve("lost/000999.ldb")).isEmptyFile();
    assertThat(read(directory)).isEqualTo(model);
  }

  @Test
  void repair_logThatEndsInsideARecord_isReplaced() throws IOException {
    Path directory = fill();
    int old = logsAndManifests(directory);
    Path log = files(directory, ".log").get(0);
    byte[] content = Files.readAllBytes(log);
    Files.write(log, Arrays.copyOf(content, content.length - 1));
    RepairReport report = DB.repair(directory, OPTIONS);
    assertThat(report.filesLost()).isZero();
    assertThat(report.filesReplaced()).isEqualTo(old);
  }

  @Test
  void repair_currentAndManifestGone_bringsNoStaleOrDeletedValueBack() throws IOException {
    Path directory = fill();
    Files.delete(directory.resolve("CURRENT"));
    for (Path manifest : files(directory, "MANIFEST")) {
      Files.delete(manifest);
    }
    DB.repair(directory, OPTIONS);
    assertThat(read(directory)).as("seed %d", SEED).isEqualTo(model);
  }

  @Test
  void repair_damagedBlock_keepsTheOtherBlocksAndTheFile() throws IOException {
    Path directory = fill();
    List<Path> tables = files(directory, ".ldb");
    Path largest = tables.get(0);
    for (Path table : tables) {
      largest = Files.size(table) > Files.size(largest) ? table : largest;
    }
    byte[] content = Files.readAllBytes(largest);
    content[content.length / 3] ^= 0x40;
    Files.write(largest, content);
    RepairReport report = DB.repair(directory, OPTIONS);
    assertThat(report.tablesRewritten()).isEqualTo(1);
    assertThat(report.bytesLost()).isBetween(1L, 8192L);
    assertThat(directory.resolve("lost").resolve(largest.getFileName())).exists();
    Map<String, String> entries = read(directory);
    assertThat(entries.size()).isGreaterThan(model.size() / 2);
    entries.forEach((key, value) -> assertThat(history.get(key)).contains(value));
  }

  @Test
  void repair_damagedBlocks_countsTheBytesOfEach() throws IOException {
    Options plain =
        OPTIONS.toBuilder().compression(CompressionType.NONE).blockSize(1 << 10).build();
    Path directory = temp.resolve("db");
    try (DB db = DB.open(directory, plain)) {
      for (int i = 0; i < 400; i++) {
        db.put(bytes("key" + (1000 + i)), new byte[90]);
      }
      db.admin().compactRange(null, null);
    }
    Path table = files(directory, ".ldb").get(0);
    byte[] content = Files.readAllBytes(table);
    for (int at : new int[] {500, 10_500, 20_500}) {
      content[at] ^= 1;
    }
    Files.write(table, content);
    RepairReport report = DB.repair(directory, plain);
    assertThat(report.bytesLost()).isBetween(3 * 1024L, 3 * 1200L);
    long lost = 400 - report.entries();
    assertThat(lost).isBetween(3 * 9L, 3 * 12L);
    assertThat(read(directory)).hasSize((int) report.entries());
  }

  /** What is written in an order that puts one key first is repaired in the order of bytes. */
  @Test
  void repair_entriesOutOfOrder_countsTheirBytes() {
    Comparator<byte[]> mFirst =
        Comparator.<byte[]>comparingInt(key -> key[0] == 'm' ? 0 : 1)
            .thenComparing(Arrays::compareUnsigned);
    DBComparator order = DBComparator.ofArrays(DBComparator.bytewise().name(), mFirst);
    Path directory = temp.resolve("db");
    try (DB db = DB.open(directory, OPTIONS.toBuilder().comparator(order).build())) {
      for (char key = 'a'; key <= 'z'; key++) {
        db.put(bytes(String.valueOf(key)), new byte[100]);
      }
      db.admin().flush();
    }
    RepairReport report = DB.repair(directory, OPTIONS);
    assertThat(report.entries()).isEqualTo(14);
    assertThat(report.bytesLost()).isEqualTo(12 * (1 + 8 + 100));
    assertThat(report.tablesRewritten()).isEqualTo(1);
    assertThat(read(directory)).containsKeys("m", "n", "z").hasSize(14);
  }

  /** Returns the files of a directory with their content. */
  private static Map<String, String> content(Path directory) throws IOException {
    Map<String, String> content = new TreeMap<>();
    for (Path file : files(directory, "")) {
      if (Files.isRegularFile(file)) {
        content.put(file.getFileName().toString(), Files.readString(file, ISO_8859_1));
      }
    }
    return content;
  }

  /** Fails the first such operation, then the second, the fourth, and so on. */
  @ParameterizedTest
  @CsvSource({
    "OPEN, .ldb", "READ, .ldb", "OPEN, .log", "READ, .log",
    "OPEN, MANIFEST", "READ, MANIFEST", "OPEN, CURRENT", "READ, CURRENT"
  })
  void repair_fileThatCannotBeRead_isRefusedAndChangesNothing(FaultEnv.Kind kind, String name)
      throws IOException {
    Path directory = fill();
    FaultEnv env = new FaultEnv(Env.fileSystem());
    Options options = OPTIONS.toBuilder().env(env).build();
    int refused = 0;
    for (int nth = 1; nth == 1 || env.injected() > 0; nth *= 2) {
      int fails = nth;
      Map<String, String> before = content(directory);
      AtomicInteger count = new AtomicInteger();
      env.fail(
          FaultEnv.Fault.ERROR,
          1,
          operation ->
              operation.kind() == kind
                  && operation.path().toString().contains(name)
                  && before.containsKey(operation.path().getFileName().toString())
                  && count.incrementAndGet() == fails);
      try {
        RepairReport report = DB.repair(directory, options); // needs no filter and no properties
        assertThat(report.bytesLost()).isZero();
      } catch (DBIOException e) {
        assertThat(e).hasMessageContaining(name).hasMessageContaining("no file was changed");
        assertThat(content(directory)).isEqualTo(before);
        refused++;
      }
    }
    assertThat(refused).isPositive();
    assertThat(read(directory)).isEqualTo(model);
  }

  /** It would need the space of the whole database once more, and could not delete it later. */
  @ParameterizedTest
  @CsvSource({
    "CREATE, MANIFEST",
    "CREATE, .log",
    "WRITE, MANIFEST",
    "WRITE, .dbtmp",
    "RENAME, CURRENT"
  })
  void repair_whoseInstallFails_leavesTheFilesOfBefore(FaultEnv.Kind kind, String name)
      throws IOException {
    Path directory = fill();
    Files.write(directory.resolve("CURRENT"), new byte[3]);
    Map<String, String> before = content(directory);
    FaultEnv env = new FaultEnv(Env.fileSystem());
    env.fail(
        FaultEnv.Fault.ERROR,
        1,
        operation -> operation.kind() == kind && operation.path().toString().contains(name));
    assertThatThrownBy(() -> DB.repair(directory, OPTIONS.toBuilder().env(env).build()))
        .isInstanceOf(DBIOException.class);
    assertThat(content(directory)).isEqualTo(before);
    DB.repair(directory, OPTIONS);
    read(directory).forEach((key, value) -> assertThat(history.get(key)).contains(value));
  }

  @Test
  void repair_lostThatCannotBeSynced_saysWhatIsDone() {
    Path directory = fill();
    FaultEnv env = new FaultEnv(Env.fileSystem());
    env.fail(FaultEnv.Fault.SYNC, Long.MAX_VALUE, operation -> operation.path().endsWith("lost"));
    assertThatThrownBy(() -> DB.repair(directory, OPTIONS.toBuilder().env(env).build()))
        .isInstanceOf(DBIOException.class)
        .hasMessageContaining("is repaired, but its old files are not all deleted or moved");
    assertThat(read(directory)).isEqualTo(model);
  }

  @Test
  void repair_anyOneFileCut_givesASubsetOfTheHistory() throws IOException {
    Path whole = fill();
    List<Path> victims = new ArrayList<>(files(whole, "MANIFEST"));
    victims.addAll(files(whole, ".ldb"));
    victims.addAll(files(whole, ".log"));
    for (Path victim : victims) {
      Path copy = temp.resolve("copy-" + victim.getFileName());
      Files.createDirectory(copy);
      for (Path file : files(whole, "")) {
        if (Files.isRegularFile(file)) {
          Files.copy(file, copy.resolve(file.getFileName()));
        }
      }
      Path damaged = copy.resolve(victim.getFileName());
      byte[] content = Files.readAllBytes(damaged);
      Files.write(damaged, Arrays.copyOf(content, content.length / 2));
      DB.repair(copy, OPTIONS);
      read(copy)
          .forEach(
              (key, value) -> assertThat(history.get(key)).as("%s cut", victim).contains(value));
    }
  }

  @Test
  void repair_overAndOver_replacesNothingInLost() throws IOException {
    Path directory = fill();
    Path lost = Files.createDirectory(directory.resolve("lost"));
    List<String> kept = new ArrayList<>();
    for (Path log : files(directory, ".log")) {
      Path earlier = lost.resolve(log.getFileName());
      Files.writeString(earlier, "from an earlier repair");
      kept.add(log.getFileName().toString());
    }
    int logs = kept.size();
    int manifests = files(directory, "MANIFEST").size();
    RepairReport report = DB.repair(directory, OPTIONS);
    assertThat(report.logsConverted()).isEqualTo(logs);
    assertThat(report.filesReplaced()).isEqualTo(logs + manifests);
    assertThat(report.filesLost()).isZero();
    for (String log : kept) {
      assertThat(lost.resolve(log)).hasContent("from an earlier repair");
      assertThat(lost.resolve(log + ".1")).isNotEmptyFile();
    }
    assertThat(read(directory)).isEqualTo(model);
  }

  @Test
  void repair_underAnotherOrder_isRefusedAndTouchesNothing() throws IOException {
    Path directory = fill();
    Options reversed =
        OPTIONS.toBuilder()
            .comparator(DBComparator.of("test.Reverse", (a, b) -> b.compareTo(a)))
            .build();
    assertThatThrownBy(() -> DB.repair(directory, reversed))
        .isInstanceOf(UnsupportedFormatException.class)
        .hasMessageContaining("leveldb.BytewiseComparator");
    for (Path manifest : files(directory, "MANIFEST")) {
      Files.delete(manifest);
    }
    List<Path> before = files(directory, "");
    assertThatThrownBy(() -> DB.repair(directory, reversed))
        .isInstanceOf(UnsupportedFormatException.class)
        .hasMessageContaining("test.Reverse");
    assertThat(files(directory, "")).containsAll(before);
    DB.repair(directory, OPTIONS);
    assertThat(read(directory)).isEqualTo(model);
  }

  /** The last table does not tell its order, as one of C++ LevelDB. */
  @ParameterizedTest
  @CsvSource({"1, test.Reverse", "2, test.Reverse", "2, leveldb.BytewiseComparator"})
  void repair_smallTableOfAnotherOrder_isRefusedAndTouchesNothing(int keys, String name)
      throws IOException {
    DBComparator reverse = DBComparator.of(name, (a, b) -> b.compareTo(a));
    Options reversed = OPTIONS.toBuilder().comparator(reverse).build();
    Path directory = temp.resolve("db");
    try (DB db = DB.open(directory, reversed)) {
      for (int i = 0; i < keys; i++) {
        db.put(bytes("key" + i), bytes("value"));
      }
      db.admin().flush();
    }
    for (Path manifest : files(directory, "MANIFEST")) {
      Files.delete(manifest);
    }
    Map<String, String> before = content(directory);
    assertThatThrownBy(() -> DB.repair(directory, OPTIONS))
        .isInstanceOf(UnsupportedFormatException.class)
        .hasMessageContaining("not in the order of leveldb.BytewiseComparator")
        .hasMessageContaining(name + ": give");
    assertThat(content(directory)).isEqualTo(before);
    assertThat(DB.repair(directory, reversed).entries()).isEqualTo(keys);
  }

  @Test
  void repair_tableUnderBothEndings_readsTheOneThatCountsAndKeepsTheOther() throws IOException {
    Path directory = fill();
    Path table = files(directory, ".ldb").get(0);
    Path old = Path.of(table.toString().replace(".ldb", ".sst"));
    Files.writeString(old, "something else");
    DB.repair(directory, OPTIONS);
    assertThat(read(directory)).isEqualTo(model);
    assertThat(directory.resolve("lost").resolve(old.getFileName())).hasContent("something else");
  }

  /** Each table may need a descriptor, of which a process has a limited number. */
  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void repair_ofManyTables_opensFewAtOnce(boolean manifest) throws IOException {
    OpenFiles counting = new OpenFiles(Env.inMemory(), path -> true);
    Options options =
        OPTIONS.toBuilder()
            .env(counting)
            .maxOpenFiles(74)
            .memory(memory -> memory.maxMappedTables(0))
            .build();
    Path directory = Path.of("/db");
    try (DB db = DB.open(directory, options)) {
      for (int table = 0; table < 300; table++) {
        db.put(bytes("key" + (1000 + table)), bytes("value"));
        db.admin().flush();
      }
    }
    assertThat(tables(counting, directory)).isGreaterThan(250);
    if (!manifest) {
      counting.delete(directory.resolve("CURRENT"));
    }
    counting.forget();
    assertThat(DB.repair(directory, options).entries()).isEqualTo(300);
    assertThat(counting.most()).isLessThan(80);
    assertThat(counting.open()).isZero();
  }

  /** Otherwise each repair would install a new state, and leave the old files to the next open. */
  @ParameterizedTest
  @ValueSource(strings = {"file", "link", "dangling link"})
  void repair_lostIsNoDirectory_isRefusedAndChangesNothing(String kind) throws IOException {
    Path directory = fill();
    Path elsewhere = Files.createDirectory(temp.resolve("elsewhere"));
    Path lost = directory.resolve("lost");
    switch (kind) {
      case "file" -> Files.writeString(lost, "found");
      case "link" -> Files.createSymbolicLink(lost, elsewhere);
      default -> Files.createSymbolicLink(lost, temp.resolve("nowhere"));
    }
    Map<String, String> before = content(directory);
    assertThatThrownBy(() -> DB.repair(directory, OPTIONS))
        .isInstanceOf(DBIOException.class)
        .hasMessageContaining(
            lost
                + (kind.equals("file")
                    ? ": is not a directory: nothing is moved to it"
                    : ": is a symbolic link: nothing is moved through it"))
        .hasMessageContaining("; no file was changed");
    assertThat(content(directory)).isEqualTo(before);
    assertThat(files(temp, "")).containsExactlyInAnyOrder(directory, elsewhere);
    assertThat(files(elsewhere, "")).isEmpty();
    Files.delete(lost);
    assertThat(read(directory)).isEqualTo(model);
  }

  @Test
  void repair_openDatabase_isRefused() {
    Path directory = fill();
    DB db = DB.open(directory, OPTIONS);
    try (db) {
      assertThatThrownBy(() -> DB.repair(directory, OPTIONS)).isInstanceOf(DBLockedException.class);
    }
  }

  @Test
  void repair_noDatabase_saysSo() {
    assertThatThrownBy(() -> DB.repair(temp.resolve("none"), OPTIONS))
        .isInstanceOf(NoSuchDatabaseException.class)
        .hasMessageContaining("nothing to repair");
  }

  @ParameterizedTest
  @ValueSource(strings = {"20261126.log", "MANIFEST-3", "7.sst", "1.ldb"})
  void repair_ofFilesOfAnotherProgram_isRefusedAndChangesNothing(String name) throws IOException {
    Path file = Files.writeString(temp.resolve(name), "GET /index.html 200\n".repeat(5000));
    assertThatThrownBy(() -> DB.repair(temp, OPTIONS))
        .isInstanceOf(NoSuchDatabaseException.class)
        .hasMessageStartingWith(temp + " holds no database");
    assertThat(temp).isDirectoryContaining(file::equals);
    assertThat(files(temp, "")).as("neither LOCK nor lost/").hasSize(1);
  }

  /** A repair does not read most of these, so nothing else refuses them. */
  @ParameterizedTest
  @ValueSource(
      strings = {
        "LOG",
        "LOG.old",
        "LOCK",
        "CHANGES",
        "CURRENT",
        "000007.dbtmp",
        "MANIFEST-000009",
        "9.log",
        "000009.log",
        "7.ldb"
      })
  void repair_ofAFileOfAnotherProgramBesideOneThatCannotBeRead_isRefusedAndChangesNothing(
      String name) throws IOException {
    Path text = Files.writeString(temp.resolve("20261126.log"), "GET /index.html 200\n");
    Path unreadable = temp.resolve(name);
    FaultEnv env = new FaultEnv(Env.fileSystem());
    env.fail(
        FaultEnv.Fault.ERROR,
        Long.MAX_VALUE,
        operation -> operation.kind() == FaultEnv.Kind.OPEN && operation.path().equals(unreadable));
    for (boolean isDirectory : new boolean[] {true, false}) {
      if (isDirectory) {
        Files.createDirectory(unreadable);
      } else {
        Files.writeString(unreadable, "private");
      }
      Options options = isDirectory ? OPTIONS : OPTIONS.toBuilder().env(env).build();
      assertThatThrownBy(() -> DB.repair(temp, options))
          .isInstanceOf(DBIOException.class)
          .hasMessageStartingWith("cannot tell whether " + temp + " holds a database")
          .hasMessageContaining(unreadable.toString())
          .hasMessageContaining("nothing was changed");
      assertThat(files(temp, "")).containsExactlyInAnyOrder(text, unreadable);
      assertThat(text).hasContent("GET /index.html 200\n");
      Files.delete(unreadable);
    }
  }

  /** The repair reads none of these. */
  @ParameterizedTest
  @CsvSource({
    "LOG, true",
    "LOG.old, true",
    "000007.dbtmp, true",
    "MANIFEST-000000, true",
    "000001.ldb, true",
    "000001.log, true",
    "LOG, false",
    "LOG.old, false",
    "000007.dbtmp, false",
    "MANIFEST-000099, false"
  })
  void repair_ofADatabaseBesideADirectoryWithAFilesName_keepsEverything(
      String name, boolean hasCurrent) throws IOException {
    Path directory = fill();
    if (!hasCurrent) {
      Files.delete(directory.resolve("CURRENT"));
    }
    Files.createDirectory(directory.resolve(name));
    DB.repair(directory, OPTIONS);
    assertThat(read(directory)).isEqualTo(model);
  }

  @Test
  void dump_everyFile_printsItsEntriesAndGoesOnBehindDamage() throws IOException {
    Path directory = fill();
    List<String> lines = new ArrayList<>();
    Dump.Sink sink = lines::add;
    Dump.file(files(directory, "MANIFEST").get(0), Options.DEFAULT, sink);
    assertThat(String.join("\n", lines)).contains("leveldb.BytewiseComparator");
    lines.clear();
    for (Path log : files(directory, ".log")) {
      Dump.file(log, Options.DEFAULT, sink);
    }
    assertThat(lines).anyMatch(line -> line.startsWith("  put 'key"));
    lines.clear();
    Path table = files(directory, ".ldb").get(0);
    Dump.file(table, Options.DEFAULT, sink);
    int entries = lines.size();
    assertThat(lines).allMatch(line -> line.matches("'key\\d+' @ \\d+ : (val => '.*'|del)"));
    byte[] content = Files.readAllBytes(table);
    content[100] ^= 1;
    Files.write(table, content);
    lines.clear();
    Dump.file(table, Options.DEFAULT, sink);
    assertThat(lines).anyMatch(line -> line.startsWith("--- damaged") && line.contains("offset"));
    assertThat(lines.size()).isBetween(entries / 4, entries);
    int left = lines.size() - 1;
    content[content.length - 1] ^= 1;
    Files.write(table, content);
    lines.clear();
    Dump.file(table, Options.DEFAULT, sink);
    assertThat(lines)
        .anyMatch(line -> line.startsWith("--- damaged: not a table"))
        .anyMatch(line -> line.startsWith("--- offset 0: damaged"))
        .hasSize(left + 2);
  }

  /** The tables of a load that was killed, of which no edit tells, are no part of the database. */
  @Test
  void repair_afterALoadThatWasKilled_bringsNothingOfItBack() throws IOException {
    StrictMemEnv disk = new StrictMemEnv();
    Path directory = Path.of("/db");
    Options options = OPTIONS.toBuilder().env(disk).maxFileSize(1 << 20).build();
    StrictMemEnv killed;
    try (DB db = DB.open(directory, options)) {
      db.put(bytes("key0000001"), bytes("old"));
      db.admin().flush();
      try (BulkLoader load = db.loads().bulkLoader()) {
        int tables = tables(disk, directory);
        for (int i = 0; tables(disk, directory) < tables + 3; i++) {
          load.put(bytes(String.format(Locale.ROOT, "key%07d", i)), new byte[10_000]);
        }
        killed = disk.crashClone(100, 1);
      }
    }
    DB.repair(directory, options.toBuilder().env(killed).build());
    try (DB db = DB.open(directory, options.toBuilder().env(killed).build())) {
      List<String> found = new ArrayList<>();
      db.forEach(
          ReadOptions.DEFAULT,
          (key, value) -> found.add(key.toUtf8String() + "=" + value.toUtf8String()));
      assertThat(found).containsExactly("key0000001=old");
    }
  }

  private static int tables(Env env, Path directory) throws IOException {
    return (int) env.list(directory).stream().filter(name -> name.endsWith(".ldb")).count();
  }

  /** As if the MANIFEST had lost all edits after its base: no log that it names is missing. */
  @Test
  void repair_withAManifestThatNamesNoLog_usesAllTables() throws IOException {
    Path directory = fill();
    try (Stream<Path> files = Files.list(directory)) {
      for (Path file : files.filter(each -> each.toString().contains("MANIFEST-")).toList()) {
        Files.delete(file);
      }
    }
    try (DatabaseContext context = new DatabaseContext(directory, OPTIONS)) {
      NewDatabase.create(context.manifestContext());
    }
    assertThatThrownBy(() -> DB.open(directory, OPTIONS)).isInstanceOf(CorruptionException.class);
    DB.repair(directory, OPTIONS);
    try (DB db = DB.open(directory, OPTIONS)) {
      for (Map.Entry<String, String> entry : model.entrySet()) {
        assertThat(db.get(bytes(entry.getKey()))).isEqualTo(bytes(entry.getValue()));
      }
    }
  }
}
