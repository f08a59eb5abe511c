package dev.kv.infinispan;

import static org.assertj.core.api.Assertions.assertThat;

import org.infinispan.commons.util.IntSet;
import org.infinispan.commons.util.IntSets;
import org.junit.jupiter.api.Test;

class OwnedSegmentsTest {
  private final OwnedSegments owned = new OwnedSegments();

  private static IntSet set(int... segments) {
    IntSet set = IntSets.mutableEmptySet();
    for (int segment : segments) {
      set.set(segment);
    }
    return set;
  }

  @Test
  void firstSegments_stay() {
    assertThat(owned.add(set(1, 2))).isEmpty();
    assertThat(owned.add(set(1, 2))).isEmpty();
  }

  @Test
  void laterSegments_areEmptied() {
    owned.add(set(1, 2));
    assertThat(owned.add(set(1, 2, 5))).isEqualTo(set(5));
    assertThat(owned.add(set(1, 2, 5))).isEmpty();
  }

  @Test
  void allSegments_ofANodeThatJoined_areEmptied() {
    owned.add(set());
    assertThat(owned.add(set(1, 2))).isEqualTo(set(1, 2));
  }

  @Test
  void segment_thatWasRemoved_isEmptiedWhenItComesBack() {
    owned.add(set(1, 2));
    owned.remove(set(2, 3));
    assertThat(owned.add(set(1, 2))).isEqualTo(set(2));
  }

  @Test
  void reset_forgets() {
    owned.add(set());
    owned.reset();
    assertThat(owned.add(set(1, 2))).isEmpty();
  }

  @Test
  void count_isThatOfTheOwnedSegments() {
    assertThat(owned.count(256)).isEqualTo(256);
    owned.add(set());
    assertThat(owned.count(256)).isZero();
    owned.add(set(1, 2, 3));
    owned.remove(set(2));
    assertThat(owned.count(256)).isEqualTo(2);
  }
}
