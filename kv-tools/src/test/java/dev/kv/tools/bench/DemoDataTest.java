package dev.kv.tools.bench;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.BitSet;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class DemoDataTest {
  @ParameterizedTest
  @ValueSource(ints = {1, 2, 3, 1000, 99_991, 1_000_000})
  void shuffled_allNumbers_isAPermutation(int count) {
    DemoData data = new DemoData(count);
    BitSet seen = new BitSet(count);
    for (int n = 0; n < count; n++) {
      seen.set(data.shuffled(n));
    }
    assertThat(seen.cardinality()).isEqualTo(count);
  }

  @ParameterizedTest
  @ValueSource(ints = {0, 8, 1008, 5, 21, 3, 7, 100})
  void valueAt_eachPhase_followsTheFateOfTheEntry(int entry) {
    DemoData data = new DemoData(10_000);
    assertThat(data.valueAt(DemoData.FILLED, entry)).isEqualTo(data.value(entry, 0));
    assertThat(data.valueAt(DemoData.CHANGED, entry) == null)
        .isEqualTo(data.isDeletedByBatch(entry));
    assertThat(data.valueAt(DemoData.DELETED, entry) == null)
        .isEqualTo(data.isDeletedByBatch(entry) || data.isDeleted(entry));
  }
}
