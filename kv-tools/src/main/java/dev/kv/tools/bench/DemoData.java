package dev.kv.tools.bench;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.SplittableRandom;
import org.jspecify.annotations.Nullable;

/**
 * The data of the demo, as a function of the number of the entry, so that nothing is stored: keys
 * of 16 bytes, values of 100 bytes that compress to about half, and what each phase does to an
 * entry.
 */
final class DemoData {
  /** The state after the phase that fills the database. */
  static final int FILLED = 0;

  /** The state after entries were overwritten and the batch was applied. */
  static final int CHANGED = 1;

  /** The state after entries were deleted. */
  static final int DELETED = 2;

  static final int KEY_SIZE = 16;
  static final int VALUE_SIZE = 100;
  private static final int BATCH_STRIDE = 1000;

  private final int count;
  private final int stride;
  private final byte[] noise = new byte[1 << 16];

  DemoData(int count) {
    this.count = count;
    stride = strideFor(count);
    new SplittableRandom(301).nextBytes(noise);
  }

  int count() {
    return count;
  }

  /**
   * Returns the {@code n}th entry in a shuffled order, which has each number below the count once.
   */
  int shuffled(int n) {
    return (int) ((long) n * stride % count);
  }

  byte[] key(int entry) {
    byte[] key = new byte[KEY_SIZE];
    Arrays.fill(key, (byte) '0');
    byte[] digits = Integer.toString(entry).getBytes(StandardCharsets.US_ASCII);
    System.arraycopy(digits, 0, key, KEY_SIZE - digits.length, digits.length);
    return key;
  }

  /** Returns true if the overwriting phase puts a new value. */
  boolean isOverwritten(int entry) {
    return entry % 10 < 3;
  }

  /** Returns true if the batch puts a new value. */
  boolean isPutByBatch(int entry) {
    return entry % BATCH_STRIDE == 7;
  }

  /** Returns true if the batch deletes the entry. */
  boolean isDeletedByBatch(int entry) {
    return entry % BATCH_STRIDE == 8;
  }

  /** Returns true if the deleting phase deletes the entry. */
  boolean isDeleted(int entry) {
    return entry % 16 == 5;
  }

  /** Returns the value of an entry in a state, or null if the entry is deleted. */
  byte @Nullable [] valueAt(int state, int entry) {
    boolean deleted =
        state >= CHANGED && isDeletedByBatch(entry) || state >= DELETED && isDeleted(entry);
    return deleted ? null : value(entry, generationAt(state, entry));
  }

  private int generationAt(int state, int entry) {
    if (state == FILLED) {
      return 0;
    }
    return isPutByBatch(entry) ? 2 : isOverwritten(entry) ? 1 : 0;
  }

  /** Returns the value of the {@code generation}th write of an entry. */
  byte[] value(int entry, int generation) {
    byte[] value = new byte[VALUE_SIZE];
    int at = (int) ((entry * 0x9e3779b1L + generation * 0x85ebca6bL) & 0xffff);
    at = Math.min(at, noise.length - VALUE_SIZE / 2);
    System.arraycopy(noise, at, value, 0, VALUE_SIZE / 2);
    System.arraycopy(noise, at, value, VALUE_SIZE / 2, VALUE_SIZE / 2);
    for (int i = 0; i < Integer.BYTES; i++) {
      value[i] = (byte) (entry >>> 8 * i);
    }
    value[Integer.BYTES] = (byte) generation;
    return value;
  }

  /** Returns a number near the golden section of {@code count} that is coprime to it. */
  private static int strideFor(int count) {
    int stride = Math.max(1, (int) (count * 0.6180339887));
    while (greatestCommonDivisor(stride, count) != 1) {
      stride++;
    }
    return stride;
  }

  private static int greatestCommonDivisor(int a, int b) {
    return b == 0 ? a : greatestCommonDivisor(b, a % b);
  }
}
