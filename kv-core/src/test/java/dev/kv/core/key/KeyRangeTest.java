package dev.kv.core.key;

import static dev.kv.core.Bytes.direct;
import static org.assertj.core.api.Assertions.assertThat;

import dev.kv.bytes.DBComparator;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Predicate;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Ranges of keys against their definition: for all pairs of ranges between a few keys, whether each
 * key is in the one and in the other. The least and the greatest key are no bounds, so that they
 * are in a range only if it has no bound there.
 */
class KeyRangeTest {
  private static final UserKeyComparator BYTEWISE = new UserKeyComparator(DBComparator.bytewise());
  private static final UserKeyComparator REVERSE =
      new UserKeyComparator(DBComparator.of("test.Reverse", (a, b) -> b.compareTo(a)));

  private static final byte[][] KEYS = {{'a'}, {'b'}, {'c'}, {'d'}, {'e'}, {'f'}};
  private static final byte[][] BOUNDS = {{'b'}, {'c'}, {'d'}, {'e'}, null};

  private static UserKeyComparator order(boolean reverse) {
    return reverse ? REVERSE : BYTEWISE;
  }

  private static List<KeyRange> ranges(UserKeyComparator order) {
    List<KeyRange> ranges = new ArrayList<>();
    for (byte[] first : BOUNDS) {
      for (byte[] last : BOUNDS) {
        if (first == null || last == null || order.compare(first, last) <= 0) {
          ranges.add(new KeyRange(first, last));
        }
      }
    }
    return ranges;
  }

  /** Half-open ranges that are not empty. */
  private static List<KeyBounds> bounds(UserKeyComparator order) {
    List<KeyBounds> bounds = new ArrayList<>();
    for (byte[] first : BOUNDS) {
      for (byte[] end : BOUNDS) {
        if (first == null || end == null || order.compare(first, end) < 0) {
          bounds.add(new KeyBounds(first, end));
        }
      }
    }
    return bounds;
  }

  private static Predicate<byte[]> keysOf(UserKeyComparator order, KeyRange range) {
    return key ->
        (range.smallest() == null || order.compare(key, range.smallest()) >= 0)
            && (range.largest() == null || order.compare(key, range.largest()) <= 0);
  }

  private static Predicate<byte[]> keysOf(UserKeyComparator order, KeyBounds bounds) {
    return key ->
        (bounds.lower() == null || order.compare(key, bounds.lower()) >= 0)
            && (bounds.upper() == null || order.compare(key, bounds.upper()) < 0);
  }

  private static boolean haveOneInCommon(Predicate<byte[]> a, Predicate<byte[]> b) {
    return List.of(KEYS).stream().anyMatch(a.and(b));
  }

  private static boolean areAllIn(Predicate<byte[]> a, Predicate<byte[]> b) {
    return List.of(KEYS).stream().filter(a).allMatch(b);
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void ranges_ofAllPairs_overlapAndCoverAsTheirKeysDo(boolean reverse) {
    UserKeyComparator order = order(reverse);
    for (KeyRange a : ranges(order)) {
      for (KeyRange b : ranges(order)) {
        Predicate<byte[]> ofA = keysOf(order, a);
        Predicate<byte[]> ofB = keysOf(order, b);
        assertThat(a.overlaps(order, b)).isEqualTo(haveOneInCommon(ofA, ofB));
        assertThat(a.covers(order, b)).isEqualTo(areAllIn(ofB, ofA));
        KeyRange both = a.with(order, b);
        assertThat(both.covers(order, a)).isTrue();
        assertThat(both.covers(order, b)).isTrue();
        assertThat(both.smallest()).isIn(a.smallest(), b.smallest());
        assertThat(both.largest()).isIn(a.largest(), b.largest());
      }
    }
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void bounds_andAllRanges_overlapAndCoverAsTheirKeysDo(boolean reverse) {
    UserKeyComparator order = order(reverse);
    for (KeyBounds bounds : bounds(order)) {
      Predicate<byte[]> within = keysOf(order, bounds);
      for (KeyRange range : ranges(order)) {
        Predicate<byte[]> keys = keysOf(order, range);
        assertThat(bounds.overlaps(order, range)).isEqualTo(haveOneInCommon(within, keys));
        assertThat(bounds.covers(order, range)).isEqualTo(areAllIn(keys, within));
      }
      for (byte[] key : KEYS) {
        ByteBuffer buffer = direct(3).put(2, key);
        boolean before = bounds.upper() == null || order.compare(key, bounds.upper()) < 0;
        assertThat(bounds.isBeforeEnd(order, buffer, 2, 1)).isEqualTo(before);
      }
    }
  }

  @Test
  void boundsOfARange_bytewise_endRightAfterItsLastKey() {
    KeyBounds bounds = new KeyRange(KEYS[1], KEYS[2]).bounds(BYTEWISE);
    assertThat(bounds.lower()).isEqualTo(KEYS[1]);
    assertThat(bounds.upper()).isEqualTo(new byte[] {'c', 0});
    assertThat(new KeyRange(null, null).bounds(BYTEWISE)).isEqualTo(new KeyBounds(null, null));
    assertThat(new KeyRange(null, KEYS[2]).bounds(REVERSE)).isEqualTo(new KeyBounds(null, null));
  }
}
