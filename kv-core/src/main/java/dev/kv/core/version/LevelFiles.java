package dev.kv.core.version;

import dev.kv.core.key.InternalKey;
import dev.kv.core.key.InternalKeyComparator;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;

/**
 * The tables of one level, immutable: level 0 from the newest to the oldest, the others by key.
 *
 * <p>Where the order is bytewise, the first eight bytes of each table's first and last user key stand beside the
 * tables as numbers, so that most steps of a search compare two longs and touch no key. The numbers have
 * their sign bit flipped, which turns the unsigned order of bytes into the order of longs; a short key
 * is padded with zeros. Different numbers order their keys; equal ones say nothing.
 */
final class LevelFiles {
  private static final FileMetadata[] NO_FILES = {};

  private final InternalKeyComparator comparator;
  private final boolean bytewise;
  private final FileMetadata[] files;
  private final List<FileMetadata> view;
  private final long[] smallestPrefixes;
  private final long[] largestPrefixes;
  private final long bytes;

  /** Takes the array over; it is in the level's order. */
  LevelFiles(InternalKeyComparator comparator, FileMetadata[] files) {
    this.comparator = comparator;
    this.bytewise = comparator.userComparator().isBytewise();
    this.files = files;
    this.view = Collections.unmodifiableList(Arrays.asList(files));
    this.smallestPrefixes = new long[files.length];
    this.largestPrefixes = new long[files.length];
    long sum = 0;
    for (int i = 0; i < files.length; i++) {
      smallestPrefixes[i] = prefix(files[i].smallest());
      largestPrefixes[i] = prefix(files[i].largest());
      sum += files[i].size();
    }
    this.bytes = sum;
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
   * Returns whether the sequence numbers fall from table to table, as far as the bounds show: they do where each table
   * of level 0 is a flushed memtable.
   */
  boolean isInSequenceOrder() {
    for (int i = 1; i < files.length; i++) {
      FileMetadata newer = files[i - 1];
      FileMetadata older = files[i];
      if (Math.min(sequence(newer.smallest()), sequence(newer.largest()))
          <= Math.max(sequence(older.smallest()), sequence(older.largest()))) {
        return false;
      }
    }
    return true;
  }

  private static long sequence(byte[] internalKey) {
    return InternalKey.sequence(InternalKey.tag(internalKey));
  }

  /** Returns the first table whose last key is at or after an internal key; {@link #count} if none is. */
  int lowerBound(ByteBuffer key, int offset, int length) {
    long prefix = prefix(key, offset, length - InternalKey.TRAILER);
    int low = 0;
    int high = files.length;
    while (low < high) {
      int middle = (low + high) >>> 1;
      if (largestIsBefore(middle, prefix, key, offset, length)) {
        low = middle + 1;
      } else {
        high = middle;
      }
    }
    return low;
  }

  private boolean largestIsBefore(int index, long prefix, ByteBuffer key, int offset, int length) {
    if (bytewise && largestPrefixes[index] != prefix) {
      return largestPrefixes[index] < prefix;
    }
    return comparator.compare(key, offset, length, files[index].largest()) > 0;
  }

  /** Returns the one table that may hold an internal key, or -1; for levels from 1 on. */
  int find(ByteBuffer key, int offset, int length) {
    int index = lowerBound(key, offset, length);
    return index < files.length && startsAtOrBefore(index, key, offset, length) ? index : -1;
  }

  /** Returns whether the range of a table's user keys holds that of an internal key. */
  boolean covers(int index, ByteBuffer key, int offset, int length) {
    if (!startsAtOrBefore(index, key, offset, length)) {
      return false;
    }
    if (bytewise) {
      long prefix = prefix(key, offset, length - InternalKey.TRAILER);
      if (prefix != largestPrefixes[index]) {
        return prefix < largestPrefixes[index];
      }
    }
    return comparator.compareUserKeys(key, offset, length, files[index].largest()) <= 0;
  }

  private boolean startsAtOrBefore(int index, ByteBuffer key, int offset, int length) {
    if (bytewise) {
      long prefix = prefix(key, offset, length - InternalKey.TRAILER);
      if (prefix != smallestPrefixes[index]) {
        return smallestPrefixes[index] < prefix;
      }
    }
    return comparator.compareUserKeys(key, offset, length, files[index].smallest()) >= 0;
  }

  private static long prefix(ByteBuffer key, int offset, int length) {
    if (length >= Long.BYTES) {
      return Long.reverseBytes(key.getLong(offset)) ^ Long.MIN_VALUE;
    }
    long prefix = 0;
    for (int i = 0; i < length; i++) {
      prefix |= (key.get(offset + i) & 0xffL) << (56 - 8 * i);
    }
    return prefix ^ Long.MIN_VALUE;
  }

  private static long prefix(byte[] internalKey) {
    long prefix = 0;
    for (int i = 0; i < Math.min(Long.BYTES, internalKey.length - InternalKey.TRAILER); i++) {
      prefix |= (internalKey[i] & 0xffL) << (56 - 8 * i);
    }
    return prefix ^ Long.MIN_VALUE;
  }
}
