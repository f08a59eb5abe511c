package dev.kv.core.version;

import dev.kv.core.key.InternalKey;
import dev.kv.core.key.InternalKeyComparator;
import dev.kv.core.key.UserKeyComparator;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;

/**
 * The tables of one level, immutable: level 0 from the newest to the oldest, the others by key.
 *
 * <p>If the order is bytewise, there is a number for the first and for the last user key of each
 * table, so that most steps of a search compare two longs and touch no key. The number is made of
 * the eight bytes after the common prefix of all these keys, padded with zeros, with the sign bit
 * flipped, so that the order of longs is the unsigned order of bytes. A key without that prefix has
 * the least number if it comes before all of them, and the greatest if it comes after. Different
 * numbers order their keys; equal numbers do not. In any other order, and if {@link #KEY_NUMBERS}
 * is off, all numbers are 0. No answer depends on them.
 */
final class LevelFiles {
  /** The switch of the numbers, so that a measurement can compare a build with and without them. */
  private static final boolean KEY_NUMBERS = true;

  private static final FileMetadata[] NO_FILES = {};
  private static final byte[] NO_KEY = new byte[InternalKey.TRAILER];

  private final InternalKeyComparator comparator;

  /** True if there are numbers for keys: if the switch is on and the order is bytewise. */
  private final boolean numbered;

  /** The common prefix of the first and last user keys of all tables; empty without numbers. */
  private final byte[] common;

  private final FileMetadata[] files;
  private final List<FileMetadata> view;
  private final long[] smallestNumbers;
  private final long[] largestNumbers;
  private final long bytes;

  /** For each table of level 0 true if it is known to be a flushed memtable; else empty. */
  private final boolean[] flushed;

  /** For each table of level 0 true if no table after it has an entry as new as its own. */
  private final boolean[] decides;

  private final boolean inSequenceOrder;

  /** Creates a level from 1 on; takes ownership of the array, which is in the level's order. */
  LevelFiles(InternalKeyComparator comparator, FileMetadata[] files) {
    this(comparator, files, new boolean[0]);
  }

  /**
   * Creates a level; takes ownership of the arrays, which are in the level's order.
   *
   * @param flushed for each table of level 0 true if it is known to be a flushed memtable; empty
   *     for other levels
   */
  LevelFiles(InternalKeyComparator comparator, FileMetadata[] files, boolean[] flushed) {
    this.comparator = comparator;
    this.numbered = KEY_NUMBERS && comparator.userComparator().isBytewise();
    this.files = files;
    this.common = numbered ? common(files) : new byte[0];
    this.view = Collections.unmodifiableList(Arrays.asList(files));
    this.smallestNumbers = new long[files.length];
    this.largestNumbers = new long[files.length];
    long sum = 0;
    for (int i = 0; i < files.length; i++) {
      smallestNumbers[i] = number(files[i].smallest());
      largestNumbers[i] = number(files[i].largest());
      sum += files[i].size();
    }
    this.bytes = sum;
    this.flushed = flushed;
    this.decides = deciding(files, flushed);
    boolean all = true;
    for (boolean each : decides) {
      all &= each;
    }
    this.inSequenceOrder = all;
  }

  static LevelFiles empty(InternalKeyComparator comparator) {
    return new LevelFiles(comparator, NO_FILES);
  }

  int count() {
    return files.length;
  }

  FileMetadata get(int index) {
    return files[index];
  }

  List<FileMetadata> list() {
    return view;
  }

  long bytes() {
    return bytes;
  }

  /**
   * A memtable is flushed after the older ones, and its table gets the next file number: its
   * entries are newer than those of all tables with lower numbers. The first and last key of a
   * table that was not flushed tell nothing about the sequence numbers between them. They are
   * checked nevertheless, to find a MANIFEST that contradicts itself.
   */
  private static boolean[] deciding(FileMetadata[] files, boolean[] flushed) {
    boolean[] decides = new boolean[flushed.length];
    long newestBefore = -1;
    for (int i = flushed.length - 1; i >= 0; i--) {
      long first = sequence(files[i].smallest());
      long last = sequence(files[i].largest());
      decides[i] = newestBefore < 0 || (flushed[i] && Math.min(first, last) > newestBefore);
      newestBefore = Math.max(newestBefore, Math.max(first, last));
    }
    return decides;
  }

  /** Returns true if a table of level 0 is known to be a flushed memtable. */
  boolean isFlushed(int index) {
    return flushed[index];
  }

  /** Returns true if no table of level 0 after this one has an entry as new as its own. */
  boolean decides(int index) {
    return decides[index];
  }

  /** Returns true if every table of level 0 {@linkplain #decides decides}. */
  boolean isInSequenceOrder() {
    return inSequenceOrder;
  }

  private static long sequence(byte[] internalKey) {
    return InternalKey.sequence(InternalKey.tag(internalKey));
  }

  private static byte[] common(FileMetadata[] files) {
    byte[] first = files.length == 0 ? NO_KEY : files[0].smallest();
    int length = first.length - InternalKey.TRAILER;
    for (FileMetadata file : files) {
      length = commonLength(first, length, file.smallest());
      length = commonLength(first, length, file.largest());
    }
    return Arrays.copyOf(first, length);
  }

  private static int commonLength(byte[] first, int length, byte[] key) {
    int mismatch = Arrays.mismatch(first, 0, length, key, 0, key.length - InternalKey.TRAILER);
    return mismatch < 0 ? length : mismatch;
  }

  /**
   * Returns the index of the first table whose last key is at or after an internal key, or {@link
   * #count}.
   */
  int lowerBound(ByteBuffer key, int offset, int length) {
    return lowerBound(number(key, offset, length), key, offset, length);
  }

  private int lowerBound(long number, ByteBuffer key, int offset, int length) {
    int low = 0;
    int high = files.length;
    while (low < high) {
      int middle = (low + high) >>> 1;
      if (endsBefore(middle, number, key, offset, length)) {
        low = middle + 1;
      } else {
        high = middle;
      }
    }
    return low;
  }

  private boolean endsBefore(int index, long number, ByteBuffer key, int offset, int length) {
    return largestNumbers[index] != number
        ? largestNumbers[index] < number
        : comparator.compare(key, offset, length, files[index].largest()) > 0;
  }

  /**
   * Returns the index of the one table that may hold an internal key, or -1; for levels from 1 on.
   */
  int find(ByteBuffer key, int offset, int length) {
    long number = number(key, offset, length);
    int index = lowerBound(number, key, offset, length);
    return index < files.length && startsAtOrBefore(index, number, key, offset, length)
        ? index
        : -1;
  }

  /** Returns true if the user key of an internal key is in the range of a table. */
  boolean covers(int index, ByteBuffer key, int offset, int length) {
    long number = number(key, offset, length);
    if (!startsAtOrBefore(index, number, key, offset, length)) {
      return false;
    }
    return largestNumbers[index] != number
        ? largestNumbers[index] > number
        : comparator.compareUserKeys(key, offset, length, files[index].largest()) <= 0;
  }

  private boolean startsAtOrBefore(int index, long number, ByteBuffer key, int offset, int length) {
    return smallestNumbers[index] != number
        ? smallestNumbers[index] < number
        : comparator.compareUserKeys(key, offset, length, files[index].smallest()) >= 0;
  }

  /** Returns the number that represents the user key of an internal key. */
  private long number(ByteBuffer key, int offset, int length) {
    if (!numbered) {
      return 0;
    }
    int userLength = length - InternalKey.TRAILER;
    int most = Math.min(userLength, common.length);
    int order = comparator.userComparator().compare(key, offset, most, common, common.length);
    if (order != 0) {
      return order < 0 ? Long.MIN_VALUE : Long.MAX_VALUE;
    }
    return UserKeyComparator.prefix(key, offset + common.length, userLength - common.length);
  }

  /** Returns the number that represents the user key of a bound. */
  private long number(byte[] internalKey) {
    if (!numbered) {
      return 0;
    }
    int rest = internalKey.length - InternalKey.TRAILER - common.length;
    long number = 0;
    for (int i = 0; i < Math.min(Long.BYTES, rest); i++) {
      number |= (internalKey[common.length + i] & 0xffL) << (56 - 8 * i);
    }
    return number ^ Long.MIN_VALUE;
  }
}
