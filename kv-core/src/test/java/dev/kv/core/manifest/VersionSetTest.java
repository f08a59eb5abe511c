package dev.kv.core.manifest;

import static dev.kv.core.version.VersionText.key;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.kv.bytes.DBComparator;
import dev.kv.core.env.FileNames;
import dev.kv.core.key.InternalKeyComparator;
import dev.kv.core.log.LogReader;
import dev.kv.core.log.RecordBuffer;
import dev.kv.core.memory.OffHeapBudget;
import dev.kv.core.table.block.AllocationMeter;
import dev.kv.core.version.Levels;
import dev.kv.core.version.Version;
import dev.kv.core.version.VersionEdit;
import dev.kv.core.version.VersionEditCodec;
import dev.kv.core.version.VersionText;
import dev.kv.errors.CorruptionException;
import dev.kv.errors.DBClosedException;
import dev.kv.errors.DBIOException;
import dev.kv.errors.UnsupportedFormatException;
import dev.kv.testing.FaultEnv;
import java.io.IOException;
import java.nio.file.Files;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Deque;
import java.util.HexFormat;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

final class VersionSetTest extends ManifestTestBase {

  @Test
  void create_ofADatabase_writesTheBytesOfLevelDb() throws IOException {
    NewDatabase.create(context());
    assertThat(names()).containsExactly("CURRENT", "MANIFEST-000001");
    assertThat(Files.readString(FileNames.current(directory))).isEqualTo("MANIFEST-000001\n");
    assertThat(Files.readAllBytes(manifest(1)))
        .isEqualTo(
            HexFormat.of()
                .parseHex(
                    "957cb9c5220001"
                        + "011a6c6576656c64622e4279746577697365436f6d70617261746f72020003020400"));
  }

  @Test
  void open_ofANewDatabase_givesTheNumbersOfLevelDb() {
    try (VersionSet set = created()) {
      assertThat(set.manifestNumber()).isEqualTo(2);
      assertThat(set.logNumber()).isEqualTo(3);
      assertThat(set.newFileNumber()).isEqualTo(4);
      assertThat(names()).contains("CURRENT", "MANIFEST-000001", "MANIFEST-000002");
    }
  }

  /** As of a compaction of a range, or a look at sizes, that the database's close has overtaken. */
  @Test
  @Timeout(value = 60, unit = TimeUnit.SECONDS, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
  void acquireCurrent_afterTheClose_throwsClosed() {
    VersionSet set = created();
    set.acquireCurrent().release();
    Version held = set.acquireCurrent();
    set.close();
    set.acquireCurrent().release(); // somebody holds it still
    held.release();
    assertThatThrownBy(set::acquireCurrent).isInstanceOf(DBClosedException.class);
  }

  @Test
  void logAndApply_ofEdits_isWhatARecoveryFinds() {
    String expected;
    try (VersionSet set = created()) {
      set.setLastSequence(77);
      set.logAndApply(edit("+L0 5:10 a@1..c@2", "+L2 6:20 a@0..b@0"));
      set.logAndApply(edit("-L0 5", "+L1 5:10 a@1..c@2", "+L1 7:9 d@5..e@6:d"));
      set.logAndApply(VersionEdit.builder().compactPointer(1, VersionText.key("c@2")).build());
      expected = describe(set);
      assertThat(set.compactPointers()).hasSize(7);
    }
    assertThat(describeRecovered())
        .isEqualTo(expected)
        .contains("5:10['a' @ 1", "7:9['d'", "last 77");
    try (VersionSet set = recovered(context(files, MAX_FILE_SIZE, false))) {
      // The log's number was 3, and four files follow; the next MANIFEST takes the next number.
      assertThat(set.manifestNumber()).isEqualTo(2);
      assertThat(set.recovered().nextFileNumber()).isEqualTo(4);
      assertThat(set.newFileNumber()).isEqualTo(5);
      assertThat(set.isDurable()).isFalse();
      set.logAndApply(edit("-L2 6"));
      assertThat(set.manifestNumber()).isEqualTo(4);
      assertThat(set.isDurable()).isTrue();
      expected = describe(set);
    }
    assertThat(describeRecovered()).isEqualTo(expected).doesNotContain("6:20");
  }

  /** What can fail for want of memory comes before the edit is durable. */
  @Test
  void logAndApply_ofAnEditThatCannotBeApplied_logsNothing() {
    try (VersionSet set = created()) {
      set.logAndApply(edit("+L0 5:10 a@1..c@2"));
      String before = describe(set);
      VersionEdit unknownLevel =
          VersionEdit.builder().compactPointer(Levels.COUNT, VersionText.key("c@2")).build();
      assertThatThrownBy(() -> set.logAndApply(unknownLevel))
          .isInstanceOf(IndexOutOfBoundsException.class);
      assertThat(set.isFailed()).isFalse();
      set.logAndApply(edit("+L2 6:20 a@0..b@0"));
      assertThat(describe(set)).isNotEqualTo(before);
    }
  }

  /** It is known over any number of MANIFESTs, each of which begins with the whole version. */
  @Test
  void recover_ofFlushedMemtables_knowsThemAsSuch() {
    try (VersionSet set = created()) {
      set.logAndApply(edit("+L0 5:10 a@1..c@2"));
      set.logAndApply(edit("+L0 6:10 a@3..c@4", "+L2 7:20 a@0..b@0"));
    }
    for (int i = 0; i < 3; i++) {
      try (VersionSet set = recovered(context(files, MAX_FILE_SIZE, false))) {
        assertThat(set.current().levelZeroInOrder()).isTrue();
        set.logAndApply(edit("+L1 " + (10 + i) + ":9 " + i + "d@5.." + i + "e@6"));
        assertThat(set.current().levelZeroInOrder()).isTrue();
      }
    }
  }

  /** As C++ LevelDB's repair writes them, and as C++ LevelDB writes them after its own open. */
  @Test
  void recover_ofTablesInTheFirstRecord_doesNotTakeThemForFlushes() throws IOException {
    write(
        complete().addFile(0, VersionText.file("5:10", "a@1..c@2")).build(),
        edit("+L0 6:10 a@3..c@4").toBuilder().logNumber(3).build(),
        edit("+L0 7:10 a@5..c@6"));
    for (int i = 0; i < 3; i++) {
      try (VersionSet set = recovered(context(files, MAX_FILE_SIZE, false))) {
        Version version = set.current();
        assertThat(List.of(version.isFlushed(0), version.isFlushed(1), version.isFlushed(2)))
            .containsExactly(false, true, false);
        set.logAndApply(edit("+L1 " + (10 + i) + ":9 " + i + "d@5.." + i + "e@6"));
      }
    }
  }

  /** What the MANIFEST lacks is not a flush or two: it counts for nothing. */
  @Test
  void recover_ofAManifestWithoutTheRecordAfterTheFlushes_isRefused() throws IOException {
    byte[] whole;
    try (VersionSet set = created()) {
      set.logAndApply(edit("+L0 5:10 a@1..c@2"));
      set.logAndApply(edit("+L0 6:10 a@3..c@4"));
    }
    try (VersionSet set = recovered(context(files, MAX_FILE_SIZE, false))) {
      set.logAndApply(edit("-L0 5"));
      whole = Files.readAllBytes(manifest(set.manifestNumber()));
      for (int length = 0; length < whole.length; length++) {
        Files.write(manifest(set.manifestNumber()), Arrays.copyOf(whole, length));
        assertThatThrownBy(() -> recovered(context(files, MAX_FILE_SIZE, false)).close())
            .isInstanceOf(CorruptionException.class);
      }
    }
  }

  @Test
  void logAndApply_ofAChange_preparesWritesAndInstallsInThisOrder() {
    List<String> steps = new ArrayList<>();
    try (VersionSet set = created()) {
      Version before = set.current();
      set.logAndApply(
          new VersionInstall() {
            @Override
            public VersionEdit prepare(Version current) {
              assertThat(current).isSameAs(before);
              env.operations().clear();
              steps.add("prepare");
              return edit("+L0 5:10 a@1..c@2");
            }

            @Override
            public void install(Version next) {
              assertThat(set.current()).isSameAs(next);
              assertThat(next.fileCount(0)).isEqualTo(1);
              steps.addAll(env.operations());
              steps.add("install");
            }
          });
    }
    assertThat(steps)
        .containsExactly(
            "prepare",
            "sync directory",
            "append MANIFEST-000002",
            "sync MANIFEST-000002",
            "install");
  }

  @Test
  void logAndApply_ofTheFirstEdit_changesCurrentOnlyOnceTheManifestIsDurable() {
    NewDatabase.create(context());
    try (VersionSet set = recovered(context())) {
      env.operations().clear();
      set.logAndApply(edit("+L0 5:10 a@1..c@2"));
    }
    assertThat(env.operations())
        .containsExactly(
            "create MANIFEST-000002",
            "append MANIFEST-000002",
            "append MANIFEST-000002",
            "sync MANIFEST-000002",
            "sync directory",
            "create 000002.dbtmp",
            "append 000002.dbtmp",
            "sync 000002.dbtmp",
            "rename 000002.dbtmp to CURRENT",
            "sync directory");
  }

  @Test
  void create_ofADatabase_makesEachStepDurableBeforeTheNext() {
    NewDatabase.create(context());
    assertThat(env.operations())
        .containsExactly(
            "create MANIFEST-000001",
            "append MANIFEST-000001",
            "sync MANIFEST-000001",
            "sync directory",
            "create 000001.dbtmp",
            "append 000001.dbtmp",
            "sync 000001.dbtmp",
            "rename 000001.dbtmp to CURRENT",
            "sync directory");
  }

  @Test
  void recover_readOnly_writesNothing() {
    created().close();
    env.operations().clear();
    try (VersionSet set = new VersionSet(context(env, MAX_FILE_SIZE, true), () -> {})) {
      set.recover(true);
      assertThat(set.logNumber()).isEqualTo(3);
    }
    assertThat(env.operations()).isEmpty();
  }

  @Test
  void recover_withReuse_goesOnWithTheManifest() {
    created().close();
    try (VersionSet set = new VersionSet(context(env, MAX_FILE_SIZE, true), () -> {})) {
      assertThat(set.recover(false)).isFalse();
      assertThat(set.manifestNumber()).isEqualTo(2);
      set.logAndApply(edit("+L0 8:10 a@1..c@2"));
    }
    assertThat(names()).doesNotContain("MANIFEST-000003", "MANIFEST-000004");
    assertThat(describeRecovered()).contains("8:10['a'");
  }

  @Test
  void recover_withReuseOfALargeManifest_beginsAnother() {
    created().close();
    try (VersionSet set = new VersionSet(context(env, 30, true), () -> {})) {
      assertThat(set.recover(false)).isTrue();
    }
  }

  @Test
  void recover_withReuseOfATornManifest_beginsAnother() throws IOException {
    created().close();
    byte[] whole = Files.readAllBytes(manifest(2));
    for (int extra = 1; extra < 12; extra++) {
      byte[] torn = Arrays.copyOf(whole, whole.length + extra);
      Arrays.fill(torn, whole.length, torn.length, (byte) (extra > 6 ? 1 : 0));
      Files.write(manifest(2), torn);
      Files.write(FileNames.log(directory, 3), new byte[0]);
      try (VersionSet set = new VersionSet(context(files, MAX_FILE_SIZE, true), () -> {})) {
        assertThat(set.recover(false)).as("%d bytes behind", extra).isTrue();
      }
    }
  }

  @Test
  void logAndApply_onceTheManifestIsLarge_replacesIt() throws IOException {
    NewDatabase.create(context());
    String expected;
    try (VersionSet set = recovered(context(env, 1000, false))) {
      for (int i = 10; i < 200; i++) {
        VersionEdit.Builder edit =
            edit("+L1 " + i + ":" + i + " k" + i + "@5..k" + i + "@4").toBuilder();
        set.logAndApply((i > 12 ? edit.deleteFile(1, i - 3) : edit).build());
        set.markFileNumberUsed(i);
      }
      expected = describe(set);
      assertThat(set.manifestNumber()).isGreaterThan(20);
      assertThat(Files.size(manifest(set.manifestNumber()))).isLessThan(2000);
      assertThat(Files.readString(FileNames.current(directory)))
          .isEqualTo(manifest(set.manifestNumber()).getFileName() + "\n");
    }
    assertThat(describeRecovered()).isEqualTo(expected);
  }

  /** A record of the whole state may be larger than an array. */
  @Test
  void logAndApply_ofTheFirstEditBesideLongKeys_beginsTheManifestWithSeveralRecords()
      throws IOException {
    String pad = "k".repeat(100_000);
    List<String> tables = new ArrayList<>();
    for (int i = 100; i < 130; i++) {
      tables.add("+L" + i % 2 + " " + i + ":10 " + i + pad + "@5.." + i + pad + "x@4");
    }
    String expected;
    try (VersionSet set = created()) {
      set.logAndApply(edit(tables.toArray(String[]::new)));
      set.logAndApply(edit("-L0 100").toBuilder().compactPointer(1, key(pad + "@3")).build());
      expected = describe(set);
    }
    long number;
    try (VersionSet set = recovered(context())) {
      set.logAndApply(edit("-L6 1"));
      number = set.manifestNumber();
    }
    try (VersionSet set = recovered(context())) {
      assertThat(describe(set)).isEqualTo(expected);
      assertThat(set.current().fileCount(0)).isEqualTo(14);
      assertThat(set.current().isFlushed(0) && set.current().isFlushed(13)).isTrue();
      assertThat(set.manifestNumber()).isEqualTo(number);
    }
    List<Long> ends = new ArrayList<>();
    RecordBuffer record = new RecordBuffer();
    try (LogReader reader =
        new LogReader(files, manifest(number), (offset, bytes, what, torn) -> {})) {
      while (reader.readRecord(record)) {
        assertThat(record.length()).isLessThan(2 << 20);
        ends.add(reader.endOfLastRecord());
      }
    }
    record.free();
    assertThat(ends).as("the edit, and 6 MB of keys").hasSizeGreaterThan(6);
    byte[] whole = Files.readAllBytes(manifest(number));
    for (long end : ends.subList(0, ends.size() - 1)) {
      Files.write(manifest(number), Arrays.copyOf(whole, (int) end));
      assertThatThrownBy(() -> recovered(context()))
          .as("cut after %d bytes", end)
          .isInstanceOf(CorruptionException.class);
    }
  }

  /**
   * C++ LevelDB reads them, and a recovery from a damaged MANIFEST relies on it: the comparator is
   * in the first record, flushes are in one of their own with the log's number, and only the last
   * has the numbers.
   */
  @Test
  void logAndApply_ofTheFirstEdit_beginsTheManifestWithTheseRecords() throws IOException {
    write(
        complete()
            .previousLogNumber(2)
            .compactPointer(2, key("c@7"))
            .compactPointer(5, key("d@8"))
            .addFile(0, VersionText.file("5:10", "a@1..c@2"))
            .addFile(1, VersionText.file("6:10", "b@1..c@2"))
            .addFile(6, VersionText.file("7:10", "a@1..c@2"))
            .build(),
        edit("+L0 8:10 a@3..c@4").toBuilder().logNumber(3).build(),
        edit("+L0 9:10 a@5..c@6").toBuilder().logNumber(3).build());
    try (VersionSet set = recovered(context(files, MAX_FILE_SIZE, false))) {
      set.logAndApply(edit("-L0 5"));
      assertThat(records(set.manifestNumber()))
          .containsExactly(
              """
              VersionEdit {
                Comparator: leveldb.BytewiseComparator
                CompactPointer: 2 'c' @ 7 : 1
                CompactPointer: 5 'd' @ 8 : 1
                AddFile: 0 5 10 'a' @ 1 : 1 .. 'c' @ 2 : 1
                AddFile: 1 6 10 'b' @ 1 : 1 .. 'c' @ 2 : 1
                AddFile: 6 7 10 'a' @ 1 : 1 .. 'c' @ 2 : 1
              }
              """,
              """
              VersionEdit {
                LogNumber: 3
                AddFile: 0 8 10 'a' @ 3 : 1 .. 'c' @ 4 : 1
                AddFile: 0 9 10 'a' @ 5 : 1 .. 'c' @ 6 : 1
              }
              """,
              """
              VersionEdit {
                LogNumber: 3
                PrevLogNumber: 2
                NextFile: 51
                LastSeq: 1000
                RemoveFile: 0 5
              }
              """);
    }
  }

  private List<String> records(long number) throws IOException {
    List<String> records = new ArrayList<>();
    RecordBuffer record = new RecordBuffer();
    String file = manifest(number).toString();
    try (LogReader reader =
        new LogReader(files, manifest(number), (offset, bytes, what, torn) -> {})) {
      while (reader.readRecord(record)) {
        records.add(VersionEditCodec.decode(record.buffer(), record.length(), file, 0).describe());
      }
    }
    record.free();
    return records;
  }

  @Test
  void recover_withAnotherComparator_namesBoth() {
    created().close();
    ManifestContext other =
        new ManifestContext(
            files,
            directory,
            new InternalKeyComparator(DBComparator.ofArrays("mine", Arrays::compare)),
            new OffHeapBudget(0),
            MAX_FILE_SIZE,
            false);
    assertThatThrownBy(() -> recovered(other))
        .isInstanceOf(UnsupportedFormatException.class)
        .hasMessageContaining("leveldb.BytewiseComparator")
        .hasMessageContaining("mine");
  }

  @Test
  void recover_ofARocksDbManifest_saysSo() throws IOException {
    write(7, List.of(HexFormat.of().parseHex("0302" + "ac0200")));
    assertThatThrownBy(this::describeRecovered)
        .isInstanceOf(UnsupportedFormatException.class)
        .hasMessageContaining("RocksDB");
  }

  @Test
  void recover_withoutANeededField_isCorruption() throws IOException {
    VersionEdit whole = complete().build();
    write(whole);
    assertThat(describeRecovered()).contains("log 3 last 1000");
    write(VersionEdit.builder().logNumber(1).lastSequence(1).build());
    assertThatThrownBy(this::describeRecovered)
        .isInstanceOf(CorruptionException.class)
        .hasMessageContaining("no edit sets the next file number");
    write(VersionEdit.builder().nextFileNumber(1).lastSequence(1).build());
    assertThatThrownBy(this::describeRecovered).hasMessageContaining("log number");
    write(VersionEdit.builder().logNumber(1).nextFileNumber(1).build());
    assertThatThrownBy(this::describeRecovered).hasMessageContaining("last sequence");
    write();
    assertThatThrownBy(this::describeRecovered).isInstanceOf(CorruptionException.class);
  }

  @Test
  void recover_withoutTheManifest_isCorruption() throws IOException {
    created().close();
    Files.delete(manifest(2));
    assertThatThrownBy(this::describeRecovered)
        .isInstanceOf(CorruptionException.class)
        .hasMessageContaining("MANIFEST-000002");
  }

  @Test
  void recover_ofNumbersThatTheManifestForgot_countsTheLogsAsUsed() throws IOException {
    write(complete().nextFileNumber(4).logNumber(90).previousLogNumber(95).build());
    try (VersionSet set = recovered(context())) {
      assertThat(set.previousLogNumber()).isEqualTo(95);
      assertThat(set.newFileNumber()).isEqualTo(96);
      set.markFileNumberUsed(200);
      set.markFileNumberUsed(100);
      assertThat(set.newFileNumber()).isEqualTo(201);
    }
  }

  @Test
  void versions_inUse_keepTheirTablesAlive() {
    int[] freed = new int[1];
    NewDatabase.create(context());
    try (VersionSet set = new VersionSet(context(), () -> freed[0]++)) {
      set.recover(false);
      set.logAndApply(edit("+L1 5:10 a@1..c@2"));
      Version pinned = set.acquireCurrent();
      freed[0] = 0;
      set.logAndApply(edit("-L1 5", "+L1 6:10 a@1..c@2"));
      assertThat(freed[0]).isZero();
      assertThat(liveNumbers(set)).containsOnly(5L, 6L);
      pinned.release();
      assertThat(freed[0]).isEqualTo(1);
      assertThat(liveNumbers(set)).containsExactly(6L);
    }
  }

  /** The last owner may be the install that replaces it, whose edit is durable. */
  @Test
  void release_ofAVersionThatIsNotCurrent_allocatesNothing() {
    try (VersionSet set = created()) {
      Deque<Version> old = new ArrayDeque<>();
      for (int i = 0; i < 25; i++) {
        old.add(set.acquireCurrent());
        set.logAndApply(VersionEdit.builder().build());
      }
      assertThat(AllocationMeter.bytes(() -> old.remove().release())).isZero();
    }
  }

  /**
   * A step is taken between the looks at two versions: the table is in the version before it and
   * after it.
   */
  @Test
  void liveNumbers_askedForDuringAStep_haveWhatIsInEveryVersion() {
    NewDatabase.create(context());
    try (VersionSet set = recovered(context())) {
      set.logAndApply(edit("+L1 5:10 a@1..c@2"));
      List<Version> old = new ArrayList<>();
      for (int i = 0; i < 4; i++) {
        old.add(set.acquireCurrent());
        set.logAndApply(VersionEdit.builder().build());
      }
      set.logAndApply(edit("-L1 5", "+L1 6:10 a@1..c@2"));
      for (int i = 0; i < 200; i++) {
        List<Long> numbers = new ArrayList<>();
        set.forEachLiveFileNumber(
            number -> {
              if (numbers.isEmpty()) {
                set.logAndApply(VersionEdit.builder().build());
              }
              numbers.add(number);
            });
        assertThat(numbers).as("step %d", i).contains(5L, 6L);
      }
      old.forEach(Version::release);
    }
  }

  private static List<Long> liveNumbers(VersionSet set) {
    List<Long> numbers = new ArrayList<>();
    set.forEachLiveFileNumber(numbers::add);
    return numbers;
  }

  @Test
  void logAndApply_ofAnEditThatBreaksTheLevels_writesNothing() {
    try (VersionSet set = created()) {
      set.logAndApply(edit("+L1 5:10 a@1..c@2"));
      env.operations().clear();
      assertThatThrownBy(() -> set.logAndApply(edit("+L1 6:10 b@1..d@2")))
          .isInstanceOf(CorruptionException.class);
      assertThat(env.operations()).isEmpty();
      set.logAndApply(edit("+L2 6:10 b@1..d@2"));
    }
    assertThat(describeRecovered()).contains("6:10");
  }

  /** A later edit with that number would hide from an open that a log is lost. */
  @Test
  void logAndApply_thatFails_leavesItsLastSequenceToNoLaterEdit() {
    try (VersionSet set = created()) {
      set.logAndApply(edit("+L1 5:10 a@1..c@2").toBuilder().lastSequence(7).build());
      assertThat(set.lastSequence()).isEqualTo(7);
      VersionEdit broken = edit("+L1 6:10 b@1..d@2").toBuilder().lastSequence(50).build();
      assertThatThrownBy(() -> set.logAndApply(broken)).isInstanceOf(CorruptionException.class);
      assertThat(set.lastSequence()).isEqualTo(7);
      set.logAndApply(edit("-L1 5").toBuilder().lastSequence(6).build());
      assertThat(set.lastSequence()).isEqualTo(7);
    }
    assertThat(describeRecovered()).contains("last 7");
  }

  @Test
  void logAndApply_newManifestCannotBeCreated_changesNothingAndMayBeTriedAgain() {
    try (VersionSet set = created()) {
      set.logAndApply(edit("+L0 5:10 a@1..c@2"));
    }
    FaultEnv faulty = new FaultEnv(files);
    try (VersionSet set = recovered(context(faulty, MAX_FILE_SIZE, false))) {
      String before = describe(set);
      faulty.fail(FaultEnv.Fault.ERROR, 1, each -> each.kind() == FaultEnv.Kind.CREATE);
      assertThatThrownBy(() -> set.logAndApply(edit("+L0 6:10 a@3..c@4")))
          .isInstanceOf(DBIOException.class)
          .hasMessageContaining("cannot create")
          .hasMessageContaining("MANIFEST-");
      assertThat(set.isFailed()).isFalse();
      assertThat(describe(set)).isEqualTo(before);
      set.logAndApply(edit("+L0 6:10 a@3..c@4"));
      assertThat(describeRecovered()).isEqualTo(describe(set)).isNotEqualTo(before);
    }
  }
}
