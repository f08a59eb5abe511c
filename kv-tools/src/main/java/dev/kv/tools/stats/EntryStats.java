package dev.kv.tools.stats;

import dev.kv.core.inspect.StoredKey;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/** Histograms of the sizes of keys and values, by powers of two. */
final class EntryStats {
  private static final int BAR = 40;

  private final long[] keys = new long[33];
  private final long[] values = new long[33];

  /** Counts an entry. */
  void add(byte[] internalKey, byte[] value) {
    keys[bucket(internalKey.length - StoredKey.TAG_BYTES)]++;
    values[bucket(value.length)]++;
  }

  /** Returns 0 for 0, and n for sizes from 2^(n-1) to 2^n - 1. */
  private static int bucket(int size) {
    return Integer.SIZE - Integer.numberOfLeadingZeros(size);
  }

  /** Returns the histograms as lines of text. */
  List<String> lines() {
    List<String> lines = new ArrayList<>();
    describe("key", keys, lines);
    describe("value", values, lines);
    return lines;
  }

  private static void describe(String what, long[] counts, List<String> lines) {
    long most = 1;
    for (long count : counts) {
      most = Math.max(most, count);
    }
    lines.add("");
    lines.add(what + " bytes        entries");
    for (int i = 0; i < counts.length; i++) {
      if (counts[i] > 0) {
        String bar = "#".repeat((int) (counts[i] * BAR / most));
        lines.add(
            String.format(
                    Locale.ROOT, "%10d- %-10d %9d  %s", smallest(i), largest(i), counts[i], bar)
                .stripTrailing());
      }
    }
  }

  private static long smallest(int bucket) {
    return bucket == 0 ? 0 : 1L << (bucket - 1);
  }

  private static long largest(int bucket) {
    return (1L << bucket) - 1;
  }

  /** Returns the histograms as members of a JSON object. */
  Map<String, Object> members() {
    Map<String, Object> members = new LinkedHashMap<>();
    members.put("keySizes", members(keys));
    members.put("valueSizes", members(values));
    return members;
  }

  private static List<Object> members(long[] counts) {
    List<Object> buckets = new ArrayList<>();
    for (int i = 0; i < counts.length; i++) {
      if (counts[i] > 0) {
        Map<String, Object> bucket = new LinkedHashMap<>();
        bucket.put("from", smallest(i));
        bucket.put("to", largest(i));
        bucket.put("entries", counts[i]);
        buckets.add(bucket);
      }
    }
    return buckets;
  }
}
