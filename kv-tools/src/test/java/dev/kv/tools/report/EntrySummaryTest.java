package dev.kv.tools.report;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;

class EntrySummaryTest {
  private final EntrySummary entries = new EntrySummary();

  private void add(String key, boolean tombstone, int valueLength) {
    byte[] text = key.getBytes(StandardCharsets.UTF_8);
    ByteBuffer internal = ByteBuffer.allocate(text.length + 8).order(ByteOrder.LITTLE_ENDIAN);
    internal.put(text).putLong(7L << 8 | (tombstone ? 0 : 1));
    entries.add(internal.array(), new byte[valueLength]);
  }

  @Test
  void differentKeys_ofAnyNumber_isNearlyRight() {
    int total = 0;
    for (int target : new int[] {0, 1, 10, 1000, 20_000, 300_000}) {
      for (; total < target; total++) {
        add("user:" + total, false, 10);
        add("user:" + total, false, 10);
      }
      assertThat((double) entries.differentKeys()).isCloseTo(total, within(0.03 * total + 0.5));
    }
    assertThat(entries.entries()).isEqualTo(2L * total);
  }

  @Test
  void add_countsTombstonesSizesAndPrefixes() {
    add("user:1", false, 100);
    add("user:2", true, 0);
    add("order/1", false, 5);
    add("xyzzy", false, 0);
    assertThat(entries.tombstones()).isEqualTo(1);
    assertThat(entries.keySizes()[3]).isEqualTo(4);
    assertThat(entries.valueSizes()[0]).isEqualTo(2);
    assertThat(entries.largestPrefixes(2))
        .containsExactly(
            new EntrySummary.Prefix("user:", 2, 112), new EntrySummary.Prefix("order/", 1, 12));
    assertThat(entries.largestPrefixes(9).get(2).text()).isEqualTo("xyz");
  }
}
