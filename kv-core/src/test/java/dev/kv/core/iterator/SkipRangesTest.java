package dev.kv.core.iterator;

import static org.assertj.core.api.Assertions.assertThat;

import dev.kv.bytes.DBComparator;
import dev.kv.core.Bytes;
import dev.kv.core.key.LookupKey;
import dev.kv.core.key.UserKeyComparator;
import dev.kv.core.memory.OffHeapBudget;
import java.nio.ByteBuffer;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** The ranges of {@link TombstoneSkipIndex}: watch, proof and use, one after the other. */
class SkipRangesTest {
  private static final int MAX_UNUSED_PUTS = 1 << 20;

  private final AtomicInteger asked = new AtomicInteger();
  private final TombstoneSkipIndex index =
      new TombstoneSkipIndex(
          new UserKeyComparator(DBComparator.bytewise()), own -> asked.incrementAndGet());

  private static byte @Nullable [] bytes(@Nullable String key) {
    return key == null ? null : Bytes.bytes(key);
  }

  private void offer(@Nullable String from, @Nullable String end, long sequence) {
    index.offer(bytes(from), bytes(end), sequence, 0);
  }

  private void put(String key) {
    index.reportPut(Bytes.direct(Bytes.bytes(key)), 0, key.length());
  }

  /** Returns the end of the dead part in which a seek can begin: "none", "end" or a key. */
  private String find(@Nullable String target, long sequence, long changes) {
    try (LookupKey key = new LookupKey(new OffHeapBudget(0))) {
      if (target != null) {
        key.set(Bytes.bytes(target), sequence);
      }
      SkipRange found = index.find(target == null ? null : key, sequence, changes);
      if (found == null) {
        return "none";
      }
      return found.end() == null ? "end" : new String(found.end());
    }
  }

  private String find(@Nullable String target, long sequence) {
    return find(target, sequence, 0);
  }

  /** Offers a range, watches it from 10 on, and proves it at 10. */
  private void prove(@Nullable String from, @Nullable String end) {
    offer(from, end, 10);
    index.beginWatches(10);
    offer(from, end, 10);
  }

  @Test
  void range_thatWasOffered_isUsedOnceItIsWatchedAndProved() {
    assertThat(index.isEmpty()).isTrue();
    offer("b", "f", 5);
    assertThat(index.isEmpty()).isFalse();
    assertThat(asked).hasValue(1);
    assertThat(find("c", 100)).isEqualTo("none");
    index.beginWatches(10);
    assertThat(find("c", 100)).isEqualTo("none");
    offer("b", "f", 8);
    assertThat(find("c", 100)).as("too old for a proof").isEqualTo("none");
    offer("b", "f", 9);
    assertThat(find("c", 9)).isEqualTo("f");
    assertThat(find("c", 8)).as("a view from before the proof").isEqualTo("none");
    assertThat(asked).hasValue(1);
  }

  @Test
  void find_ofATarget_isInsideTheDeadPart() {
    prove("b", "f");
    assertThat(find("a", 10)).isEqualTo("none");
    assertThat(find("b", 10)).isEqualTo("f");
    assertThat(find("e", 10)).isEqualTo("f");
    assertThat(find("f", 10)).isEqualTo("none");
    assertThat(find(null, 10)).isEqualTo("none");
  }

  @Test
  void find_ofTheBeginning_isARangeFromTheBeginning() {
    prove(null, null);
    assertThat(find(null, 10)).isEqualTo("end");
    assertThat(find("a", 10)).isEqualTo("end");
    offer(null, null, 11);
    assertThat(asked).as("the end stays watched").hasValue(1);
    assertThat(find(null, 10)).isEqualTo("none");
    assertThat(find(null, 11)).isEqualTo("end");
  }

  @Test
  void proof_ofAnOlderView_changesNothing() {
    prove("b", "f");
    offer("b", "e", 12);
    assertThat(find("b", 12)).isEqualTo("e");
    offer("b", "f", 11);
    assertThat(find("b", 11)).isEqualTo("none");
    assertThat(find("b", 12)).isEqualTo("e");
    offer("b", "f", 12);
    assertThat(find("b", 12)).isEqualTo("f");
  }

  @Test
  void find_ofAViewWithOtherChangesThanTheProof_isNothing() {
    offer("b", "f", 10);
    index.beginWatches(10);
    index.offer(bytes("b"), bytes("f"), 10, 3);
    assertThat(find("c", 10, 2)).isEqualTo("none");
    assertThat(find("c", 10, 3)).isEqualTo("f");
    assertThat(find("c", 10, 4)).isEqualTo("none");
    assertThat(find("c", 11, 4)).isEqualTo("none");
    index.offer(bytes("b"), bytes("e"), 11, 4);
    assertThat(find("c", 11, 4)).isEqualTo("e");
  }

  @Test
  void seek_thatEndsAfterTheWatchedPart_provesOnlyThatPart() {
    prove("b", "f");
    offer("b", "k", 11);
    assertThat(asked).as("to watch the rest").hasValue(2);
    assertThat(find("e", 11)).isEqualTo("f");
    assertThat(find("g", 11)).isEqualTo("none");
    index.beginWatches(20);
    offer("b", "k", 18);
    assertThat(find("g", 18)).as("from before the watch").isEqualTo("none");
    offer("b", "k", 19);
    assertThat(find("g", 19)).isEqualTo("k");
  }

  @Test
  void seek_thatFindsNothingMore_extendsTheWatchToTheEnd() {
    prove("b", "f");
    offer("b", null, 11);
    assertThat(asked).as("to watch the rest").hasValue(2);
    assertThat(find("e", 11)).isEqualTo("f");
    index.beginWatches(12);
    offer("b", null, 12);
    assertThat(find("g", 12)).isEqualTo("end");
    offer("b", "k", 13);
    assertThat(asked).as("the end is watched").hasValue(2);
    assertThat(find("g", 13)).isEqualTo("k");
    put("x");
    assertThat(find("g", 13)).isEqualTo("k");
  }

  @Test
  void put_intoADatabaseThatIsAllDead_endsTheDeadPart() {
    prove(null, null);
    put("d");
    assertThat(find(null, 10)).isEqualTo("d");
    assertThat(find("d", 10)).isEqualTo("none");
    put("x");
    assertThat(find(null, 10)).isEqualTo("d");
  }

  @Test
  void beginWatches_beforeARangeIsOffered_doesNothing() {
    index.beginWatches(10);
    assertThat(index.isEmpty()).isTrue();
    prove("b", "f");
    offer("m", "p", 10);
    index.beginWatches(20);
    offer("b", "f", 12);
    assertThat(find("b", 12)).as("watched since 10").isEqualTo("f");
    offer("m", "p", 18);
    assertThat(find("m", 18)).as("watched since 20").isEqualTo("none");
    offer("m", "p", 19);
    assertThat(find("m", 19)).isEqualTo("p");
  }

  @Test
  void put_insideTheDeadPart_endsItThere() {
    prove("b", "f");
    put("d");
    assertThat(find("c", 10)).isEqualTo("d");
    assertThat(find("d", 10)).isEqualTo("none");
    assertThat(find("e", 10)).isEqualTo("none");
    offer("b", "d", 11);
    assertThat(asked).as("the rest of the range stays watched").hasValue(1);
    assertThat(find("c", 11)).isEqualTo("d");
  }

  @Test
  void put_insideTheWatchedPart_keepsTheDeadPart() {
    prove("b", "k");
    offer("b", "f", 11);
    put("g");
    assertThat(find("c", 11)).isEqualTo("f");
    offer("b", "g", 12);
    assertThat(asked).hasValue(1);
    offer("b", "h", 12);
    assertThat(asked).as("h is not watched any more").hasValue(2);
  }

  @Test
  void put_beforeAProof_limitsIt() {
    offer("b", "f", 5);
    index.beginWatches(10);
    put("d");
    assertThat(find("b", 100)).isEqualTo("none");
    offer("b", "f", 10);
    assertThat(find("c", 10)).isEqualTo("d");
    assertThat(find("d", 10)).isEqualTo("none");
  }

  @Test
  void put_atTheFirstKey_removesTheRange() {
    prove("b", "f");
    put("b");
    assertThat(index.isEmpty()).isTrue();
    assertThat(find("c", 10)).isEqualTo("none");
  }

  @Test
  void put_outsideOfARange_leavesIt() {
    prove("b", "f");
    put("a");
    put("f");
    put("z");
    assertThat(find("b", 10)).isEqualTo("f");
    assertThat(index.count()).isEqualTo(1);
  }

  @Test
  void put_intoTwoRanges_shortensBothAndLeavesTheThird() {
    prove("b", "f");
    offer("m", "p", 10);
    offer(null, "k", 10);
    index.beginWatches(10);
    offer("m", "p", 10);
    offer(null, "k", 10);
    put("d");
    assertThat(find(null, 10)).isEqualTo("d");
    assertThat(find("c", 10)).isEqualTo("d");
    assertThat(find("e", 10)).isEqualTo("none");
    assertThat(find("m", 10)).isEqualTo("p");
    put("b");
    assertThat(find(null, 10)).isEqualTo("b");
    assertThat(find("b", 10)).isEqualTo("none");
    assertThat(index.count()).isEqualTo(2);
  }

  @Test
  void offers_ofMoreRangesThanAreKept_replaceTheOldest() {
    for (String from : new String[] {"a", "c", "e", "g", "i"}) {
      offer(from, from + "z", 10);
    }
    assertThat(index.count()).isEqualTo(TombstoneSkipIndex.MAX_RANGES);
    index.beginWatches(10);
    offer("c", "cz", 10);
    assertThat(find("c", 10)).isEqualTo("cz");
    assertThat(index.count()).isEqualTo(TombstoneSkipIndex.MAX_RANGES);
    offer("a", "az", 10);
    assertThat(find("c", 10)).as("the oldest one now").isEqualTo("none");
  }

  @Test
  void ranges_thatNoSeekUsesForManyPuts_areDropped() {
    prove("b", "f");
    ByteBuffer outside = Bytes.direct(Bytes.bytes("z"));
    for (int i = 1; i < MAX_UNUSED_PUTS; i++) {
      index.reportPut(outside, 0, 1);
    }
    assertThat(find("c", 10)).isEqualTo("f");
    put("z");
    assertThat(index.count()).as("used once").isEqualTo(1);
    for (int i = 1; i < MAX_UNUSED_PUTS; i++) {
      index.reportPut(outside, 0, 1);
    }
    assertThat(index.count()).isEqualTo(1);
    put("z");
    assertThat(index.isEmpty()).isTrue();
  }
}
