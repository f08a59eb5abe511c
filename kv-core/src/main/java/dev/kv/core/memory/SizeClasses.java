package dev.kv.core.memory;

/** The sizes of slots: multiples of 64 bytes up to 1 KiB, then sixteen sizes for each doubling. */
final class SizeClasses {
  /** The largest size that comes from a slab. */
  static final int LARGEST = 8 << 20;

  private static final int STEPS_LOG = 4;
  private static final int STEPS = 1 << STEPS_LOG;
  private static final int LINEAR_STEP_LOG = 6;
  private static final int LINEAR_LIMIT_LOG = LINEAR_STEP_LOG + STEPS_LOG;

  /** The bits that, set in an index, round it up to one of two classes for each doubling. */
  static final int COARSE = STEPS / 2 - 1;

  /** The number of classes. */
  static final int COUNT = indexOf(LARGEST) + 1;

  private SizeClasses() {}

  /** Returns the index of the class with the smallest slot that holds {@code length} bytes. */
  static int indexOf(int length) {
    int last = Math.max(length, 1) - 1;
    if (last < 1 << LINEAR_LIMIT_LOG) {
      return last >>> LINEAR_STEP_LOG;
    }
    int doubling = 31 - Integer.numberOfLeadingZeros(last);
    int step = last >>> doubling - STEPS_LOG & STEPS - 1;
    return (doubling - LINEAR_LIMIT_LOG + 1) * STEPS + step;
  }

  /** Returns the size of a class's slots in bytes. */
  static int size(int index) {
    if (index < STEPS) {
      return index + 1 << LINEAR_STEP_LOG;
    }
    int doubling = index / STEPS - 1 + LINEAR_LIMIT_LOG;
    return STEPS + index % STEPS + 1 << doubling - STEPS_LOG;
  }
}
