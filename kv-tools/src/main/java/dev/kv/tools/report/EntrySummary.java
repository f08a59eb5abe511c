package dev.kv.tools.report;

import dev.kv.bytes.Escape;
import dev.kv.core.inspect.StoredKey;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * What the entries of all tables are: their sizes, their prefixes, how many are tombstones, and
 * about how many different keys they have. Its memory does not grow with the database.
 */
final class EntrySummary {
  private static final int MAX_PREFIXES = 20_000;
  private static final int MAX_PREFIX_BYTES = 24;
  private static final int PLAIN_PREFIX_BYTES = 3;
  private static final int REGISTER_BITS = 14;

  private final long[] keySizes = new long[33];
  private final long[] valueSizes = new long[33];
  private final byte[] registers = new byte[1 << REGISTER_BITS];
  private final Map<String, Prefix> prefixes = new HashMap<>();
  private long entries;
  private long tombstones;

  /**
   * The entries with one prefix.
   *
   * @param text the prefix, escaped
   * @param entries their number
   * @param bytes the size of their keys and values
   */
  record Prefix(String text, long entries, long bytes) {}

  /** Counts an entry of a table. */
  void add(byte[] internalKey, byte[] value) {
    int length = internalKey.length - StoredKey.TAG_BYTES;
    entries++;
    tombstones += StoredKey.isTombstone(internalKey) ? 1 : 0;
    keySizes[Integer.SIZE - Integer.numberOfLeadingZeros(length)]++;
    valueSizes[Integer.SIZE - Integer.numberOfLeadingZeros(value.length)]++;
    countKey(internalKey, length);
    String prefix = Escape.bytes(Arrays.copyOf(internalKey, prefix(internalKey, length)));
    if (prefixes.size() >= MAX_PREFIXES && !prefixes.containsKey(prefix)) {
      prefix = "(others)";
    }
    Prefix entry = new Prefix(prefix, 1, (long) length + value.length);
    prefixes.merge(
        prefix,
        entry,
        (a, b) -> new Prefix(a.text(), a.entries() + b.entries(), a.bytes() + b.bytes()));
  }

  /** Returns the length of the prefix: to the first separator, or some bytes if there is none. */
  private static int prefix(byte[] key, int length) {
    int end = Math.min(length, MAX_PREFIX_BYTES);
    for (int i = 0; i < end; i++) {
      if (":/.-_|,;#\0".indexOf(key[i]) >= 0) {
        return i + 1;
      }
    }
    return Math.min(length, PLAIN_PREFIX_BYTES);
  }

  /** HyperLogLog: a register keeps the longest run of zeros of the hashes that fall to it. */
  private void countKey(byte[] key, int length) {
    long hash = 0xcbf29ce484222325L;
    for (int i = 0; i < length; i++) {
      hash = (hash ^ key[i]) * 0x100000001b3L;
    }
    hash = (hash ^ hash >>> 33) * 0xff51afd7ed558ccdL;
    hash = (hash ^ hash >>> 33) * 0xc4ceb9fe1a85ec53L;
    hash ^= hash >>> 33;
    int register = (int) (hash >>> Long.SIZE - REGISTER_BITS);
    int rank = Long.numberOfLeadingZeros(hash << REGISTER_BITS | 1L << REGISTER_BITS - 1) + 1;
    registers[register] = (byte) Math.max(registers[register], rank);
  }

  long entries() {
    return entries;
  }

  long tombstones() {
    return tombstones;
  }

  long[] keySizes() {
    return keySizes;
  }

  long[] valueSizes() {
    return valueSizes;
  }

  /** Returns about how many different keys there are, within one or two percent. */
  long differentKeys() {
    double sum = 0;
    int empty = 0;
    for (byte register : registers) {
      sum += Math.scalb(1.0, -register);
      empty += register == 0 ? 1 : 0;
    }
    double size = registers.length;
    double estimate = 0.7213 / (1 + 1.079 / size) * size * size / sum;
    if (estimate <= 2.5 * size && empty > 0) {
      estimate = size * Math.log(size / empty);
    }
    return Math.min(entries, Math.round(estimate));
  }

  /** Returns the prefixes that take the most space, the largest first. */
  List<Prefix> largestPrefixes(int count) {
    List<Prefix> all = new ArrayList<>(prefixes.values());
    all.sort((a, b) -> Long.compare(b.bytes(), a.bytes()));
    return all.subList(0, Math.min(count, all.size()));
  }
}
