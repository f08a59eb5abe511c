package dev.kv.core.recovery;

import static dev.kv.core.Bytes.bytes;
import static org.assertj.core.api.Assertions.assertThat;

import dev.kv.DB;
import dev.kv.DBReader;
import dev.kv.Options;
import dev.kv.ReadOnlyDB;
import dev.kv.ReadOptions;
import dev.kv.admin.RepairReport;
import dev.kv.core.Directories;
import dev.kv.options.TableSuffix;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Databases with two files for a table, N.ldb and N.sst: the table itself, and a file with the
 * suffix of new tables that a killed flush has left.
 */
class SecondTableFilesTest {
  @TempDir Path temp;

  /** What the other file contains. */
  private enum Other {
    NOTHING,
    JUNK,
    MORE_JUNK,
    BEGINNING,
    /** A whole table with another entry, which another flush has written. */
    WHOLE
  }

  private static Options options(TableSuffix suffix) {
    return Options.builder().createIfMissing(true).tables(t -> t.suffix(suffix)).build();
  }

  private static TableSuffix otherThan(TableSuffix suffix) {
    return suffix == TableSuffix.LDB ? TableSuffix.SST : TableSuffix.LDB;
  }

  private static Stream<Arguments> cases() {
    return Stream.of(TableSuffix.values())
        .flatMap(suffix -> Stream.of(Other.values()).map(other -> Arguments.of(suffix, other)));
  }

  /** Makes a database of two keys whose one table does not have the suffix of new tables. */
  private Path database(TableSuffix suffix, Other other) throws IOException {
    Path directory = temp.resolve("db");
    try (DB db = DB.open(directory, options(otherThan(suffix)))) {
      db.put(bytes("a"), bytes("1".repeat(2000)));
      db.put(bytes("b"), bytes("2"));
      db.admin().flush();
    }
    Path table = table(directory);
    byte[] content = Files.readAllBytes(table);
    Files.write(
        second(table),
        switch (other) {
          case NOTHING -> new byte[0];
          case JUNK -> bytes("x".repeat(100));
          case MORE_JUNK -> bytes("x".repeat(10_000));
          case BEGINNING -> Arrays.copyOf(content, content.length / 2);
          case WHOLE -> wholeTable();
        });
    return directory;
  }

  private byte[] wholeTable() throws IOException {
    Path directory = temp.resolve("other");
    try (DB db = DB.open(directory, options(TableSuffix.LDB))) {
      db.put(bytes("stale"), bytes("3"));
      db.admin().flush();
    }
    return Files.readAllBytes(table(directory));
  }

  private static Path table(Path directory) throws IOException {
    List<Path> tables = tables(directory);
    assertThat(tables).hasSize(1);
    return tables.get(0);
  }

  private static List<Path> tables(Path directory) throws IOException {
    List<Path> tables = new ArrayList<>(Directories.files(directory, ".ldb"));
    tables.addAll(Directories.files(directory, ".sst"));
    return tables;
  }

  /** Returns the file of {@link #database} that is the table; the other one has the suffix. */
  private static Path table(Path directory, TableSuffix suffix) throws IOException {
    return tables(directory).get(suffix == TableSuffix.LDB ? 1 : 0);
  }

  /** Returns the other name of a table. */
  private static Path second(Path table) {
    String name = table.toString();
    String stem = name.substring(0, name.length() - 4);
    return Path.of(stem + (name.endsWith(".ldb") ? ".sst" : ".ldb"));
  }

  private static void expectBoth(DBReader db) {
    List<String> keys = new ArrayList<>();
    db.forEach(ReadOptions.DEFAULT, (key, value) -> keys.add(key.toUtf8String()));
    assertThat(keys).containsExactly("a", "b");
    assertThat(db.get(bytes("a"))).hasSize(2000);
  }

  @ParameterizedTest
  @MethodSource("cases")
  void openReadOnly_readsTheTable_andLeavesBothFiles(TableSuffix suffix, Other other)
      throws IOException {
    Path directory = database(suffix, other);
    List<Path> both = tables(directory);
    try (ReadOnlyDB db = DB.openReadOnly(directory, options(suffix))) {
      expectBoth(db);
      db.refresh();
      expectBoth(db);
      db.admin().checkpoint(temp.resolve("copy"));
    }
    assertThat(tables(directory)).isEqualTo(both);
    try (ReadOnlyDB db = DB.openReadOnly(temp.resolve("copy"), options(suffix))) {
      expectBoth(db);
    }
  }

  @ParameterizedTest
  @MethodSource("cases")
  void open_readsTheTable_andMovesTheOtherFileToLost(TableSuffix suffix, Other other)
      throws IOException {
    Path directory = database(suffix, other);
    Path table = table(directory, suffix);
    byte[] stale = Files.readAllBytes(second(table));
    try (DB db = DB.open(directory, options(suffix))) {
      expectBoth(db);
      assertThat(tables(directory)).containsExactly(table);
      assertThat(directory.resolve("lost").resolve(second(table).getFileName()))
          .hasBinaryContent(stale);
      db.admin().checkpoint(temp.resolve("copy"));
      db.put(bytes("a"), new byte[2000]);
      db.admin().compactRange(null, null);
      expectBoth(db);
      assertThat(tables(directory)).hasSize(1).doesNotContain(table);
    }
    try (ReadOnlyDB db = DB.openReadOnly(temp.resolve("copy"), options(suffix))) {
      expectBoth(db);
    }
  }

  @ParameterizedTest
  @MethodSource("cases")
  void repair_readsTheTable_andMovesTheOtherFileToLost(TableSuffix suffix, Other other)
      throws IOException {
    Path directory = database(suffix, other);
    Path table = table(directory, suffix);
    byte[] stale = Files.readAllBytes(second(table));
    RepairReport report = DB.repair(directory, options(suffix));
    assertThat(report.tablesKept()).isEqualTo(1);
    assertThat(report.filesLost()).isZero();
    assertThat(report.bytesLost()).isZero();
    assertThat(directory.resolve("lost").resolve(second(table).getFileName()))
        .hasBinaryContent(stale);
    try (DB db = DB.open(directory, options(suffix))) {
      expectBoth(db);
    }
  }

  /** If both are whole, and no MANIFEST tells their sizes, the repair reads that of C++ LevelDB. */
  @ParameterizedTest
  @MethodSource("cases")
  void repairWithoutManifest_readsTheWholeTable(TableSuffix suffix, Other other)
      throws IOException {
    Path directory = database(suffix, other);
    for (Path manifest : Directories.files(directory, "")) {
      if (manifest.getFileName().toString().startsWith("MANIFEST")) {
        Files.delete(manifest);
      }
    }
    DB.repair(directory, options(suffix));
    try (DB db = DB.open(directory, options(suffix))) {
      if (other == Other.WHOLE && suffix == TableSuffix.LDB) {
        assertThat(db.get(bytes("stale"))).isEqualTo(bytes("3"));
      } else {
        expectBoth(db);
      }
    }
  }

  /** The MANIFEST fits neither, and neither opens: the repair finds blocks in the larger one. */
  @ParameterizedTest
  @EnumSource
  void repair_ofTwoDamagedFiles_readsTheLargerOne(TableSuffix suffix) throws IOException {
    Path directory = database(suffix, Other.NOTHING);
    Path table = table(directory, suffix);
    byte[] content = Files.readAllBytes(table);
    Files.write(table, Arrays.copyOf(content, content.length - 10));
    RepairReport report = DB.repair(directory, options(suffix));
    assertThat(report.filesLost()).isEqualTo(1);
    try (DB db = DB.open(directory, options(suffix))) {
      expectBoth(db);
    }
  }

  private static void deleteAll(Path directory) throws IOException {
    Directories.delete(directory.resolve("lost"));
    Directories.delete(directory);
  }

  /** As of a directory whose tables were copied, and not moved, to their other names. */
  @ParameterizedTest
  @EnumSource
  void twoEqualFiles_areReadAndRepaired(TableSuffix suffix) throws IOException {
    for (boolean repaired : new boolean[] {false, true}) {
      Path directory = database(suffix, Other.NOTHING);
      Path table = table(directory, suffix);
      Files.write(second(table), Files.readAllBytes(table));
      try (ReadOnlyDB db = DB.openReadOnly(directory, options(suffix))) {
        expectBoth(db);
      }
      if (repaired) {
        RepairReport report = DB.repair(directory, options(suffix));
        assertThat(report.tablesKept()).isEqualTo(1);
        assertThat(report.filesLost()).isZero();
      }
      try (DB db = DB.open(directory, options(suffix))) {
        expectBoth(db);
      }
      assertThat(tables(directory)).hasSize(1);
      deleteAll(directory);
    }
  }
}
