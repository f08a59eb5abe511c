package dev.kv.core.crash;

import static dev.kv.core.crash.CheckpointTest.expectEntries;
import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.kv.DB;
import dev.kv.Options;
import dev.kv.ReadOnlyDB;
import dev.kv.backup.Backup;
import dev.kv.backup.Backups;
import dev.kv.env.Env;
import dev.kv.env.ForwardingEnv;
import dev.kv.env.ForwardingRandomAccessFile;
import dev.kv.env.RandomAccessFile;
import dev.kv.env.WritableFile;
import dev.kv.errors.CorruptionException;
import dev.kv.errors.DBException;
import dev.kv.errors.DBIOException;
import dev.kv.errors.DBLockedException;
import dev.kv.errors.DatabaseExistsException;
import dev.kv.errors.NoSuchBackupException;
import dev.kv.errors.NotADirectoryException;
import dev.kv.event.ProgressListener;
import dev.kv.file.NewDirectory;
import dev.kv.testing.FaultEnv;
import dev.kv.testing.FaultEnv.Fault;
import dev.kv.testing.StrictMemEnv;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.SplittableRandom;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.Stream;
import java.util.zip.CRC32C;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.DisabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Backups beside writers, after each fault and after loss of power at each step: each is whole or
 * absent, and restores the state of its sequence number.
 */
@Tag("one-jdk")
@ExtendWith(Quiet.class)
@Timeout(value = 300, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class BackupsTest {
  /** The quick size fails one operation in three, and other ones in each way to fail. */
  private static final int FAULT_STEP = Seeds.LONG ? 1 : 3;

  private static final Path PARENT = Path.of("/machine");
  private static final Path DIRECTORY = PARENT.resolve("db");
  private static final Path BACKUPS = PARENT.resolve("backups");
  private static final Path TARGET = PARENT.resolve("restored");
  private static final int[] PERCENT_KEPT = {0, 50, 100};

  @TempDir Path temp;

  private StrictMemEnv disk = new StrictMemEnv();
  private final History history = new History(11, 40, 3000);

  @BeforeEach
  void createParent() throws IOException {
    disk = new StrictMemEnv();
    disk.createDurableDirectory(PARENT);
  }

  private static void write(DB db, History history, int from, int to) {
    for (int number = from; number <= to; number++) {
      db.write(history.batch(number));
    }
  }

  private static long operations(History history, int count) {
    long sum = 0;
    for (int number = 1; number <= count; number++) {
      sum += history.operations(number).size() + 1;
    }
    return sum;
  }

  private void expectRestored(
      Backups backups, Env env, Setting setting, long number, Path target, int count) {
    backups.restore(number, target);
    Options options = setting.options(env);
    try (DB db = DB.open(target, options.toBuilder().createIfMissing(false).build())) {
      history.expectPrefix(db, count, count);
      assertThat(db.admin().stats().writes().lastSequence()).isEqualTo(operations(history, count));
      db.write(history.batch(count + 1));
      db.admin().compactRange(null, null);
      history.expectPrefix(db, count + 1, count + 1);
    }
    DB.destroy(target, options);
  }

  @ParameterizedTest
  @EnumSource
  void backups_ofADatabaseThatGrows_storeEachTableOnceAndRestoreEachState(Setting setting)
      throws IOException {
    Backups backups = Backups.at(BACKUPS, disk);
    List<Backup> made = new ArrayList<>();
    try (DB db = DB.open(DIRECTORY, setting.options(disk))) {
      for (int i = 0; i < 5; i++) {
        write(db, history, 40 * i + 1, 40 * (i + 1));
        db.admin().waitForCompactions();
        made.add(backups.create(db.admin()));
        Backup again = backups.create(db.admin());
        made.add(again);
        assertThat(again.addedBytes()).as("nothing is new").isZero();
      }
    }
    assertThat(backups.list()).isEqualTo(made);
    long stored = 0;
    for (String name : disk.list(BACKUPS.resolve("files"))) {
      stored += disk.size(BACKUPS.resolve("files").resolve(name));
    }
    assertThat(stored).isEqualTo(made.stream().mapToLong(Backup::addedBytes).sum());
    for (Backup each : made) {
      int count = 40 * (int) ((each.number() + 1) / 2);
      assertThat(each.sequence()).isEqualTo(operations(history, count));
      assertThat(backups.verify(each.number())).isEmpty();
      expectRestored(backups, disk, setting, each.number(), TARGET, count);
    }
    assertThat(backups.prune(3)).isEqualTo(made.subList(0, 7));
    assertThat(backups.list()).isEqualTo(made.subList(7, 10));
    long left = 0;
    for (String name : disk.list(BACKUPS.resolve("files"))) {
      left += disk.size(BACKUPS.resolve("files").resolve(name));
    }
    assertThat(left).isLessThan(stored);
    for (Backup each : made.subList(7, 10)) {
      assertThat(backups.verify(each.number())).isEmpty();
      int count = 40 * (int) ((each.number() + 1) / 2);
      expectRestored(backups, disk, setting, each.number(), TARGET, count);
    }
    assertThat(backups.prune(3)).isEmpty();
  }

  @Test
  void backup_besideWriters_restoresExactlyItsSequence() throws Exception {
    Options options = Setting.PARALLEL.options(disk);
    List<History> histories = List.of(new History("a", 1, 60, 2000), new History("b", 2, 60, 2000));
    AtomicInteger[] acknowledged = {new AtomicInteger(), new AtomicInteger()};
    Backups backups = Backups.at(BACKUPS, disk);
    try (DB db = DB.open(DIRECTORY, options)) {
      try (var writers = new CheckpointTest.Writers(db, histories, acknowledged)) {
        for (int i = 0; i < 12; i++) {
          writers.awaitWrite();
          Backup made;
          int[] least = {acknowledged[0].get(), acknowledged[1].get()};
          if (i % 2 == 0) {
            made = backups.create(db.admin());
          } else {
            try (ReadOnlyDB reader = DB.openReadOnly(DIRECTORY, options)) {
              made = backups.create(reader.admin());
            }
          }
          backups.restore(made.number(), TARGET);
          try (DB restored = DB.open(TARGET, options)) {
            long sum = 0;
            for (int h = 0; h < 2; h++) {
              int found = histories.get(h).expectPrefix(restored, least[h], Integer.MAX_VALUE);
              sum += operations(histories.get(h), found);
            }
            assertThat(sum).isEqualTo(made.sequence());
          }
          DB.destroy(TARGET, options);
        }
      }
    }
  }

  /** After a crash a database can use the number of a lost table again, for other bytes. */
  @Test
  void tableOfAUsedNumberAndSize_withOtherBytes_isStoredBesideTheOther() throws IOException {
    Setting setting = Setting.DEFAULT;
    Backups backups = Backups.at(BACKUPS, disk);
    for (int round = 0; round < 2; round++) {
      try (DB db = DB.open(DIRECTORY, setting.options(disk))) {
        byte[] value = {(byte) round};
        db.put(new byte[] {1}, value);
        db.admin().flush();
        backups.create(db.admin());
      }
      DB.destroy(DIRECTORY, setting.options(disk));
    }
    List<String> tables =
        disk.list(BACKUPS.resolve("files")).stream().filter(n -> n.contains(".ldb.")).toList();
    assertThat(tables).hasSize(2);
    assertThat(tables.stream().map(name -> name.substring(0, name.lastIndexOf('.'))).distinct())
        .as("number and size are the same")
        .hasSize(1);
    for (int round = 0; round < 2; round++) {
      backups.restore(round + 1, TARGET);
      try (DB db = DB.open(TARGET, setting.options(disk))) {
        assertThat(db.get(new byte[] {1})).containsExactly(round);
      }
      DB.destroy(TARGET, setting.options(disk));
    }
  }

  @Test
  void restoredBackup_ofADatabaseOnDisk_isReadByCpp() throws Exception {
    try (Cpp cpp = Cpp.start()) {
      assumeTrue(cpp != null, "Python has no plyvel");
      Backups backups = Backups.at(temp.resolve("backups"));
      for (Setting setting : Setting.values()) {
        Path directory = temp.resolve("db" + setting);
        Options options = setting.options(Env.fileSystem());
        try (DB db = DB.open(directory, options)) {
          write(db, history, 1, 60);
          long first = backups.create(db.admin()).number();
          write(db, history, 61, 80);
          long second;
          try (ReadOnlyDB reader = DB.openReadOnly(directory, options)) {
            second = backups.create(reader.admin()).number();
          }
          backups.restore(first, temp.resolve("first" + setting));
          backups.restore(second, temp.resolve("second" + setting));
        }
        expectEntries(cpp.read(temp.resolve("first" + setting)), history, 60);
        expectEntries(cpp.read(temp.resolve("second" + setting)), history, 80);
      }
    }
  }

  // Misuse and damage.

  @Test
  void backups_thatDoNotExist_areReported() throws IOException {
    Backups backups = Backups.at(BACKUPS, disk);
    assertThatThrownBy(backups::list).isInstanceOf(NoSuchBackupException.class);
    assertThatThrownBy(() -> backups.prune(1)).isInstanceOf(NoSuchBackupException.class);
    assertThatThrownBy(() -> backups.prune(0)).isInstanceOf(IllegalArgumentException.class);
    try (DB db = DB.open(DIRECTORY, Setting.DEFAULT.options(disk))) {
      backups.create(db.admin());
    }
    for (long number : new long[] {0, 2, -1, Long.MAX_VALUE}) {
      assertThatThrownBy(() -> backups.verify(number))
          .isInstanceOf(NoSuchBackupException.class)
          .hasMessageContaining("no backup " + number);
      assertThatThrownBy(() -> backups.restore(number, TARGET))
          .isInstanceOf(NoSuchBackupException.class);
    }
    assertThat(disk.exists(TARGET)).isFalse();
  }

  @Test
  void create_inADirectoryWithOtherFiles_isRefusedAndChangesNothing() throws IOException {
    try (DB db = DB.open(DIRECTORY, Setting.DEFAULT.options(disk))) {
      write(db, history, 1, 10);
      List<String> before = disk.list(DIRECTORY);
      assertThatThrownBy(() -> Backups.at(DIRECTORY, disk).create(db.admin()))
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessageContaining("a directory of backups holds nothing else");
      assertThat(disk.list(DIRECTORY)).containsExactlyInAnyOrderElementsOf(before);
    }
  }

  @Test
  void create_withAFileInThePlaceOfTheStore_namesThatFile() throws IOException {
    Path files = BACKUPS.resolve("files");
    disk.createDirectory(BACKUPS);
    write(files, new byte[] {1});
    try (DB db = DB.open(DIRECTORY, Setting.DEFAULT.options(disk))) {
      assertThatThrownBy(() -> Backups.at(BACKUPS, disk).create(db.admin()))
          .isInstanceOf(NotADirectoryException.class)
          .hasMessageContaining(files + " is not a directory");
    }
  }

  @Test
  void prune_ofADirectoryWithoutABackup_isRefusedAndDeletesNothing() throws IOException {
    disk.createDirectory(BACKUPS.resolve("files"));
    for (String name : List.of("holiday.jpg", "000001.ldb.5.abcdef01", "copying.tmp")) {
      write(BACKUPS.resolve("files").resolve(name), new byte[] {1});
    }
    assertThatThrownBy(() -> Backups.at(BACKUPS, disk).prune(1))
        .isInstanceOf(NoSuchBackupException.class)
        .hasMessageContaining("there are no backups in");
    assertThat(disk.list(BACKUPS.resolve("files"))).hasSize(3);
    assertThat(disk.list(BACKUPS)).containsExactly("files");
  }

  @Test
  void createAndPrune_withFilesOfOthers_deleteOnlyWhatBackupsStored() throws IOException {
    Path files = BACKUPS.resolve("files");
    List<String> others =
        List.of("holiday.jpg", "000001.ldb", "CURRENT", "1.ldb.5.ABCDEF01", ".ldb.5.abcdef01");
    Backups backups = Backups.at(BACKUPS, disk);
    try (DB db = DB.open(DIRECTORY, Setting.DEFAULT.options(disk))) {
      for (String name : others) {
        disk.createDirectory(files);
        write(files.resolve(name), new byte[] {1});
        assertThatThrownBy(() -> backups.create(db.admin()))
            .isInstanceOf(IllegalArgumentException.class)
            .hasMessageContaining("a directory of backups holds nothing else")
            .hasMessageContaining(name);
        assertThat(disk.list(files)).containsExactly(name);
        disk.delete(files.resolve(name));
      }
      write(db, history, 1, 40);
      backups.create(db.admin());
      for (String name : others) {
        write(files.resolve(name), new byte[] {1});
      }
      write(files.resolve("000099.ldb.1.00000000"), new byte[] {1}); // of a backup that was cut
      write(db, history, 41, 60);
      Backup second = backups.create(db.admin());
      assertThat(disk.list(files)).containsAll(others).doesNotContain("000099.ldb.1.00000000");
      assertThat(backups.prune(1)).hasSize(1);
      assertThat(disk.list(files)).containsAll(others).hasSize(others.size() + second.files());
      assertThat(backups.verify(second.number())).isEmpty();
    }
  }

  @Test
  @DisabledOnOs(value = OS.WINDOWS, disabledReason = "symbolic links need a privilege there")
  void operation_throughASymbolicLink_isRefusedAndDeletesNothing() throws IOException {
    Path other = temp.resolve("other");
    Path linked = Files.createDirectory(temp.resolve("linked"));
    Backups backups = Backups.at(other);
    try (DB db = DB.open(temp.resolve("db"), Setting.DEFAULT.options(Env.fileSystem()))) {
      write(db, history, 1, 40);
      backups.create(db.admin());
      write(db, history, 41, 60);
      Path catalog = Files.copy(other.resolve("backup-000001"), linked.resolve("backup-000001"));
      backups.create(db.admin());
      Files.createSymbolicLink(linked.resolve("files"), other.resolve("files"));
      for (boolean first : new boolean[] {false, true}) {
        if (first) {
          Files.delete(catalog);
        } else {
          assertThatThrownBy(() -> Backups.at(linked).prune(1))
              .isInstanceOf(DBIOException.class)
              .hasMessageContaining("is a symbolic link");
        }
        assertThatThrownBy(() -> Backups.at(linked).create(db.admin()))
            .isInstanceOf(DBIOException.class)
            .hasMessageContaining("is a symbolic link");
      }
      assertThat(backups.verify(1)).isEmpty();
      assertThat(backups.verify(2)).isEmpty();
      Path precious = Files.createDirectories(temp.resolve("mine/files"));
      Path file = Files.writeString(precious.resolve("holiday.jpg"), "x");
      Path partial = temp.resolve("target.partial");
      Files.createSymbolicLink(partial, temp.resolve("mine"));
      for (int kind = 0; kind < 3; kind++) {
        assertThatThrownBy(() -> backups.restore(1, temp.resolve("target")))
            .isInstanceOf(DBIOException.class)
            .hasMessageContaining(kind < 2 ? "is a symbolic link" : "holds other files");
        assertThatThrownBy(() -> db.admin().checkpoint(temp.resolve("target")))
            .isInstanceOf(DBIOException.class)
            .hasMessageContaining(kind < 2 ? "is a symbolic link" : "holds other files");
        assertThat(file).exists();
        if (kind == 0) {
          Files.delete(partial);
          Files.createDirectory(partial);
          Files.createSymbolicLink(partial.resolve("files"), precious);
        } else if (kind == 1) {
          Files.delete(partial.resolve("files"));
          Files.delete(partial);
          Files.move(temp.resolve("mine"), partial);
          file = partial.resolve("files/holiday.jpg");
        }
      }
    }
  }

  @Test
  void createAndPrune_whileAnotherCreates_areRefused() {
    Backups backups = Backups.at(BACKUPS, disk);
    try (DB db = DB.open(DIRECTORY, Setting.DEFAULT.options(disk))) {
      write(db, history, 1, 10);
      AtomicInteger refused = new AtomicInteger();
      backups.create(
          db.admin(),
          (done, total) -> {
            assertThat(done).isLessThanOrEqualTo(total);
            assertThatThrownBy(() -> backups.create(db.admin()))
                .isInstanceOf(DBLockedException.class);
            assertThatThrownBy(() -> backups.prune(1)).isInstanceOf(DBLockedException.class);
            refused.incrementAndGet();
          });
      assertThat(refused.get()).isPositive();
    }
  }

  @Test
  void create_endedByItsListener_leavesNoBackupAndTheNextUsesWhatWasStored() throws IOException {
    Backups backups = Backups.at(BACKUPS, disk);
    try (DB db = DB.open(DIRECTORY, Setting.DEFAULT.options(disk))) {
      write(db, history, 1, 100);
      db.admin().compactRange(null, null);
      assertThatThrownBy(
              () ->
                  backups.create(
                      db.admin(),
                      (done, total) -> {
                        if (done == total) {
                          throw new IllegalStateException("cancelled");
                        }
                      }))
          .hasMessage("cancelled");
      assertThat(backups.list()).isEmpty();
      Backup made = backups.create(db.admin());
      assertThat(made.addedBytes()).isLessThan(made.bytes());
      assertThat(backups.verify(made.number())).isEmpty();
    }
  }

  @Test
  void restore_ontoSomethingThatExists_isRefused() throws IOException {
    Backups backups = Backups.at(BACKUPS, disk);
    try (DB db = DB.open(DIRECTORY, Setting.DEFAULT.options(disk))) {
      write(db, history, 1, 10);
      backups.create(db.admin());
      assertThatThrownBy(() -> backups.restore(1, DIRECTORY))
          .isInstanceOf(DatabaseExistsException.class)
          .hasMessageContaining("exists already");
      history.expectPrefix(db, 10, 10);
    }
    assertThat(disk.list(PARENT)).containsExactlyInAnyOrder("db", "backups");
  }

  @Test
  void storedFile_withAnyByteFlippedCutOrDeleted_isFoundAndNeverRestored() throws IOException {
    Backups backups = Backups.at(BACKUPS, disk);
    try (DB db = DB.open(DIRECTORY, Setting.DEFAULT.options(disk))) {
      write(db, history, 1, 60);
      db.admin().waitForCompactions();
      backups.create(db.admin());
      SplittableRandom random = new SplittableRandom(5);
      Path files = BACKUPS.resolve("files");
      for (String name : disk.list(files)) {
        Path file = files.resolve(name);
        byte[] good = read(file);
        for (int kind = 0; kind < 8; kind++) {
          if (kind == 4) {
            disk.delete(file);
          } else if (kind == 5) {
            write(file, Arrays.copyOf(good, random.nextInt(good.length)));
          } else if (kind == 6) {
            write(file, Arrays.copyOf(good, good.length + 1 + random.nextInt(100)));
          } else if (kind == 7) {
            disk.delete(file);
            disk.createDirectory(file);
          } else {
            byte[] bad = good.clone();
            bad[random.nextInt(bad.length)] ^= (byte) (1 << random.nextInt(8));
            write(file, bad);
          }
          assertThat(backups.verify(1)).containsExactly(file);
          assertThatThrownBy(() -> backups.restore(1, TARGET))
              .isInstanceOf(CorruptionException.class)
              .hasMessageContaining(name);
          assertThat(disk.list(PARENT)).containsExactlyInAnyOrder("db", "backups");
          if (kind == 7) {
            disk.deleteDirectory(file);
          }
          write(file, good);
        }
      }
      for (String name : disk.list(files)) {
        disk.delete(files.resolve(name));
      }
      assertThat(backups.create(db.admin()).addedBytes())
          .as("everything is stored again")
          .isPositive();
      assertThat(backups.verify(1)).isEmpty();
      assertThat(backups.verify(2)).isEmpty();
    }
  }

  @Test
  void storedFile_damagedBeforeTheNextBackup_isStoredAnewAndHealsTheEarlierOne()
      throws IOException {
    Backups backups = Backups.at(BACKUPS, disk);
    try (DB db = DB.open(DIRECTORY, Setting.DEFAULT.options(disk))) {
      write(db, history, 1, 60);
      db.admin().compactRange(null, null);
      backups.create(db.admin());
      Path files = BACKUPS.resolve("files");
      SplittableRandom random = new SplittableRandom(6);
      for (String name : disk.list(files)) {
        byte[] bad = read(files.resolve(name));
        if (bad.length > 0) {
          bad[random.nextInt(bad.length)] ^= (byte) (1 << random.nextInt(8));
          write(files.resolve(name), bad);
        }
      }
      Backup second = backups.create(db.admin());
      assertThat(second.addedBytes()).isEqualTo(second.bytes());
      assertThat(backups.verify(2)).isEmpty();
      assertThat(backups.verify(1)).isEmpty();
    }
  }

  @Test
  void storedFile_thatCannotBeRead_isNamedAndTheNextBackupStoresItAnew() throws IOException {
    AtomicReference<@Nullable Path> unreadable = new AtomicReference<>();
    Env env =
        new ForwardingEnv(disk) {
          @Override
          public RandomAccessFile openRandomAccess(Path file, boolean map) throws IOException {
            RandomAccessFile opened = super.openRandomAccess(file, map);
            if (!file.equals(unreadable.get())) {
              return opened;
            }
            return new ForwardingRandomAccessFile(opened) {
              @Override
              public int read(long position, ByteBuffer into, int offset, int length)
                  throws IOException {
                throw new IOException("Input/output error");
              }
            };
          }

          @Override
          public void rename(Path from, Path to) throws IOException {
            super.rename(from, to);
            if (to.equals(unreadable.get())) {
              unreadable.set(null);
            }
          }
        };
    Backups backups = Backups.at(BACKUPS, env);
    try (DB db = DB.open(DIRECTORY, Setting.DEFAULT.options(disk))) {
      write(db, history, 1, 60);
      db.admin().compactRange(null, null);
      backups.create(db.admin());
      Path files = BACKUPS.resolve("files");
      Path table =
          files.resolve(
              disk.list(files).stream().filter(n -> n.contains(".ldb.")).findFirst().orElseThrow());
      Path other =
          files.resolve(
              disk.list(files).stream()
                  .filter(n -> n.contains("MANIFEST"))
                  .findFirst()
                  .orElseThrow());
      byte[] good = read(other);
      write(other, new byte[good.length]);
      unreadable.set(table);
      assertThat(backups.verify(1)).containsExactlyInAnyOrder(table, other);
      write(other, good);
      assertThatThrownBy(() -> backups.restore(1, TARGET))
          .isInstanceOf(DBIOException.class)
          .hasMessageContaining("cannot copy " + table)
          .hasMessageContaining("Input/output error");
      assertThat(disk.exists(TARGET)).isFalse();
      Backup second = backups.create(db.admin());
      assertThat(second.addedBytes()).isGreaterThanOrEqualTo(disk.size(table));
      assertThat(backups.verify(1)).isEmpty();
      assertThat(backups.verify(2)).isEmpty();
      Path list = BACKUPS.resolve("backup-000002");
      assertThat(disk.exists(list)).isTrue();
      unreadable.set(list);
      assertThatThrownBy(backups::list)
          .isInstanceOf(DBIOException.class)
          .hasMessageContaining("cannot read " + list)
          .hasMessageContaining("Input/output error");
    }
  }

  @Test
  void tableOfTheDatabase_thatCannotBeReadForTheNextBackup_isNamed() {
    FaultEnv faulty = new FaultEnv(disk);
    Backups backups = Backups.at(BACKUPS, disk);
    try (DB db = DB.open(DIRECTORY, Setting.DEFAULT.options(faulty))) {
      write(db, history, 1, 60);
      db.admin().compactRange(null, null);
      backups.create(db.admin());
      faulty.fail(
          FaultEnv.Fault.ERROR,
          Long.MAX_VALUE,
          each -> each.kind() == FaultEnv.Kind.READ && each.isOn(".ldb"));
      assertThatThrownBy(() -> backups.create(db.admin()))
          .isInstanceOf(DBIOException.class)
          .hasMessageMatching("cannot make a backup in .*: cannot read [0-9]{6}\\.ldb: .*");
      faulty.heal();
      assertThat(backups.create(db.admin()).addedBytes()).isZero();
    }
  }

  @Test
  void listsOfTwoBackups_exchanged_areFound() throws IOException {
    Backups backups = Backups.at(BACKUPS, disk);
    try (DB db = DB.open(DIRECTORY, Setting.DEFAULT.options(disk))) {
      write(db, history, 1, 10);
      backups.create(db.admin());
      write(db, history, 11, 20);
      backups.create(db.admin());
    }
    Path one = BACKUPS.resolve("backup-000001");
    Path two = BACKUPS.resolve("backup-000002");
    byte[] first = read(one);
    write(one, read(two));
    write(two, first);
    assertThatThrownBy(() -> backups.restore(1, TARGET))
        .isInstanceOf(CorruptionException.class)
        .hasMessageContaining("it is the list of backup 2");
    assertThatThrownBy(() -> backups.prune(1)).isInstanceOf(CorruptionException.class);
    assertThat(disk.exists(TARGET)).isFalse();
  }

  @Test
  void listOfABackup_underAnotherName_isRefusedAndNothingIsDeleted() throws IOException {
    Backups backups = Backups.at(BACKUPS, disk);
    try (DB db = DB.open(DIRECTORY, Setting.DEFAULT.options(disk))) {
      write(db, history, 1, 10);
      Backup made = backups.create(db.admin());
      for (String name :
          List.of(
              "backup-0000001",
              "backup-1",
              "backup-999999999999999999",
              "backup-000000",
              "backup-1000000000000000000",
              "backup-000001.old")) {
        Path odd = BACKUPS.resolve(name);
        write(odd, read(BACKUPS.resolve("backup-000001")));
        assertThatThrownBy(backups::list)
            .isInstanceOf(CorruptionException.class)
            .hasMessageContaining(name);
        assertThatThrownBy(() -> backups.prune(1)).isInstanceOf(CorruptionException.class);
        assertThatThrownBy(() -> backups.create(db.admin()))
            .isInstanceOfAny(IllegalArgumentException.class, CorruptionException.class);
        assertThat(backups.verify(1)).isEmpty();
        disk.delete(odd);
      }
      assertThat(disk.list(BACKUPS.resolve("files"))).hasSize(made.files());
    }
  }

  @Test
  void create_afterTheHighestNumber_isRefused() throws IOException {
    long highest = 999_999_999_999_999_999L;
    writeCatalog(
        highest,
        "kv backup 2\nnumber "
            + highest
            + "\ncreated 2026-01-01T00:00:00Z\n"
            + "sequence 1\nadded 1\n");
    Backups backups = Backups.at(BACKUPS, disk);
    assertThat(backups.list()).hasSize(1);
    try (DB db = DB.open(DIRECTORY, Setting.DEFAULT.options(disk))) {
      assertThatThrownBy(() -> backups.create(db.admin()))
          .isInstanceOf(DBIOException.class)
          .hasMessageContaining("no number after");
    }
    assertThat(disk.list(BACKUPS))
        .contains("backup-" + highest)
        .doesNotContain("backup-" + (highest + 1));
  }

  @Test
  void listOfABackup_withSizesBeyondALong_isDamaged() throws IOException {
    String text = "kv backup 1\ncreated 2026-01-01T00:00:00Z\nsequence 1\nadded 1\n";
    for (int i = 1; i <= 10; i++) {
      text += "file 00000" + i + ".ldb 999999999999999999 00000000\n";
    }
    writeCatalog(1, text);
    assertThatThrownBy(() -> Backups.at(BACKUPS, disk).list())
        .isInstanceOf(CorruptionException.class)
        .hasMessageContaining("larger than any disk");
  }

  @Test
  void listOfABackup_withoutItsNumber_isReadAsBefore() throws IOException {
    writeCatalog(7, "kv backup 1\ncreated 2026-01-01T00:00:00Z\nsequence 5\nadded 3\n");
    assertThat(Backups.at(BACKUPS, disk).list())
        .containsExactly(new Backup(7, Instant.parse("2026-01-01T00:00:00Z"), 5, 0, 0, 3));
  }

  private void writeCatalog(long number, String lines) throws IOException {
    CRC32C checksum = new CRC32C();
    checksum.update(lines.getBytes(US_ASCII));
    disk.createDirectory(BACKUPS.resolve("files"));
    String text =
        lines + "checksum " + String.format(Locale.ROOT, "%08x", checksum.getValue()) + "\n";
    write(
        BACKUPS.resolve(String.format(Locale.ROOT, "backup-%06d", number)),
        text.getBytes(US_ASCII));
  }

  @Test
  void listOfABackup_withAnyByteFlippedOrCut_isFoundAndNothingIsDeleted() throws IOException {
    Backups backups = Backups.at(BACKUPS, disk);
    try (DB db = DB.open(DIRECTORY, Setting.DEFAULT.options(disk))) {
      write(db, history, 1, 60);
      backups.create(db.admin());
      write(db, history, 61, 120);
      db.admin().compactRange(null, null);
      backups.create(db.admin());
      Path file = BACKUPS.resolve("backup-000001");
      byte[] good = read(file);
      List<String> stored = disk.list(BACKUPS.resolve("files"));
      for (int i = 0; i < 2 * good.length; i++) {
        byte[] bad = good.clone();
        if (i < good.length) {
          bad[i] ^= (byte) (1 << i % 8);
        } else {
          bad = Arrays.copyOf(good, i - good.length);
        }
        write(file, bad);
        assertThatThrownBy(backups::list).isInstanceOf(CorruptionException.class);
        assertThatThrownBy(() -> backups.verify(1)).isInstanceOf(CorruptionException.class);
        assertThatThrownBy(() -> backups.prune(1)).isInstanceOf(CorruptionException.class);
        assertThatThrownBy(() -> backups.create(db.admin()))
            .isInstanceOf(CorruptionException.class);
      }
      assertThat(disk.list(BACKUPS.resolve("files"))).containsExactlyInAnyOrderElementsOf(stored);
      assertThat(backups.verify(2)).isEmpty();
      write(file, good);
      assertThat(backups.verify(1)).isEmpty();
    }
  }

  @Test
  void listOfABackup_withForgedNames_isRefused() throws IOException {
    Backups backups = Backups.at(BACKUPS, disk);
    disk.createDirectory(BACKUPS.resolve("files"));
    List<String> others = List.of("/etc/passwd", "LOCK", "a.ldb", "000001.ldb/x", "C:CURRENT");
    List<String> elsewhere = List.of("../db/CURRENT", "..\\db\\CURRENT", "db\\000001.ldb");
    for (String name : Stream.concat(others.stream(), elsewhere.stream()).toList()) {
      String text = "kv backup 1\ncreated 2026-01-01T00:00:00Z\nsequence 1\nadded 1\n";
      text += "file " + name + " 1 00000000\n";
      writeCatalog(1, text);
      assertThatThrownBy(() -> backups.restore(1, TARGET))
          .isInstanceOf(CorruptionException.class)
          .hasMessageContaining("names no file of a database");
    }
  }

  // Faults and loss of power.

  /** What is done to the backups while operations fail. */
  private void change(Backups backups, DB db) {
    backups.create(db.admin());
    backups.prune(1);
    backups.restore(2, TARGET);
  }

  @ParameterizedTest
  @Tag("slow")
  @EnumSource(Fault.class)
  void operationOnBackups_failing_keepsEachBackupWholeOrAbsent(Fault fault) throws IOException {
    for (boolean forever : new boolean[] {false, true}) {
      boolean injected = true;
      for (long k = 1 + fault.ordinal() % FAULT_STEP; injected; k += FAULT_STEP) {
        createParent();
        FaultEnv faulty = new FaultEnv(disk);
        Backups backups = Backups.at(BACKUPS, faulty);
        String what = fault + (forever ? " from " : " at ") + "operation " + k;
        Setting setting = Setting.of(k);
        try (DB db = DB.open(DIRECTORY, setting.options(disk))) {
          write(db, history, 1, 40);
          backups.create(db.admin());
          write(db, history, 41, 60);
          if (forever) {
            faulty.failFrom(faulty.operations() + k, fault);
          } else {
            faulty.failOnce(faulty.operations() + k, fault);
          }
          boolean failed = false;
          try {
            change(backups, db);
          } catch (DBException e) {
            failed = true;
          }
          injected = faulty.injected() > 0;
          faulty.heal();
          List<Backup> left = backups.list();
          assertThat(left).as(what).isNotEmpty();
          assertThat(failed || left.size() == 1).as(what).isTrue();
          for (Backup each : left) {
            assertThat(backups.verify(each.number())).as(what).isEmpty();
            int count = each.number() == 1 ? 40 : 60;
            assertThat(each.sequence()).as(what).isEqualTo(operations(history, count));
          }
          if (disk.exists(TARGET)) {
            try (DB restored = DB.open(TARGET, setting.options(disk))) {
              history.expectPrefix(restored, 60, 60);
            }
          }
          Backup next = backups.create(db.admin());
          assertThat(backups.verify(next.number())).as(what).isEmpty();
          assertThat(backups.prune(1)).as(what).isNotEmpty();
          assertThat(disk.list(BACKUPS.resolve("files"))).as(what).hasSize(next.files());
        } catch (RuntimeException | AssertionError e) {
          throw new AssertionError(what + ", " + faulty.lastFault(), e);
        }
      }
    }
  }

  /** The death of the process is the clone that keeps everything. */
  @Test
  void powerOrProcess_lostAtEachStep_keepsEachBackupWholeOrAbsent() throws IOException {
    FaultEnv watched = new FaultEnv(disk);
    Backups backups = Backups.at(BACKUPS, watched);
    int[] seen = new int[4];
    StrictMemEnv after;
    AtomicReference<@Nullable Throwable> failure = new AtomicReference<>();
    try (DB db = DB.open(DIRECTORY, Setting.DEFAULT.options(disk))) {
      write(db, history, 1, 40);
      backups.create(db.admin());
      write(db, history, 41, 60);
      watched.watch(
          operation -> {
            for (int percent : PERCENT_KEPT) {
              try {
                expectWholeOrAbsent(disk.crashClone(percent, seen[3]++), seen);
              } catch (IOException | RuntimeException | AssertionError e) {
                failure.compareAndSet(null, e);
              }
            }
          });
      change(backups, db);
      watched.watch(operation -> {});
      after = disk.crashClone(0, 1);
    }
    assertThat(failure.get()).isNull();
    expectWholeOrAbsent(after, seen);
    assertThat(seen).as("states met").doesNotContain(0);
    assertThat(seen[3]).as("clones").isGreaterThan(150);
    assertThat(Backups.at(BACKUPS, after).list()).hasSize(1);
  }

  /** Counts the restored database, the first and the second backup in {@code seen}. */
  private void expectWholeOrAbsent(StrictMemEnv clone, int[] seen) throws IOException {
    Backups found = Backups.at(BACKUPS, clone);
    List<Backup> left = found.list();
    assertThat(left).isNotEmpty();
    for (Backup each : left) {
      seen[(int) each.number()]++;
      assertThat(found.verify(each.number())).isEmpty();
      assertThat(each.sequence()).isEqualTo(operations(history, each.number() == 1 ? 40 : 60));
    }
    int count = 60;
    if (clone.exists(TARGET)) {
      seen[0]++;
    } else {
      Backup newest = left.get(left.size() - 1);
      found.restore(newest.number(), TARGET);
      count = newest.number() == 1 ? 40 : 60;
    }
    try (DB restored = DB.open(TARGET, Setting.DEFAULT.options(clone))) {
      history.expectPrefix(restored, count, count);
    }
  }

  private byte[] read(Path file) throws IOException {
    byte[] content = new byte[(int) disk.size(file)];
    try (RandomAccessFile in = disk.openRandomAccess(file, false)) {
      in.read(0, ByteBuffer.wrap(content), 0, content.length);
    }
    return content;
  }

  private void write(Path file, byte[] content) throws IOException {
    try (WritableFile out = disk.createWritable(file)) {
      out.append(ByteBuffer.wrap(content));
    }
  }

  @Test
  void create_inNewDirectories_isDurable() {
    Path nested = PARENT.resolve("a").resolve("b");
    try (DB db = DB.open(DIRECTORY, Setting.DEFAULT.options(disk))) {
      write(db, history, 1, 5);
      Backups.at(nested, disk).create(db.admin());
    }
    assertThat(Backups.at(nested, disk.crashClone(0, 1)).list()).hasSize(1);
  }

  /** The first attempt has made the directories, and may not have come to their syncs. */
  @Test
  void create_afterOneThatFailedAtItsBeginning_isDurable() {
    FaultEnv env = new FaultEnv(disk);
    Backups backups = Backups.at(BACKUPS, env);
    try (DB db = DB.open(DIRECTORY, Setting.DEFAULT.options(disk))) {
      write(db, history, 1, 5);
      env.fail(
          FaultEnv.Fault.ERROR,
          Long.MAX_VALUE,
          each -> each.kind() == FaultEnv.Kind.SYNC_DIRECTORY);
      assertThatThrownBy(() -> backups.create(db.admin())).isInstanceOf(DBIOException.class);
      env.heal();
      backups.create(db.admin());
    }
    assertThat(Backups.at(BACKUPS, disk.crashClone(0, 1)).list()).hasSize(1);
  }

  /** The name of the new store must be durable before that of the list that names its files. */
  @Test
  void create_afterTheStoreWasDeleted_isWholeOrAbsentAfterLossOfPower() throws IOException {
    FaultEnv watched = new FaultEnv(disk);
    Backups backups = Backups.at(BACKUPS, watched);
    List<StrictMemEnv> clones = new ArrayList<>();
    try (DB db = DB.open(DIRECTORY, Setting.DEFAULT.options(disk))) {
      write(db, history, 1, 5);
      backups.create(db.admin());
      deleteWithFiles(BACKUPS.resolve("files"));
      watched.watch(
          operation -> {
            for (int i = 0; i < 20 && operation.kind() == FaultEnv.Kind.SYNC_DIRECTORY; i++) {
              clones.add(disk.crashClone(50, clones.size()));
            }
          });
      backups.create(db.admin());
    }
    int whole = 0;
    for (StrictMemEnv clone : clones) {
      Backups found = Backups.at(BACKUPS, clone);
      if (found.numbers().contains(2L)) {
        assertThat(found.verify(2)).isEmpty();
        whole++;
      }
    }
    assertThat(whole).isBetween(1, clones.size() - 1);
  }

  private void deleteWithFiles(Path directory) throws IOException {
    for (String name : disk.list(directory)) {
      disk.delete(directory.resolve(name));
    }
    disk.deleteDirectory(directory);
  }

  @Test
  void listOfABackup_deletedBeforeItIsOpened_saysThatThereIsNone() {
    Env pruning =
        new ForwardingEnv(disk) {
          @Override
          public boolean exists(Path file) throws IOException {
            boolean found = super.exists(file);
            if (file.startsWith(BACKUPS) && !file.equals(BACKUPS)) {
              super.delete(file);
            }
            return found;
          }
        };
    try (DB db = DB.open(DIRECTORY, Setting.DEFAULT.options(disk))) {
      for (int i = 1; i <= 3; i++) {
        Backups.at(BACKUPS, disk).create(db.admin());
      }
    }
    Backups backups = Backups.at(BACKUPS, pruning);
    List<Runnable> calls =
        List.of(() -> backups.get(1), () -> backups.verify(2), () -> backups.restore(3, TARGET));
    for (Runnable call : calls) {
      assertThatThrownBy(call::run)
          .isInstanceOf(NoSuchBackupException.class)
          .hasMessageContaining("there is no backup");
    }
  }

  @Test
  void verify_ofABackupThatIsPrunedMeanwhile_saysThatThereIsNone() {
    Backups backups = Backups.at(BACKUPS, disk);
    try (DB db = DB.open(DIRECTORY, Setting.DEFAULT.options(disk))) {
      write(db, history, 1, 5);
      db.admin().flush();
      backups.create(db.admin());
      write(db, history, 6, 20);
      db.admin().compactRange(null, null);
      backups.create(db.admin());
    }
    assertThatThrownBy(() -> backups.verify(1, once(() -> backups.prune(1))))
        .isInstanceOf(NoSuchBackupException.class)
        .hasMessageContaining("no backup 1");
    assertThat(backups.verify(2)).isEmpty();
  }

  @Test
  void restore_ofABackupThatIsPrunedMeanwhile_saysThatThereIsNone() throws IOException {
    Backups backups = Backups.at(BACKUPS, disk);
    try (DB db = DB.open(DIRECTORY, Setting.DEFAULT.options(disk))) {
      write(db, history, 1, 5);
      db.admin().flush();
      backups.create(db.admin());
      write(db, history, 6, 20);
      db.admin().compactRange(null, null);
      backups.create(db.admin());
    }
    assertThatThrownBy(() -> backups.restore(1, TARGET, once(() -> backups.prune(1))))
        .isInstanceOf(NoSuchBackupException.class)
        .hasMessageContaining("no backup 1");
    assertThat(disk.exists(TARGET)).isFalse();
  }

  /** Returns a listener that acts when it is called first. */
  private static ProgressListener once(Runnable action) {
    AtomicBoolean first = new AtomicBoolean(true);
    return (bytes, total) -> {
      if (first.getAndSet(false)) {
        action.run();
      }
    };
  }

  @Test
  void restore_whoseNewDirectoryIsDeletedMeanwhile_doesNotCallTheBackupDamaged() {
    Backups backups = Backups.at(BACKUPS, disk);
    try (DB db = DB.open(DIRECTORY, Setting.DEFAULT.options(disk))) {
      write(db, history, 1, 5);
      backups.create(db.admin());
    }
    Path written = PARENT.resolve("restored.partial").resolve("files");
    assertThatThrownBy(
            () ->
                backups.restore(
                    1,
                    TARGET,
                    once(
                        () -> {
                          try {
                            deleteWithFiles(written);
                          } catch (IOException e) {
                            throw new UncheckedIOException(e);
                          }
                        })))
        .isInstanceOf(DBIOException.class)
        .hasMessageContaining(written.toString());
    assertThat(backups.verify(1)).isEmpty();
  }

  /** As /backups, which often leads to another disk. */
  @Test
  @DisabledOnOs(value = OS.WINDOWS, disabledReason = "symbolic links need a privilege there")
  void checkpointAndRestore_toAParentThatIsALink_areWritten() throws IOException {
    Path real = Files.createDirectory(temp.resolve("real"));
    Path link = Files.createSymbolicLink(temp.resolve("link"), real);
    Backups backups = Backups.at(link.resolve("backups"));
    Options options = Setting.DEFAULT.options(Env.fileSystem());
    try (DB db = DB.open(temp.resolve("db"), options)) {
      write(db, history, 1, 20);
      backups.create(db.admin());
      db.admin().checkpoint(link.resolve("checkpoint"));
    }
    expectRestored(backups, Env.fileSystem(), Setting.DEFAULT, 1, link.resolve("restored"), 20);
    try (DB db = DB.open(real.resolve("checkpoint"), options)) {
      history.expectPrefix(db, 20, 20);
    }
    try (Stream<Path> left = Files.list(real)) {
      assertThat(left)
          .containsExactlyInAnyOrder(real.resolve("backups"), real.resolve("checkpoint"));
    }
  }

  @Test
  @DisabledOnOs(value = OS.WINDOWS, disabledReason = "symbolic links need a privilege there")
  void newDirectory_inThePlaceOfALinkThatLeadsNowhere_isRefusedAtOnce() throws IOException {
    Path link = Files.createSymbolicLink(temp.resolve("link"), temp.resolve("nowhere"));
    assertThatThrownBy(() -> NewDirectory.begin(Env.fileSystem(), link))
        .isInstanceOf(FileAlreadyExistsException.class);
    assertThat(link).isSymbolicLink();
    assertThat(temp.resolve("link.partial")).doesNotExist();
  }

  /** As in a copy of the directory by hard links, made after the death of a {@code create}. */
  @Test
  void create_afterTheRestsOfAnother_keepsTheBytesOfTheirOtherNames() throws IOException {
    Path directory = temp.resolve("backups");
    Backups backups = Backups.at(directory);
    try (DB db = DB.open(temp.resolve("db"), Setting.DEFAULT.options(Env.fileSystem()))) {
      write(db, history, 1, 20);
      backups.create(db.admin());
      Path file = Files.writeString(temp.resolve("file"), "file");
      Path list = Files.writeString(temp.resolve("list"), "list");
      Files.createLink(directory.resolve("files/copying.tmp"), file);
      Files.createLink(directory.resolve("copying.tmp"), list);
      write(db, history, 21, 40);
      backups.create(db.admin());
      assertThat(file).hasBinaryContent("file".getBytes(US_ASCII));
      assertThat(list).hasBinaryContent("list".getBytes(US_ASCII));
    }
    assertThat(backups.verify(2)).isEmpty();
    assertThat(directory.resolve("copying.tmp")).doesNotExist();
  }

  /** As if the list were on a volume that is not there: what it names must not be deleted. */
  @Test
  @DisabledOnOs(value = OS.WINDOWS, disabledReason = "symbolic links need a privilege there")
  void prune_withAListThatCannotBeFound_deletesNothing() throws IOException {
    Path directory = temp.resolve("list");
    Backups backups = Backups.at(directory);
    try (DB db = DB.open(temp.resolve("db"), Options.builder().createIfMissing(true).build())) {
      for (int i = 1; i <= 3; i++) {
        write(db, history, 5 * i - 4, 5 * i);
        backups.create(db.admin());
      }
    }
    Path list = directory.resolve("backup-000002");
    Path away = Files.move(list, temp.resolve("away"));
    Files.createSymbolicLink(list, temp.resolve("nowhere"));
    assertThatThrownBy(() -> backups.prune(1)).isInstanceOf(DBIOException.class);
    Files.delete(list);
    Files.move(away, list);
    for (int number = 1; number <= 3; number++) {
      assertThat(backups.verify(number)).isEmpty();
    }
  }
}
