package dev.kv.core.compaction;

import static dev.kv.core.Bytes.bytes;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.kv.ReadOptions;
import dev.kv.core.key.KeyBounds;
import dev.kv.core.key.KeyRange;
import dev.kv.core.version.FileMetadata;
import dev.kv.core.version.Version;
import dev.kv.core.version.VersionText;
import java.util.List;
import org.junit.jupiter.api.Test;

final class RunningJobsTest {
  private static final long MAX_FILE_SIZE = 100;

  private final Version version =
      VersionText.version(
          List.of(
              "+L0 5:10 a@9..c@8",
              "+L0 6:10 k@9..m@8",
              "+L1 7:20 a@5..b@5",
              "+L1 8:20 e@5..f@5",
              "+L2 9:30 e@3..g@3",
              "+L2 10:30 x@3..z@3"));
  private final RunningJobs running = new RunningJobs(VersionText.COMPARATOR.userComparator());

  private Compaction compaction(Compaction.Reason reason, int level, int index) {
    return new InputSelector(version, MAX_FILE_SIZE)
        .select(reason, level, List.of(version.file(level, index)));
  }

  private static KeyRange keys(String smallest, String largest) {
    return new KeyRange(bytes(smallest), bytes(largest));
  }

  private KeyBounds reserve(String from, String to) {
    ReadOptions options =
        ReadOptions.builder().lowerBound(bytes(from)).upperBound(bytes(to)).build();
    KeyBounds range = KeyBounds.of(options, VersionText.COMPARATOR.userComparator());
    running.reserve(range);
    return range;
  }

  private Compaction ofLevelOne() {
    for (int i = 0; i < 2; i++) {
      Compaction compaction = compaction(Compaction.Reason.SIZE, 1, i);
      if (compaction.inputs().get(0).number() == 8) {
        return compaction;
      }
    }
    throw new AssertionError();
  }

  @Test
  void compaction_whileItRuns_isBusyAndCountedAndConflicts() {
    Compaction compaction = ofLevelOne();
    assertThat(compaction.nextLevelInputs()).extracting(FileMetadata::number).containsExactly(9L);
    assertThat(running.conflicts(compaction)).isFalse();
    double before = running.scores(version).score(1);
    running.start(compaction);
    assertThat(running.compactions()).isEqualTo(1);
    assertThat(running.occupied(compaction.outputLevel())).hasSize(1);
    assertThat(running.isBusy(compaction.inputs().get(0))).isTrue();
    assertThat(running.isBusy(compaction.nextLevelInputs().get(0))).isTrue();
    assertThat(running.isBusy(version.file(0, 0))).isFalse();
    assertThat(running.conflicts(compaction)).isTrue();
    assertThat(running.scores(version).score(1)).isLessThan(before);
    running.end(compaction, true);
    assertThat(running.compactions()).isZero();
    assertThat(running.occupied(compaction.outputLevel())).isEmpty();
    assertThat(running.isBusy(compaction.inputs().get(0))).isFalse();
    assertThat(running.isBusy(compaction.nextLevelInputs().get(0))).isFalse();
    assertThat(running.conflicts(compaction)).isFalse();
    assertThat(running.scores(version).score(1)).isEqualTo(before);
    assertThatThrownBy(() -> running.end(compaction, true)).isInstanceOf(AssertionError.class);
  }

  @Test
  void compaction_ofLevelZero_countsItsTablesOut() {
    Compaction compaction = compaction(Compaction.Reason.SIZE, 0, 0);
    double before = running.scores(version).score(0);
    running.start(compaction);
    assertThat(running.scores(version).score(0)).isLessThan(before);
    running.end(compaction, true);
    assertThat(running.scores(version).score(0)).isEqualTo(before);
  }

  /** A shared input conflicts, be it of the level or of the next one. */
  @Test
  void compactions_thatShareAnInput_conflict() {
    Compaction first = ofLevelOne();
    running.start(first);
    FileMetadata shared = first.nextLevelInputs().get(0);
    Compaction ofTheShared =
        new InputSelector(version, MAX_FILE_SIZE)
            .select(Compaction.Reason.SIZE, 2, List.of(shared));
    assertThat(running.conflicts(ofTheShared)).isTrue();
    running.end(first, true);
    running.start(ofTheShared);
    assertThat(running.conflicts(first)).isTrue();
    running.end(ofTheShared, true);
  }

  @Test
  void occupiedRange_inTheOutputLevel_conflictsIfItTouches() {
    Compaction compaction = ofLevelOne(); // e to g into level 2
    record Case(int level, String from, String to, boolean conflicts) {}
    List<Case> cases =
        List.of(
            new Case(2, "a", "d", false),
            new Case(2, "a", "e", true),
            new Case(2, "f", "f", true),
            new Case(2, "a", "z", true),
            new Case(2, "g", "z", true),
            new Case(2, "h", "z", false),
            new Case(1, "a", "z", false),
            new Case(3, "a", "z", false));
    for (Case each : cases) {
      KeyRange range = keys(each.from(), each.to());
      running.occupy(each.level(), range);
      assertThat(running.conflicts(compaction)).as("%s", each).isEqualTo(each.conflicts());
      running.vacate(each.level(), range);
    }
    assertThat(running.conflicts(compaction)).isFalse();
    KeyRange gone = keys("a", "b");
    assertThatThrownBy(() -> running.vacate(2, gone)).isInstanceOf(AssertionError.class);
  }

  @Test
  void reservedRange_keepsJobsOut_andIsVacatedOnceTheRunningOnesEnd() {
    Compaction compaction = ofLevelOne();
    running.start(compaction);
    KeyBounds range = reserve("f", "j");
    KeyBounds other = reserve("n", "p");
    assertThat(running.isVacated(range)).isFalse();
    assertThat(running.isVacated(other)).isTrue();
    running.end(compaction, true);
    assertThat(running.isVacated(range)).isTrue();
    assertThat(running.conflicts(compaction)).isTrue();
    assertThat(running.isReserved(keys("a", "e"))).isFalse();
    assertThat(running.isReserved(keys("a", "f"))).isTrue();
    assertThat(running.isReserved(keys("i", "z"))).isTrue();
    assertThat(running.isReserved(keys("j", "m"))).isFalse();
    assertThat(running.isReserved(keys("o", "o"))).isTrue();
    running.release(range);
    assertThat(running.conflicts(compaction)).isFalse();
    assertThatThrownBy(() -> running.release(range)).isInstanceOf(AssertionError.class);
    running.release(other);
  }

  @Test
  void markedTables_areForgottenOnceACompactionReplacedThem_butNotAtAFailureOrAMove() {
    Compaction compaction = ofLevelOne();
    FileMetadata input = compaction.inputs().get(0);
    FileMetadata next = compaction.nextLevelInputs().get(0);
    FileMetadata other = version.file(0, 0);
    running.markTombstones(input);
    running.markTombstones(next);
    running.markTombstones(other);
    running.start(compaction);
    running.end(compaction, false);
    assertThat(running.withTombstones()).containsExactly(input, next, other);
    running.start(compaction);
    running.end(compaction, true);
    assertThat(running.withTombstones()).containsExactly(other);

    Compaction move =
        new InputSelector(version, MAX_FILE_SIZE).select(Compaction.Reason.SIZE, 2, List.of(next));
    assertThat(move.isTrivialMove()).isTrue();
    running.markTombstones(next);
    running.start(move);
    assertThat(running.withTombstones()).containsExactly(other, next);
    running.end(move, true);
    running.keepMarked(List.of(next));
    assertThat(running.withTombstones()).containsExactly(next);
    assertThatThrownBy(() -> running.withTombstones().clear())
        .isInstanceOf(UnsupportedOperationException.class);
  }

  @Test
  void isIdle_whatPreventsACompactionForAWhile_isNot() {
    assertThat(running.isIdle()).isTrue();
    Compaction compaction = ofLevelOne();
    running.start(compaction);
    assertThat(running.isIdle()).isFalse();
    running.end(compaction, true);
    KeyBounds range = new KeyBounds(null, null);
    running.reserve(range);
    assertThat(running.isIdle()).isFalse();
    running.release(range);
    KeyRange keys = keys("a", "b");
    running.occupy(1, keys);
    assertThat(running.isIdle()).isFalse();
    running.vacate(1, keys);
    assertThat(running.isIdle()).isTrue();
  }

  @Test
  void tablesSetAside_keepCompactionsFromReadingThem_butNotFromMovingThem() {
    Compaction compaction = ofLevelOne();
    assertThat(running.hasSetAside()).isFalse();
    assertThat(running.needsSetAside(compaction)).isFalse();
    running.setAside(List.of(version.file(0, 0)));
    assertThat(running.hasSetAside()).isTrue();
    assertThat(running.needsSetAside(compaction)).isFalse();
    running.setAside(compaction.nextLevelInputs());
    assertThat(running.needsSetAside(compaction)).isTrue();
    FileMetadata next = compaction.nextLevelInputs().get(0);
    Compaction move =
        new InputSelector(version, MAX_FILE_SIZE).select(Compaction.Reason.SIZE, 2, List.of(next));
    assertThat(running.needsSetAside(move)).isFalse();
    RunningJobs others = new RunningJobs(VersionText.COMPARATOR.userComparator());
    others.setAside(compaction.inputs());
    assertThat(others.needsSetAside(compaction)).isTrue();
  }

  @Test
  void edits_ofACompaction_replaceItsInputsAndMoveItsPointer() {
    Compaction compaction = ofLevelOne();
    assertThat(compaction.inputBytes()).isEqualTo(50);
    FileMetadata output = VersionText.file("20:50", "e@5..g@3");
    assertThat(numbers(VersionText.apply(version, compaction.replacementEdit(List.of(output)))))
        .containsExactly(5L, 6L, 7L, 10L, 20L);
    assertThat(compaction.replacementEdit(List.of(output)).compactPointers()).hasSize(1);
    Compaction rewrite =
        new InputSelector(version, MAX_FILE_SIZE).selectRewrite(2, List.of(version.file(2, 0)));
    assertThat(rewrite.isRewrite()).isTrue();
    assertThat(compaction.isRewrite()).isFalse();
    assertThat(rewrite.replacementEdit(List.of()).compactPointers()).isEmpty();
  }

  @Test
  void move_keepsTheTable_andIsNoMoveIfItsNextCompactionWouldBeExpensive() {
    Compaction move = compaction(Compaction.Reason.SIZE, 2, 1);
    assertThat(move.isTrivialMove()).isTrue();
    Version moved = VersionText.apply(version, move.trivialMoveEdit());
    assertThat(moved.files(3)).containsExactly(version.file(2, 1));
    assertThat(moved.files(2)).doesNotContain(version.file(2, 1));
    assertThat(compaction(Compaction.Reason.MANUAL, 2, 1).isTrivialMove()).isFalse();
    assertThat(compaction(Compaction.Reason.TOMBSTONES, 2, 1).isTrivialMove())
        .as("nothing is below: it drops its tombstones")
        .isFalse();
    for (long size : new long[] {1000, 1001}) {
      Version wide =
          VersionText.version(List.of("+L1 5:10 a@9..c@8", "+L3 6:" + size + " b@1..b@1"));
      Compaction ofWide =
          new InputSelector(wide, MAX_FILE_SIZE)
              .select(Compaction.Reason.TOMBSTONES, 1, List.of(wide.file(1, 0)));
      assertThat(ofWide.isTrivialMove()).as("%d bytes below", size).isEqualTo(size == 1000);
    }
  }

  @Test
  void pick_ofATableWithTombstones_comesAfterSizeAndForgetsObsoleteOnes() {
    CompactionPicker picker = new CompactionPicker(MAX_FILE_SIZE, false);
    List<byte[]> pointers = new java.util.ArrayList<>(java.util.Collections.nCopies(7, null));
    assertThat(picker.pick(version, running, pointers)).isNull();
    FileMetadata obsolete = VersionText.file("99:10", "a@1..b@1");
    running.markTombstones(obsolete);
    assertThat(picker.pick(version, running, pointers)).isNull();
    assertThat(running.withTombstones()).isEmpty();
    running.markTombstones(obsolete);
    running.markTombstones(version.file(2, 0));
    running.markTombstones(ofLevelOne().inputs().get(0));
    Compaction picked = picker.pick(version, running, pointers);
    assertThat(picked).isNotNull();
    assertThat(picked.reason()).isEqualTo(Compaction.Reason.TOMBSTONES);
    assertThat(picked.level()).isEqualTo(1);
    assertThat(picked.inputs().get(0).number()).isEqualTo(8);
    assertThat(running.withTombstones()).hasSize(2).doesNotContain(obsolete);
    running.start(picked);
    assertThat(picker.pick(version, running, pointers)).as("its input is busy").isNull();
    running.end(picked, true);
  }

  private static List<Long> numbers(Version version) {
    java.util.ArrayList<Long> numbers = new java.util.ArrayList<>();
    version.forEachFileNumber(numbers::add);
    numbers.sort(null);
    return numbers;
  }
}
