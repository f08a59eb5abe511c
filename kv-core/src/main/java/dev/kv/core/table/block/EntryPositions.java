package dev.kv.core.table.block;

import java.util.Arrays;

/**
 * The positions of the entries of a run, so that prev() can walk it backward; at most the last
 * {@value #MAX_ENTRIES} entries. Stores the offsets of the keys in the scratch buffer, not the
 * keys.
 */
final class EntryPositions {
  private static final int MAX_ENTRIES = 256;
  private static final int MAX_KEY_BYTES = 16 << 10;
  private static final int FIELDS = 4;
  private static final int FIRST_CAPACITY = 32;

  /**
   * For each entry: its offset, the offset of its key in the scratch buffer, the length of the key,
   * and the offset of its value.
   */
  private int[] fields = {};

  private int count;
  private int keyBytes;
  private int end;

  /** The index of the entry shown. */
  private int shown;

  boolean isEmpty() {
    return count == 0;
  }

  void clear() {
    count = 0;
    shown = 0;
  }

  /**
   * Adds an entry and returns the offset for its key in the scratch buffer: after the last key, or
   * 0 if the record is full and starts again.
   */
  int add(int entry, int keyLength, int value) {
    if (count == 0 || count == MAX_ENTRIES || keyLength > MAX_KEY_BYTES - keyBytes) {
      count = 0;
      keyBytes = 0;
    }
    int at = count * FIELDS;
    if (at == fields.length) {
      fields = Arrays.copyOf(fields, Math.max(FIRST_CAPACITY * FIELDS, 2 * at));
    }
    int key = keyBytes;
    fields[at] = entry;
    fields[at + 1] = key;
    fields[at + 2] = keyLength;
    fields[at + 3] = value;
    count++;
    keyBytes = key + keyLength;
    return key;
  }

  /** Ends the run at {@code offset} and shows its last entry. */
  void end(int offset) {
    end = offset;
    shown = count - 1;
  }

  /** Shows the previous entry, or returns false if none is recorded. */
  boolean back() {
    if (shown == 0) {
      return false;
    }
    shown--;
    return true;
  }

  int entry() {
    return fields[shown * FIELDS];
  }

  int key() {
    return fields[shown * FIELDS + 1];
  }

  int keyLength() {
    return fields[shown * FIELDS + 2];
  }

  int value() {
    return fields[shown * FIELDS + 3];
  }

  /** Returns the offset of the entry after the one shown. */
  int next() {
    return shown + 1 < count ? fields[(shown + 1) * FIELDS] : end;
  }
}
