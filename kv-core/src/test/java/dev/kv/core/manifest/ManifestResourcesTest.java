package dev.kv.core.manifest;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.kv.core.Call;
import dev.kv.core.env.FileNames;
import dev.kv.core.memory.MemoryKind;
import dev.kv.core.memory.OffHeapBudget;
import dev.kv.core.version.VersionEdit;
import dev.kv.core.version.VersionText;
import dev.kv.env.Env;
import dev.kv.env.ForwardingEnv;
import dev.kv.env.ForwardingSequentialFile;
import dev.kv.env.ForwardingWritableFile;
import dev.kv.env.SequentialFile;
import dev.kv.env.WritableFile;
import dev.kv.errors.CorruptionException;
import dev.kv.errors.DBIOException;
import dev.kv.errors.OffHeapExhaustedException;
import dev.kv.testing.FaultEnv;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * What a version set holds: open files, memory, versions and its lock; and what it asks the disk.
 */
final class ManifestResourcesTest extends ManifestTestBase {
  private final OffHeapBudget budget = new OffHeapBudget(0);
  private int open;

  /** Counts the files that are open for writing. */
  private Env counting(Env over) {
    return new ForwardingEnv(over) {
      @Override
      public WritableFile createWritable(Path file) throws IOException {
        return counted(super.createWritable(file));
      }

      @Override
      public WritableFile openAppendable(Path file) throws IOException {
        return counted(super.openAppendable(file));
      }
    };
  }

  private WritableFile counted(WritableFile file) {
    open++;
    return new ForwardingWritableFile(file) {
      @Override
      public void close() throws IOException {
        open--;
        super.close();
      }
    };
  }

  private ManifestContext counted(Env over, long maxFileSize, boolean reuse) {
    return new ManifestContext(
        counting(over), directory, VersionText.COMPARATOR, budget, maxFileSize, reuse);
  }

  private static List<Long> live(VersionSet set) {
    List<Long> numbers = new ArrayList<>();
    set.forEachLiveFileNumber(numbers::add);
    return numbers;
  }

  private static void inAnotherThread(Call.Body body) throws InterruptedException {
    assertThat(Call.start(body).outcome()).isNull();
  }

  @Test
  void close_afterRotations_leavesNoFileOpenAndNoMemory() {
    NewDatabase.create(counted(files, 300, false));
    assertThat(open).isZero();
    VersionSet set = recovered(counted(files, 300, false));
    for (int i = 0; i < 40; i++) {
      set.logAndApply(edit("+L0 " + (10 + i) + ":10 key" + i + "@2..key" + i + "@1"));
      assertThat(open).isEqualTo(1);
    }
    assertThat(set.manifestNumber()).isGreaterThan(3);
    assertThat(budget.used()).isPositive();
    set.close();
    set.close();
    assertThat(open).isZero();
    assertThat(budget.used()).isZero();
  }

  @Test
  void calls_thatEnded_holdNoLock() throws InterruptedException {
    NewDatabase.create(context());
    VersionSet set = recovered(context());
    inAnotherThread(() -> set.logAndApply(edit("+L0 5:10 a@1..c@2")));
    set.logAndApply(edit("+L0 6:10 a@3..c@4"));
    inAnotherThread(() -> set.logAndApply(edit("+L0 7:10 a@5..c@6")));
    set.describe(described -> described).version().release();
    inAnotherThread(() -> set.logAndApply(edit("+L0 8:10 a@7..c@8")));
    set.close();
    inAnotherThread(set::close);
  }

  @Test
  void recover_freesTheEmptyVersion() {
    NewDatabase.create(context());
    int[] freed = new int[1];
    try (VersionSet set = new VersionSet(context(), () -> freed[0]++)) {
      set.recover(true);
      assertThat(freed[0]).isEqualTo(1);
    }
    assertThat(freed[0]).isEqualTo(2);
  }

  @Test
  void recover_ofALogThatTheManifestForgot_countsItAsUsed() throws IOException {
    write(complete().nextFileNumber(4).logNumber(90).build());
    try (VersionSet set = recovered(context())) {
      assertThat(set.newFileNumber()).isEqualTo(91);
    }
  }

  @Test
  void describe_holdsBeforeTheNextInstall_andRetainsTheVersion() throws IOException {
    int[] freed = new int[1];
    created().close();
    try (VersionSet set = new VersionSet(context(), () -> freed[0]++)) {
      set.recover(false);
      set.logAndApply(edit("+L1 5:10 a@1..c@2"));
      freed[0] = 0;
      List<VersionSet.Described> held = new ArrayList<>();
      VersionSet.Described now =
          set.describe(
              described -> {
                held.add(described);
                return described;
              });
      assertThat(held).containsExactly(now);
      assertThat(now.version()).isSameAs(set.current());
      assertThat(now.manifestNumber()).isEqualTo(set.manifestNumber());
      assertThat(now.manifestLength()).isEqualTo(Files.size(manifest(set.manifestNumber())));
      assertThat(now.logNumber()).isEqualTo(3);
      set.logAndApply(edit("-L1 5"));
      assertThat(freed[0]).isZero();
      now.version().release();
      assertThat(freed[0]).isEqualTo(1);
    }
  }

  @Test
  void describe_afterAFailure_throws() {
    created().close();
    FaultEnv faulty = new FaultEnv(files);
    try (VersionSet set = recovered(context(faulty, MAX_FILE_SIZE, false))) {
      set.logAndApply(edit("+L1 5:10 a@1..c@2"));
      faulty.fail(FaultEnv.Fault.ERROR, 1, each -> each.kind() == FaultEnv.Kind.SYNC);
      assertThatThrownBy(() -> set.logAndApply(edit("-L1 5"))).isInstanceOf(DBIOException.class);
      assertThatThrownBy(() -> set.describe(described -> described)).hasMessageContaining("reopen");
    }
  }

  @Test
  void isUnchangedOnDisk_besideAWriter_tellsAnEditAndANewManifest() throws IOException {
    created().close();
    try (VersionSet reader = new VersionSet(context(), () -> {})) {
      reader.recover(true);
      assertThat(reader.isUnchangedOnDisk()).isTrue();
      byte[] whole = Files.readAllBytes(manifest(2));
      Files.write(manifest(2), Arrays.copyOf(whole, whole.length + 1));
      assertThat(reader.isUnchangedOnDisk()).isFalse();
      Files.write(manifest(2), whole);
      assertThat(reader.isUnchangedOnDisk()).isTrue();
      Files.write(manifest(9), whole);
      current("MANIFEST-000009\n");
      assertThat(reader.isUnchangedOnDisk()).isFalse();
    }
  }

  @Test
  void failedStep_inAnOpenManifest_leavesItsTableOutOfTheVersionsInUse() {
    created().close();
    FaultEnv faulty = new FaultEnv(files);
    try (VersionSet set = recovered(context(faulty, MAX_FILE_SIZE, false))) {
      set.logAndApply(edit("+L1 5:10 a@1..c@2"));
      faulty.fail(FaultEnv.Fault.ERROR, 1, each -> each.kind() == FaultEnv.Kind.SYNC);
      assertThatThrownBy(() -> set.logAndApply(edit("+L2 6:10 a@1..c@2")))
          .isInstanceOf(DBIOException.class);
      assertThat(live(set)).containsOnly(5L);
    }
  }

  @Test
  void failedStep_thatBeginsAManifest_deletesAndClosesIt() {
    created().close();
    int numbers = names().size();
    for (FaultEnv.Kind kind : List.of(FaultEnv.Kind.CREATE, FaultEnv.Kind.SYNC)) {
      FaultEnv faulty = new FaultEnv(files);
      try (VersionSet set = recovered(counted(faulty, MAX_FILE_SIZE, false))) {
        faulty.fail(FaultEnv.Fault.ERROR, 1, each -> each.kind() == kind);
        assertThatThrownBy(() -> set.logAndApply(edit("+L2 6:10 a@1..c@2")))
            .isInstanceOf(DBIOException.class);
        assertThat(open).as("%s", kind).isZero();
        assertThat(budget.used()).as("%s", kind).isZero();
        assertThat(live(set)).as("%s", kind).isEmpty();
        assertThat(names()).as("%s", kind).hasSize(numbers);
      }
    }
  }

  @Test
  void replacement_whoseChangeOfCurrentFails_closesTheManifestBefore() {
    created().close();
    FaultEnv faulty = new FaultEnv(files);
    try (VersionSet set = recovered(counted(faulty, 300, false))) {
      set.logAndApply(edit("+L1 5:10 a@1..c@2"));
      faulty.fail(FaultEnv.Fault.ERROR, 1, each -> each.kind() == FaultEnv.Kind.RENAME);
      assertThatThrownBy(
              () -> {
                for (int i = 0; i < 40; i++) {
                  set.logAndApply(edit("+L0 " + (10 + i) + ":10 key" + i + "@2..key" + i + "@1"));
                }
              })
          .isInstanceOf(DBIOException.class);
    }
    assertThat(open).isZero();
    assertThat(budget.used()).isZero();
  }

  /** The failure of the deletion comes with the failure that led to it. */
  @Test
  void failedStep_whoseManifestCannotBeDeleted_namesBoth() {
    created().close();
    FaultEnv faulty = new FaultEnv(files);
    try (VersionSet set = recovered(counted(faulty, MAX_FILE_SIZE, false))) {
      faulty.fail(
          FaultEnv.Fault.ERROR,
          2,
          each -> each.kind() == FaultEnv.Kind.SYNC || each.kind() == FaultEnv.Kind.DELETE);
      assertThatThrownBy(() -> set.logAndApply(edit("+L2 6:10 a@1..c@2")))
          .isInstanceOf(DBIOException.class)
          .satisfies(e -> assertThat(e.getCause().getSuppressed()).hasSize(1));
      assertThat(open).isZero();
    }
  }

  /** As an Env may do that throws one exception for as long as the disk is broken. */
  @ParameterizedTest
  @ValueSource(strings = {"MANIFEST-", ".dbtmp"})
  void failedStep_whoseFileCannotBeDeletedForTheSameReason_namesItOnce(String undeletable) {
    created().close();
    IOException failure = new IOException("simulated");
    Env failing =
        new ForwardingEnv(files) {
          private boolean failed;

          @Override
          public WritableFile createWritable(Path file) throws IOException {
            return new ForwardingWritableFile(super.createWritable(file)) {
              @Override
              public void sync() throws IOException {
                if (file.toString().endsWith(".dbtmp")) {
                  failed = true;
                  throw failure;
                }
                super.sync();
              }
            };
          }

          @Override
          public void delete(Path file) throws IOException {
            if (failed && file.toString().contains(undeletable)) {
              throw failure;
            }
            super.delete(file);
          }
        };
    try (VersionSet set = recovered(counted(failing, MAX_FILE_SIZE, false))) {
      assertThatThrownBy(() -> set.logAndApply(edit("+L2 6:10 a@1..c@2")))
          .isInstanceOf(DBIOException.class)
          .satisfies(e -> assertThat(e.getCause()).isSameAs(failure));
      assertThat(failure).hasNoSuppressedExceptions();
    }
    assertThat(open).isZero();
  }

  @Test
  void create_thatFails_deletesAndClosesTheManifest() {
    FaultEnv faulty = new FaultEnv(files);
    faulty.fail(FaultEnv.Fault.ERROR, 1, each -> each.kind() == FaultEnv.Kind.SYNC);
    assertThatThrownBy(() -> NewDatabase.create(counted(faulty, MAX_FILE_SIZE, false)))
        .isInstanceOf(DBIOException.class);
    assertThat(open).isZero();
    assertThat(budget.used()).isZero();
    assertThat(names()).isEmpty();
  }

  @Test
  void reuse_makesTheManifestDurable_beforeItAppends() {
    created().close();
    env.operations().clear();
    try (VersionSet set = recovered(context(env, MAX_FILE_SIZE, true))) {
      assertThat(env.operations())
          .containsExactly("sync directory", "reopen MANIFEST-000002", "sync MANIFEST-000002");
      assertThat(set.isDurable()).isTrue();
    }
  }

  @Test
  void reuse_thatFails_beginsAManifestAndLeavesNoFileOpen() {
    created().close();
    for (int k = 0; k < 3; k++) {
      env.failAt(k, false);
      try (VersionSet set = new VersionSet(counted(env, MAX_FILE_SIZE, true), () -> {})) {
        assertThat(set.recover(false)).as("fault at %d", k).isTrue();
        assertThat(open).as("fault at %d", k).isZero();
        assertThat(set.isDurable()).isFalse();
        env.failAt(-1, false);
        set.logAndApply(VersionEdit.builder().build());
        assertThat(set.isDurable()).isTrue();
      }
      created().close();
    }
  }

  @Test
  void reuse_ofAManifestAsLargeAsATable_beginsAnother() throws IOException {
    created().close();
    long length = Files.size(manifest(2));
    try (VersionSet set = new VersionSet(context(files, length, true), () -> {})) {
      assertThat(set.recover(false)).isTrue();
    }
    try (VersionSet set = new VersionSet(context(files, length + 1, true), () -> {})) {
      assertThat(set.recover(false)).isFalse();
    }
  }

  @Test
  void logNumber_ofAnEdit_isNotBeforeTheLastAndWasGivenOut() {
    try (VersionSet set = created()) {
      assertThat(set.logNumber()).isEqualTo(3);
      set.logAndApply(VersionEdit.builder().logNumber(3).build());
      long next = set.newFileNumber();
      set.logAndApply(VersionEdit.builder().logNumber(next).build());
      assertThat(set.logNumber()).isEqualTo(next);
      for (long wrong : new long[] {next - 1, next + 1}) {
        assertThatThrownBy(() -> set.logAndApply(VersionEdit.builder().logNumber(wrong).build()))
            .isInstanceOf(AssertionError.class);
      }
    }
  }

  @Test
  void previousLogNumber_staysUntilAnEditSetsIt() throws IOException {
    write(complete().logNumber(3).previousLogNumber(2).build());
    try (VersionSet set = recovered(context())) {
      set.logAndApply(VersionEdit.builder().build());
      assertThat(set.previousLogNumber()).isEqualTo(2);
      set.logAndApply(VersionEdit.builder().previousLogNumber(0).build());
      assertThat(set.previousLogNumber()).isZero();
    }
  }

  /** Its memory is missing, not the disk: the step may be tried again. */
  @Test
  void logAndApply_withoutMemoryForANewManifest_mayBeTriedAgain() {
    created().close();
    OffHeapBudget small = new OffHeapBudget(8192);
    ManifestContext context =
        new ManifestContext(
            counting(files), directory, VersionText.COMPARATOR, small, MAX_FILE_SIZE, false);
    try (VersionSet set = recovered(context)) {
      small.reserve(MemoryKind.MEMTABLE, 8192);
      assertThatThrownBy(() -> set.logAndApply(edit("+L2 6:10 a@1..c@2")))
          .isInstanceOf(OffHeapExhaustedException.class);
      assertThat(set.isFailed()).isFalse();
      assertThat(open).isZero();
      assertThat(live(set)).isEmpty();
      small.release(MemoryKind.MEMTABLE, 8192);
      set.logAndApply(edit("+L2 6:10 a@1..c@2"));
    }
  }

  @Test
  void recover_ofATornFirstRecordWithAWholeOneAfterIt_isCorruption() throws IOException {
    String key = "k".repeat(40_000);
    write(
        complete().addFile(3, VersionText.file("20:10", key + "@1..z@2")).build(),
        complete().build());
    Files.write(FileNames.log(directory, 3), new byte[0]);
    byte[] whole = Files.readAllBytes(manifest(7));
    Arrays.fill(whole, 1024, 1536, (byte) 0);
    Files.write(manifest(7), whole);
    assertThatThrownBy(this::describeRecovered)
        .isInstanceOf(CorruptionException.class)
        .hasMessageContaining("whole records follow");
  }

  @Test
  void recover_ofATableWithLogNumberZero_doesNotTakeItForAFlush() throws IOException {
    write(
        complete().logNumber(0).build(),
        edit("+L0 6:10 a@3..c@4").toBuilder().logNumber(0).build(),
        edit("+L0 7:10 a@5..c@6").toBuilder().logNumber(1).build());
    try (VersionSet set = recovered(context())) {
      assertThat(List.of(set.current().isFlushed(0), set.current().isFlushed(1)))
          .containsExactly(true, false);
    }
  }

  @Test
  void recover_ofATornEndWithoutALog_needsNone() throws IOException {
    write(complete().logNumber(0).build(), edit("+L1 5:10 a@1..c@2"));
    byte[] whole = Files.readAllBytes(manifest(7));
    Files.write(manifest(7), Arrays.copyOf(whole, whole.length - 1));
    assertThat(describeRecovered()).contains("log 0").doesNotContain("5:10");
  }

  @Test
  void current_readOneByteAtATime_isReadWhole() throws IOException {
    created().close();
    Env slow =
        new ForwardingEnv(files) {
          @Override
          public SequentialFile openSequential(Path file) throws IOException {
            return new ForwardingSequentialFile(super.openSequential(file)) {
              @Override
              public int read(ByteBuffer into) throws IOException {
                ByteBuffer one = into.slice(into.position(), 1);
                int count = super.read(one);
                into.position(into.position() + Math.max(count, 0));
                return count;
              }
            };
          }
        };
    assertThat(CurrentFile.read(slow, directory)).isEqualTo(new CurrentFile("MANIFEST-000002", 2));
  }
}
