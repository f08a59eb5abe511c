package dev.kv.core.version;

import static dev.kv.core.Bytes.bytes;
import static dev.kv.core.Bytes.direct;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.kv.bytes.DBComparator;
import dev.kv.core.key.InternalKey;
import dev.kv.core.key.InternalKeyComparator;
import dev.kv.core.key.KeyRange;
import dev.kv.core.key.UserKeyComparator;
import dev.kv.core.key.ValueKind;
import dev.kv.core.memory.Pinned;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

final class VersionTest {
  private static ByteBuffer lookup(String key) {
    return direct(VersionText.key(key));
  }

  @Test
  void allowedSeeks_ofATable_growWithItsSize() {
    assertThat(VersionText.file("1:10", "a@1..b@1").allowedSeeks()).isEqualTo(100);
    assertThat(VersionText.file("1:2097152", "a@1..b@1").allowedSeeks()).isEqualTo(128);
    assertThat(VersionText.file("1:" + Long.MAX_VALUE, "a@1..b@1").allowedSeeks())
        .isEqualTo(Integer.MAX_VALUE);
  }

  @Test
  void recordSeek_onceSeeksAreUsedUp_namesTheTableOnce() {
    Version version = VersionText.version(List.of("L1 1:10 a@1..b@1", "L2 2:10 a@1..b@1"));
    FileMetadata worn = version.file(1, 0);
    for (int i = 1; i < 100; i++) {
      assertThat(version.recordSeek(1, worn)).isFalse();
      assertThat(version.seekCandidate()).isNull();
    }
    assertThat(version.recordSeek(1, worn)).isTrue();
    assertThat(version.seekCandidate()).isEqualTo(new SeekCandidate(1, worn));
    FileMetadata other = version.file(2, 0);
    for (int i = 0; i < 200; i++) {
      assertThat(version.recordSeek(2, other)).isFalse();
    }
    assertThat(version.seekCandidate()).isEqualTo(new SeekCandidate(1, worn));
  }

  @Test
  void keepPin_ofTablesOfAllLevels_areKeptOnceUntilTheVersionIsFreed() {
    Version version =
        VersionText.version(List.of("L0 8:1 a@8..c@8", "L0 9:1 a@9..c@9", "L3 2:1 d@1..e@1"));
    assertThat(version.fileCount()).isEqualTo(3);
    List<String> closed = new ArrayList<>();
    Pinned first = () -> closed.add("first");
    Pinned last = () -> closed.add("last");
    assertThat(version.pin(0, 1)).isNull();
    assertThat(version.keepPin(0, 1, first)).isSameAs(first);
    assertThat(version.keepPin(0, 1, () -> closed.add("second"))).isSameAs(first);
    assertThat(version.keepPin(3, 0, last)).isSameAs(last);
    assertThat(version.pin(0, 0)).isNull();
    assertThat(version.pin(0, 1)).isSameAs(first);
    assertThat(version.pin(3, 0)).isSameAs(last);
    assertThat(closed).containsExactly("second");
    version.release();
    assertThat(closed).containsExactly("second", "first", "last");
  }

  @Test
  void recordReadSample_ofAKeyInOneTable_chargesNothing() {
    Version version = VersionText.version(List.of("L0 9:1 a@9..c@9", "L1 1:10 d@1..e@1"));
    version.recordReadSample(lookup("b@100"), 0, 9);
    version.recordReadSample(lookup("d@100"), 0, 9);
    version.recordReadSample(lookup("x@100"), 0, 9);
    assertThat(version.file(0, 0).allowedSeeks()).isEqualTo(100);
    assertThat(version.file(1, 0).allowedSeeks()).isEqualTo(100);
  }

  @Test
  void recordReadSample_ofAKeyInSeveral_chargesTheNewest() {
    Version version =
        VersionText.version(
            List.of("L0 8:1 a@8..c@8", "L0 9:1 a@9..c@9", "L1 1:1 a@2..e@1", "L3 2:1 d@1..e@1"));
    version.recordReadSample(lookup("b@100"), 0, 9);
    assertThat(version.file(0, 0).number()).isEqualTo(9);
    assertThat(version.file(0, 0).allowedSeeks()).isEqualTo(99);
    version.recordReadSample(lookup("d@100"), 0, 9);
    assertThat(version.file(1, 0).allowedSeeks()).isEqualTo(99);
    assertThat(version.file(0, 1).allowedSeeks()).isEqualTo(100);
    assertThat(version.file(3, 0).allowedSeeks()).isEqualTo(100);
  }

  @Test
  void recordReadSample_onceSeeksAreUsedUp_saysSoOnce() {
    Version version = VersionText.version(List.of("L0 9:1 a@9..c@9", "L1 1:1 a@2..e@1"));
    for (int i = 1; i < 100; i++) {
      assertThat(version.recordReadSample(lookup("b@100"), 0, 9)).isFalse();
    }
    assertThat(version.recordReadSample(lookup("b@100"), 0, 9)).isTrue();
    assertThat(version.recordReadSample(lookup("b@100"), 0, 9)).isFalse();
    assertThat(version.recordReadSample(lookup("x@100"), 0, 9)).isFalse();
  }

  /** A running job's outputs share no user key with the memtable's table, not even the last. */
  @Test
  void pickLevelForMemtableOutput_besideARunningJob_keepsApartByOneKey() {
    Version version = VersionText.version(List.of());
    KeyRange output = new KeyRange(bytes("d"), bytes("g"));
    for (String range : List.of("a..c", "h..k")) {
      assertThat(pickLevel(version, range, output)).as(range).isEqualTo(Levels.MAX_MEMTABLE_LEVEL);
    }
    for (String range : List.of("a..d", "g..k", "e..f", "a..k")) {
      assertThat(pickLevel(version, range, output)).as(range).isZero();
    }
  }

  @Test
  void pickLevelForMemtableOutput_overManyBytes_staysAbove() {
    long limit = Levels.maxGrandparentOverlapBytes(1 << 20);
    assertThat(pickLevel(VersionText.version(List.of("L2 1:" + limit + " a@1..z@1")), "b..c"))
        .isEqualTo(1);
    assertThat(pickLevel(VersionText.version(List.of("L2 1:" + (limit + 1) + " a@1..z@1")), "b..c"))
        .isZero();
  }

  private static int pickLevel(Version version, String range, KeyRange... inLevel1) {
    String[] bounds = range.split("\\.\\.");
    return version.pickLevelForMemtableOutput(
        new KeyRange(bytes(bounds[0]), bytes(bounds[1])),
        level -> level == 1 ? List.of(inLevel1) : List.of(),
        1 << 20);
  }

  @Test
  void approximateOffsetOf_inEachLevel_addsWhatLiesBefore() {
    Version version =
        VersionText.version(
            List.of(
                "L0 9:1 m@9..p@9",
                "L0 8:10 a@8..c@8",
                "L1 1:100 a@2..c@1",
                "L1 2:1000 e@2..g@1",
                "L1 3:10000 i@2..k@1"));
    Version.TableOffsets half = (file, key, offset, length) -> file.size() / 2;
    assertThat(version.approximateOffsetOf(lookup("b@100"), 0, 9, half)).isEqualTo(5 + 50);
    assertThat(version.approximateOffsetOf(lookup("c@8"), 0, 9, half)).isEqualTo(10 + 50);
    assertThat(version.approximateOffsetOf(lookup("d@1"), 0, 9, half)).isEqualTo(10 + 100);
    assertThat(version.approximateOffsetOf(lookup("e@2"), 0, 9, half)).isEqualTo(10 + 100 + 500);
    assertThat(version.approximateOffsetOf(lookup("h@1"), 0, 9, half)).isEqualTo(10 + 1100);
    assertThat(version.approximateOffsetOf(lookup("z@1"), 0, 9, half)).isEqualTo(11 + 11_100);
  }

  @Test
  void scores_withoutWhatRunningJobsTake_areThoseOfTheRest() {
    Version version =
        VersionText.version(
            List.of("L0 8:1 a@8..c@5", "L0 9:1 a@9..c@11", "L1 1:" + (15 << 20) + " a@2..c@1"));
    LevelScores scores = LevelScores.of(version, 1, new long[] {0, 5 << 20, 0, 0, 0, 0, 0});
    assertThat(scores.score(0)).isEqualTo(0.25);
    assertThat(scores.score(1)).isEqualTo(1.0);
    assertThat(scores.isCompactionDue()).isTrue();
    assertThat(scores.ranking()).containsExactly(1, 0, 2, 3, 4, 5, 6);
  }

  @Test
  void levelZeroDecides_ofATableAsOldAsTheNext_isFalse() {
    Version version = VersionText.version(List.of("L0 8:1 a@1..c@5", "L0 9:1 a@5..c@9"));
    assertThat(version.levelZeroDecides(0)).isFalse();
  }

  @Test
  void levelZeroInOrder_ofFlushedMemtables_isTrue() {
    Version version = VersionText.version(List.of("L0 8:1 a@8..c@5", "L0 9:1 a@9..c@11"));
    assertThat(version.levelZeroInOrder()).isTrue();
    assertThat(version.levelZeroDecides(0)).isTrue();
  }

  @Test
  void levelZeroInOrder_ofFlushedMemtablesThatContradictTheirNumbers_isFalse() {
    Version version =
        VersionText.version(List.of("L0 7:1 a@1..c@9", "L0 8:1 a@8..c@5", "L0 9:1 a@10..c@11"));
    assertThat(version.levelZeroInOrder()).isFalse();
    assertThat(version.levelZeroDecides(0)).isTrue();
    assertThat(version.levelZeroDecides(1)).isFalse();
    assertThat(version.levelZeroDecides(2)).isTrue();
  }

  @Test
  void levelZeroInOrder_ofTablesOfUnknownAge_isFalseForAllButTheLast() {
    Version version = ofUnknownAge("+L0 7:1 a@1..c@2", "+L0 8:1 a@3..c@4");
    assertThat(version.levelZeroInOrder()).isFalse();
    assertThat(version.levelZeroDecides(0)).isFalse();
    assertThat(version.levelZeroDecides(1)).isTrue();
    Version flushed = VersionText.apply(version, VersionText.edit(List.of("+L0 9:1 a@5..c@6")));
    assertThat(flushed.levelZeroInOrder()).isFalse();
    assertThat(flushed.levelZeroDecides(0)).isTrue();
    assertThat(flushed.levelZeroDecides(1)).isFalse();
    Version compacted =
        VersionText.apply(
            flushed, VersionText.edit(List.of("-L0 7", "-L0 8", "+L1 10:1 a@1..c@4")));
    assertThat(compacted.levelZeroInOrder()).isTrue();
    assertThat(ofUnknownAge("+L0 7:1 a@1..c@2").levelZeroInOrder()).isTrue();
  }

  private static Version ofUnknownAge(String... lines) {
    VersionBuilder builder =
        new VersionBuilder(Version.empty(VersionText.COMPARATOR, freed -> {}), "MANIFEST-test");
    builder.applyOfUnknownAge(VersionText.edit(List.of(lines)));
    return builder.build(freed -> {});
  }

  @Test
  void build_ofANextVersion_keepsTheTablesObjects() {
    Version first = VersionText.version(List.of("L1 1:10 a@1..b@1", "L1 2:10 c@1..d@1"));
    Version second = VersionText.apply(first, VersionText.edit(List.of("+L1 3:1 e@1..f@1")));
    assertThat(second.file(1, 0)).isSameAs(first.file(1, 0));
    assertThat(second.file(1, 1)).isSameAs(first.file(1, 1));
    assertThat(second.bytes(1)).isEqualTo(21);
    assertThat(first.files(1)).hasSize(2);
    List<Long> numbers = new ArrayList<>();
    second.forEachFileNumber(numbers::add);
    assertThat(numbers).containsExactly(1L, 2L, 3L);
  }

  @Test
  void release_byTheLastHolder_tellsTheOwner() {
    List<Version> freed = new ArrayList<>();
    Version version = Version.empty(VersionText.COMPARATOR, freed::add);
    version.retain();
    version.release();
    assertThat(freed).isEmpty();
    version.release();
    assertThat(freed).containsExactly(version);
    assertThat(version.tryRetain()).isFalse();
  }

  @Test
  void files_ofALevel_cannotBeChanged() {
    Version version = VersionText.version(List.of("L1 1:10 a@1..b@1"));
    FileMetadata file = version.file(1, 0);
    assertThatThrownBy(() -> version.files(1).set(0, file))
        .isInstanceOf(UnsupportedOperationException.class);
  }

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void find_amongRandomTables_agreesWithAScan(boolean bytewise) {
    long seed = 42;
    Random random = new Random(seed);
    DBComparator order =
        bytewise
            ? DBComparator.bytewise()
            : DBComparator.ofArrays("reverse", (a, b) -> Arrays.compareUnsigned(b, a));
    InternalKeyComparator comparator = new InternalKeyComparator(order);
    for (int round = 0; round < 200; round++) {
      byte[] common = random.nextBoolean() ? new byte[0] : randomUserKey(random);
      List<byte[]> keys = new ArrayList<>();
      for (int i = 0; i < 2 * random.nextInt(12); i++) {
        keys.add(randomKey(random, common));
      }
      keys.sort(comparator::compare);
      VersionEdit.Builder edit = VersionEdit.builder();
      for (int i = 0; i + 1 < keys.size(); i += 2) {
        if (i == 0 || comparator.compare(keys.get(i - 1), keys.get(i)) < 0) {
          edit.addFile(2, new FileMetadata(i + 1, 1, keys.get(i), keys.get(i + 1)));
          edit.addFile(0, new FileMetadata(i + 2, 1, keys.get(i), keys.get(i + 1)));
        }
      }
      Version version = VersionText.apply(Version.empty(comparator, v -> {}), edit.build());
      for (int i = 0; i < 20; i++) {
        byte[] key = randomKey(random, random.nextInt(3) > 0 ? common : almost(random, common));
        int scanned = 0;
        while (scanned < version.fileCount(2)
            && comparator.compare(version.file(2, scanned).largest(), key) < 0) {
          scanned++;
        }
        int holds =
            scanned < version.fileCount(2)
                    && comparator
                            .userComparator()
                            .compare(
                                version.file(2, scanned).smallestUserKey(),
                                InternalKey.userKey(key))
                        <= 0
                ? scanned
                : -1;
        String place = "seed " + seed + ", round " + round + ", " + InternalKey.describe(key);
        assertThat(version.lowerBound(2, direct(key), 0, key.length)).as(place).isEqualTo(scanned);
        assertThat(version.find(2, direct(key), 0, key.length)).as(place).isEqualTo(holds);
        for (int j = 0; j < version.fileCount(0); j++) {
          FileMetadata file = version.file(0, j);
          UserKeyComparator users = comparator.userComparator();
          byte[] user = InternalKey.userKey(key);
          assertThat(version.levelZeroCovers(j, direct(key), 0, key.length))
              .as(place)
              .isEqualTo(
                  users.compare(file.smallestUserKey(), user) <= 0
                      && users.compare(user, file.largestUserKey()) <= 0);
        }
      }
    }
  }

  /** Returns an internal key that begins with {@code beginning}. */
  private static byte[] randomKey(Random random, byte[] beginning) {
    byte[] rest = randomUserKey(random);
    byte[] user = Arrays.copyOf(beginning, beginning.length + rest.length);
    System.arraycopy(rest, 0, user, beginning.length, rest.length);
    return InternalKey.encode(user, random.nextInt(3), ValueKind.VALUE);
  }

  /**
   * Returns keys that often agree in the eight bytes that are held as a number, with zeros at their
   * ends.
   */
  private static byte[] randomUserKey(Random random) {
    byte[] user = new byte[random.nextInt(12)];
    for (int i = 0; i < user.length; i++) {
      user[i] = (byte) (i < 7 ? 0 : new int[] {0, 1, 0x7f, 0x80, 0xff}[random.nextInt(5)]);
    }
    return user;
  }

  /** Returns the first bytes of {@code common}, some of them changed at times. */
  private static byte[] almost(Random random, byte[] common) {
    byte[] beginning = Arrays.copyOf(common, random.nextInt(common.length + 1));
    if (beginning.length > 0 && random.nextBoolean()) {
      beginning[random.nextInt(beginning.length)] = (byte) random.nextInt(256);
    }
    return beginning;
  }
}
