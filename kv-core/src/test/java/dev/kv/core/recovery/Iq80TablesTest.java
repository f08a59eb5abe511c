package dev.kv.core.recovery;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.kv.DB;
import dev.kv.Options;
import dev.kv.ReadOnlyDB;
import dev.kv.ReadOptions;
import dev.kv.core.LoadsLeveldbjni;
import dev.kv.core.LogFiles;
import dev.kv.core.db.DbTestBase;
import dev.kv.core.inspect.DatabaseFile;
import dev.kv.core.log.LogReader;
import dev.kv.core.log.RecordBuffer;
import dev.kv.core.version.FileMetadata;
import dev.kv.core.version.VersionEdit;
import dev.kv.core.version.VersionEditCodec;
import dev.kv.env.Env;
import dev.kv.errors.CorruptionException;
import dev.kv.options.RecoveryMode;
import dev.kv.options.TableSuffix;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.fusesource.leveldbjni.JniDBFactory;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Tables of whose sizes the MANIFEST says 4 bytes too many, as after a compaction by iq80. */
class Iq80TablesTest {
  private static final int ENTRIES = 500;

  @TempDir Path temp;
  private Path directory;

  private static Options options() {
    return Options.builder().tables(t -> t.suffix(TableSuffix.SST)).build();
  }

  @BeforeEach
  void makeDatabase() throws IOException {
    directory = temp.resolve("db");
    try (DB db = DB.open(directory, options().toBuilder().createIfMissing(true).build())) {
      for (int i = 0; i < ENTRIES; i++) {
        db.put(DbTestBase.b(DbTestBase.key(i)), new byte[100]);
      }
      db.admin().compactRange(null, null);
    }
    overstate(4);
  }

  private Path manifest() throws IOException {
    return directory.resolve(DatabaseFile.currentManifest(Env.fileSystem(), directory));
  }

  private List<VersionEdit> edits() throws IOException {
    List<VersionEdit> edits = new ArrayList<>();
    RecordBuffer record = new RecordBuffer();
    try (LogReader reader =
        new LogReader(Env.fileSystem(), manifest(), (offset, bytes, what, torn) -> {})) {
      while (reader.readRecord(record)) {
        edits.add(VersionEditCodec.decode(record.buffer(), record.length(), "MANIFEST", 0));
      }
    }
    return edits;
  }

  /** Adds to the sizes of all tables in the MANIFEST. */
  private void overstate(int bytes) throws IOException {
    List<byte[]> records = new ArrayList<>();
    for (VersionEdit edit : edits()) {
      List<VersionEdit.NewFile> added = new ArrayList<>();
      for (VersionEdit.NewFile table : edit.newFiles()) {
        FileMetadata file = table.file();
        added.add(new VersionEdit.NewFile(table.level(), file.ofSize(file.size() + bytes)));
      }
      records.add(
          VersionEditCodec.encode(
              new VersionEdit(
                  edit.comparatorName(),
                  edit.logNumber(),
                  edit.previousLogNumber(),
                  edit.nextFileNumber(),
                  edit.lastSequence(),
                  edit.compactPointers(),
                  edit.deletedFiles(),
                  added)));
    }
    LogFiles.write(Env.fileSystem(), manifest(), records.toArray(new byte[0][]));
  }

  /** Returns by how much the MANIFEST overstates the size of each table. */
  private Map<Path, Long> excesses() throws IOException {
    Map<Path, Long> sizes = new TreeMap<>();
    for (VersionEdit edit : edits()) {
      edit.deletedFiles().forEach(deleted -> sizes.remove(table(deleted.number())));
      edit.newFiles()
          .forEach(added -> sizes.put(table(added.file().number()), added.file().size()));
    }
    for (Map.Entry<Path, Long> each : sizes.entrySet()) {
      each.setValue(each.getValue() - Files.size(each.getKey()));
    }
    return sizes;
  }

  private Path table(long number) {
    return DatabaseFile.oldTable(directory, number);
  }

  private Path table() throws IOException {
    return excesses().keySet().iterator().next();
  }

  private static void expectAll(ReadOnlyDB db) {
    int[] count = {0};
    db.forEach(ReadOptions.DEFAULT, (key, value) -> count[0]++);
    assertThat(count[0]).isGreaterThanOrEqualTo(ENTRIES);
  }

  @Test
  void openToWrite_readsAll_andTheNextManifestHasTheTrueSizes() throws IOException {
    assertThat(excesses().values()).isNotEmpty().containsOnly(4L);
    try (DB db = DB.open(directory, options())) {
      db.forEach(ReadOptions.DEFAULT, (key, value) -> assertThat(value.length()).isEqualTo(100));
      assertThat(db.get(DbTestBase.b(DbTestBase.key(ENTRIES - 1)))).hasSize(100);
      db.put(DbTestBase.b("more"), new byte[1]);
      assertThat(excesses().values()).isNotEmpty().containsOnly(0L);
      db.admin().checkpoint(temp.resolve("copy"));
      db.admin().compactRange(null, null);
    }
    assertThat(excesses().values()).containsOnly(0L);
    try (ReadOnlyDB copy = DB.openReadOnly(temp.resolve("copy"), options())) {
      expectAll(copy);
    }
  }

  @Test
  @LoadsLeveldbjni
  void directoryThatKvHasWrittenTo_isReadByCpp() throws IOException {
    org.iq80.leveldb.Options paranoid = new org.iq80.leveldb.Options().verifyChecksums(true);
    assertThatThrownBy(
            () -> {
              try (org.iq80.leveldb.DB cpp =
                  JniDBFactory.factory.open(directory.toFile(), paranoid)) {
                assertThat(cpp.get(DbTestBase.b(DbTestBase.key(7)))).hasSize(100);
              }
            })
        .isNotNull();
    try (DB db = DB.open(directory, options())) {
      db.put(DbTestBase.b("more"), new byte[1]);
    }
    try (org.iq80.leveldb.DB cpp = JniDBFactory.factory.open(directory.toFile(), paranoid)) {
      assertThat(cpp.get(DbTestBase.b(DbTestBase.key(7)))).hasSize(100);
    }
  }

  @Test
  void readOnlyView_beforeAndAfterARefresh_readsAndCopiesAll() throws IOException {
    try (ReadOnlyDB reader = DB.openReadOnly(directory, options())) {
      expectAll(reader);
      reader.admin().checkpoint(temp.resolve("first"));
      // As an iq80 in another process writes an edit: the tables in use keep their size there.
      VersionEdit later = VersionEdit.builder().lastSequence(ENTRIES + 1).build();
      LogFiles.append(Env.fileSystem(), manifest(), VersionEditCodec.encode(later));
      reader.refresh();
      expectAll(reader);
      reader.admin().checkpoint(temp.resolve("second"));
    }
    for (String copy : List.of("first", "second")) {
      directory = temp.resolve(copy);
      assertThat(excesses().values()).isNotEmpty().containsOnly(0L);
      try (ReadOnlyDB db = DB.openReadOnly(directory, options())) {
        expectAll(db);
      }
    }
  }

  /** As a flush leaves it that is killed before iq80 gives its number to a table. */
  @ParameterizedTest
  @EnumSource
  void secondFileOfATable_isNotTakenForTheTable(TableSuffix suffix) throws IOException {
    for (Path table : excesses().keySet()) {
      Files.createFile(Path.of(table.toString().replace(".sst", ".ldb")));
    }
    Options options = Options.builder().tables(t -> t.suffix(suffix)).build();
    try (ReadOnlyDB reader = DB.openReadOnly(directory, options)) {
      expectAll(reader);
    }
    try (DB db = DB.open(directory, options)) {
      db.admin().checkpoint(temp.resolve("copy"));
    }
    for (Path open : List.of(directory, temp.resolve("copy"))) {
      try (ReadOnlyDB reader = DB.openReadOnly(open, options)) {
        expectAll(reader);
      }
    }
    assertThat(DB.repair(directory, options).filesLost()).isZero();
    try (ReadOnlyDB reader = DB.openReadOnly(directory, options)) {
      expectAll(reader);
    }
  }

  private void refused(RecoveryMode mode) throws IOException {
    Path table = table();
    Options options = options().toBuilder().recoveryMode(mode).build();
    for (boolean readOnly : new boolean[] {false, true}) {
      assertThatThrownBy(
              () ->
                  (readOnly ? DB.openReadOnly(directory, options) : DB.open(directory, options))
                      .close())
          .isInstanceOfSatisfying(
              CorruptionException.class, e -> assertThat(e.file()).isEqualTo(table.toString()))
          .hasMessageContaining("bytes, and the MANIFEST says");
    }
  }

  @ParameterizedTest
  @EnumSource(RecoveryMode.class)
  void tableWithoutItsLastFourBytes_isRefused(RecoveryMode mode) throws IOException {
    overstate(-4);
    byte[] whole = Files.readAllBytes(table());
    Files.write(table(), Arrays.copyOf(whole, whole.length - 4));
    refused(mode);
  }

  @ParameterizedTest
  @ValueSource(ints = {-8, -1, 1, 4})
  void tableOfAnotherExcess_isRefused(int more) throws IOException {
    overstate(more);
    for (RecoveryMode mode : RecoveryMode.values()) {
      refused(mode);
    }
  }

  @Test
  void tableThatEndsOtherwise_isRefused() throws IOException {
    byte[] bytes = Files.readAllBytes(table());
    bytes[bytes.length - 8] ^= 1;
    Files.write(table(), bytes);
    refused(RecoveryMode.CPP_COMPAT);
  }
}
