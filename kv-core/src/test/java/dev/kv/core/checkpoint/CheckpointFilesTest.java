package dev.kv.core.checkpoint;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.kv.DB;
import dev.kv.Options;
import dev.kv.ReadOnlyDB;
import dev.kv.ReadOptions;
import dev.kv.admin.LiveFiles;
import dev.kv.core.EnvFiles;
import dev.kv.core.db.DbTestBase;
import dev.kv.env.Env;
import dev.kv.env.ForwardingEnv;
import dev.kv.env.RandomAccessFile;
import dev.kv.errors.CorruptionException;
import dev.kv.errors.DBIOException;
import dev.kv.errors.DatabaseExistsException;
import dev.kv.options.TableSuffix;
import dev.kv.testing.StrictMemEnv;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Which files a database consists of, and how a checkpoint gets them. */
class CheckpointFilesTest {
  private static final Path PARENT = Path.of("/data");
  private static final Path DIRECTORY = PARENT.resolve("db");
  private static final Path TARGET = PARENT.resolve("copy");

  private final StrictMemEnv memory = new StrictMemEnv();
  private final AtomicInteger links = new AtomicInteger();
  private final AtomicInteger refusedLinks = new AtomicInteger();
  private final AtomicInteger released = new AtomicInteger();
  private boolean canLink = true;

  /** Counts the links. */
  private final Env env =
      new ForwardingEnv(memory) {
        @Override
        public boolean link(Path existing, Path link) throws IOException {
          (canLink ? links : refusedLinks).incrementAndGet();
          return canLink && super.link(existing, link);
        }
      };

  private final Options options = Options.builder().env(env).createIfMissing(true).build();

  @BeforeEach
  void createParent() throws IOException {
    memory.createDurableDirectory(PARENT);
  }

  private DB open() {
    return DB.open(DIRECTORY, options);
  }

  private static void put(DB db, String key, String value) {
    db.put(DbTestBase.b(key), DbTestBase.b(value));
  }

  private static List<String> names(LiveFiles files) {
    return files.files().stream().map(LiveFiles.File::name).toList();
  }

  private static byte[] read(LiveFiles.File file) throws IOException {
    try (RandomAccessFile in = file.open()) {
      ByteBuffer bytes = ByteBuffer.allocate((int) file.size());
      assertThat(in.size()).isEqualTo(file.size());
      assertThat(in.read(0, bytes, 0, bytes.capacity())).isEqualTo(bytes.capacity());
      assertThat(in.read(file.size(), ByteBuffer.allocate(10), 0, 10)).isNotPositive();
      return bytes.array();
    }
  }

  /** Writes the files into another directory, as a program that copies them does. */
  private void copy(LiveFiles files) throws IOException {
    env.createDirectory(TARGET);
    for (LiveFiles.File file : files.files()) {
      EnvFiles.write(env, TARGET.resolve(file.name()), read(file));
    }
  }

  private String contents(Path directory) {
    StringBuilder contents = new StringBuilder();
    try (DB db = DB.open(directory, options)) {
      db.forEach(
          ReadOptions.DEFAULT,
          (key, value) ->
              contents.append(key.toUtf8String()).append('=').append(value.toUtf8String()));
    }
    return contents.toString();
  }

  // The files of a database.

  @Test
  void liveFiles_ofAnOpenDatabase_areItsTablesItsLogsItsManifestAndCurrent() throws IOException {
    try (DB db = open()) {
      put(db, "a", "1");
      db.admin().flush();
      put(db, "b", "2");
      try (LiveFiles files = db.admin().suspendDeletions()) {
        assertThat(files.sequence()).isEqualTo(2);
        assertThat(files.files()).filteredOn(LiveFiles.File::isTable).hasSize(1);
        assertThat(files.files().get(0).isTable()).isTrue();
        List<String> names = names(files);
        assertThat(names).hasSize(4);
        assertThat(names.get(0)).matches("\\d+\\.ldb");
        assertThat(names.get(1)).matches("\\d+\\.log");
        assertThat(names.get(2)).matches("MANIFEST-\\d+");
        assertThat(names.get(3)).isEqualTo("CURRENT");
        assertThat(read(files.files().get(3))).isEqualTo(DbTestBase.b(names.get(2) + "\n"));
        put(db, "b", "later");
        put(db, "c", "later");
        db.admin().flush();
        copy(files);
      }
    }
    assertThat(contents(TARGET)).isEqualTo("a=1b=2");
  }

  @Test
  void liveFiles_withATableOfTheOtherSuffix_nameItAsItIs() throws IOException {
    try (DB db = open()) {
      put(db, "a", "1");
      db.admin().flush();
    }
    for (String name : env.list(DIRECTORY)) {
      if (name.endsWith(".ldb")) {
        env.rename(DIRECTORY.resolve(name), DIRECTORY.resolve(name.replace(".ldb", ".sst")));
      }
    }
    try (DB db = open()) {
      put(db, "b", "2");
      db.admin().flush();
      try (LiveFiles files = db.admin().suspendDeletions()) {
        assertThat(names(files)).filteredOn(name -> name.endsWith(".sst")).hasSize(1);
        assertThat(names(files)).filteredOn(name -> name.endsWith(".ldb")).hasSize(1);
        copy(files);
      }
    }
    assertThat(contents(TARGET)).isEqualTo("a=1b=2");
  }

  /** Another program may write a file with the other name while the database is open. */
  @Test
  void filesOfATableWithTwoFiles_areThoseOfItsSizeInTheManifest() throws IOException {
    Options ofSst = options.toBuilder().tables(t -> t.suffix(TableSuffix.SST)).build();
    try (DB db = DB.open(DIRECTORY, ofSst)) {
      put(db, "a", "1");
      db.admin().flush();
    }
    try (DB db = open()) {
      String table =
          env.list(DIRECTORY).stream()
              .filter(name -> name.endsWith(".sst"))
              .findAny()
              .orElseThrow();
      Path second = DIRECTORY.resolve(table.replace(".sst", ".ldb"));
      EnvFiles.write(env, second, new byte[(int) env.size(DIRECTORY.resolve(table)) / 2]);
      try (LiveFiles files = db.admin().suspendDeletions()) {
        assertThat(files.files())
            .filteredOn(LiveFiles.File::isTable)
            .extracting(LiveFiles.File::name)
            .containsExactly(table);
      }
      db.admin().checkpoint(TARGET);
    }
    assertThat(contents(TARGET)).isEqualTo("a=1");
  }

  @Test
  void liveFiles_ofADatabaseOpenForReading_haveTheEntriesOfItsLogsInTables() throws IOException {
    try (DB db = open()) {
      put(db, "a", "1");
      db.admin().flush();
      put(db, "b", "2");
    }
    try (ReadOnlyDB db = DB.openReadOnly(DIRECTORY, options);
        LiveFiles files = db.admin().suspendDeletions()) {
      assertThat(files.sequence()).isEqualTo(2);
      assertThat(files.files()).filteredOn(LiveFiles.File::isTable).hasSize(2);
      assertThat(names(files)).doesNotHaveDuplicates().hasSize(4).contains("CURRENT");
      copy(files);
    }
    assertThat(contents(TARGET)).isEqualTo("a=1b=2");
  }

  @Test
  void fileList_closedTwice_releasesOnce() {
    LiveFiles files = new FileList(7, List.of(), released::incrementAndGet);
    assertThat(files.sequence()).isEqualTo(7);
    files.close();
    files.close();
    assertThat(released).hasValue(1);
  }

  @Test
  void filePrefix_readPastItsSize_endsThere() throws IOException {
    Path file = PARENT.resolve("file");
    EnvFiles.write(env, file, new byte[] {1, 2, 3, 4, 5, 6, 7, 8, 9, 10});
    FilePrefix prefix = new FilePrefix(env, file, 6, true);
    assertThat(prefix.name()).isEqualTo("file");
    try (RandomAccessFile in = prefix.open()) {
      assertThat(in.size()).isEqualTo(6);
      ByteBuffer bytes = ByteBuffer.allocate(10);
      assertThat(in.read(1, bytes, 2, 3)).isEqualTo(3);
      assertThat(bytes.array()).containsExactly(0, 0, 2, 3, 4, 0, 0, 0, 0, 0);
      bytes.clear().put(new byte[10]);
      assertThat(in.read(4, bytes, 0, 10)).isEqualTo(2);
      assertThat(bytes.array()).startsWith(5, 6, 0, 0);
      assertThat(in.read(6, bytes, 0, 10)).isNotPositive();
      assertThat(in.read(8, bytes, 0, 10)).isNotPositive();
      assertThat(bytes.array()).startsWith(5, 6, 0, 0);
    }
  }

  // The checkpoint.

  /** Returns a file of the directory with random contents. */
  private FilePrefix file(Env where, String name, int length, boolean isTable) throws IOException {
    byte[] bytes = new byte[length];
    new Random(length).nextBytes(bytes);
    where.createDirectory(DIRECTORY);
    EnvFiles.write(where, DIRECTORY.resolve(name), bytes);
    where.syncDirectory(DIRECTORY);
    return new FilePrefix(where, DIRECTORY.resolve(name), length, isTable);
  }

  private LiveFiles list(LiveFiles.File... files) {
    return new FileList(42, List.of(files), released::incrementAndGet);
  }

  private static void assertSame(Env where, LiveFiles.File file) throws IOException {
    assertThat(EnvFiles.read(where, TARGET.resolve(file.name())))
        .as(file.name())
        .isEqualTo(read(file));
  }

  @Test
  void checkpoint_linksTablesAndCopiesTheRest_durably() throws IOException {
    FilePrefix table = file(env, "000005.ldb", 100, true);
    FilePrefix large = file(env, "000006.log", (256 << 10) * 2 + 1, false);
    FilePrefix whole = file(env, "000007.log", 256 << 10, false);
    FilePrefix empty = file(env, "000008.log", 0, false);
    env.syncDirectory(PARENT);
    assertThat(Checkpoint.write(env, TARGET, () -> list(table, large, whole, empty))).isEqualTo(42);
    assertThat(links).hasValue(1);
    assertThat(released).hasValue(1);
    Env afterLossOfPower = memory.crashClone(0, 1);
    for (FilePrefix file : List.of(table, large, whole, empty)) {
      assertSame(env, file);
      assertThat(EnvFiles.read(afterLossOfPower, TARGET.resolve(file.name())))
          .isEqualTo(read(file));
    }
  }

  @Test
  void checkpoint_ofAPrefix_copiesNoMore() throws IOException {
    FilePrefix log = file(env, "000006.log", 1000, false);
    FilePrefix begun = new FilePrefix(env, log.path(), 900, false);
    Checkpoint.write(env, TARGET, () -> list(begun));
    assertThat(EnvFiles.read(env, TARGET.resolve("000006.log")))
        .isEqualTo(Arrays.copyOf(read(log), 900));
  }

  @Test
  void checkpoint_whereLinksAreRefused_asksOnceAndCopies() throws IOException {
    canLink = false;
    FilePrefix first = file(env, "000005.ldb", 100, true);
    FilePrefix second = file(env, "000006.ldb", 200, true);
    Checkpoint.write(env, TARGET, () -> list(first, second));
    assertThat(refusedLinks).hasValue(1);
    assertSame(env, first);
    assertSame(env, second);
  }

  /** A table in memory, and one that only this process can still read. */
  @Test
  void checkpoint_ofATableOfAnotherEnvironment_isCopied() throws IOException {
    FilePrefix elsewhere = file(Env.inMemory(), "000005.ldb", 100, true);
    FilePrefix here = file(env, "000006.ldb", 100, true);
    Checkpoint.write(env, TARGET, () -> list(elsewhere, here));
    assertThat(links).hasValue(1);
    assertSame(env, elsewhere);
    assertSame(env, here);
  }

  @Test
  void checkpoint_ofAFileThatIsTooShort_isRefusedAndLeavesNothing() throws IOException {
    FilePrefix log = file(env, "000006.log", 100, false);
    FilePrefix longer = new FilePrefix(env, log.path(), 101, false);
    assertThatThrownBy(() -> Checkpoint.write(env, TARGET, () -> list(longer)))
        .isInstanceOf(CorruptionException.class)
        .hasMessageContaining("fewer than its 101 bytes");
    assertThat(released).hasValue(1);
    assertThat(env.exists(TARGET)).isFalse();
  }

  @Test
  void checkpoint_ofAFileThatCannotBeRead_namesTheTarget() throws IOException {
    FilePrefix absent = new FilePrefix(env, DIRECTORY.resolve("absent"), 100, false);
    assertThatThrownBy(() -> Checkpoint.write(env, TARGET, () -> list(absent)))
        .isInstanceOf(DBIOException.class)
        .hasMessageContaining("cannot write a checkpoint to " + TARGET);
    assertThat(released).hasValue(1);
    assertThat(env.exists(TARGET)).isFalse();
    Checkpoint.write(env, TARGET, () -> list());
    assertThatThrownBy(() -> Checkpoint.write(env, TARGET, () -> list()))
        .isInstanceOf(DatabaseExistsException.class)
        .hasMessageContaining("name a new directory");
    assertThat(released).as("of the one that exists").hasValue(2);
  }
}
