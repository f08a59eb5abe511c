package dev.kv.core.version;

import dev.kv.core.key.InternalKey;
import dev.kv.core.key.InternalKeyComparator;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;

/** The tables of one level, immutable: level 0 from the newest to the oldest, the others by key. */
final class LevelFiles {
  private static final FileMetadata[] NO_FILES = {};

  private final InternalKeyComparator comparator;

  private final FileMetadata[] files;
  private final List<FileMetadata> view;
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
    this.files = files;
    this.view = Collections.unmodifiableList(Arrays.asList(files));
    this.bytes = Version.totalSize(view);
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

  /**
   * Returns the index of the first table whose last key is at or after an internal key, or {@link
   * #count}.
   */
  int lowerBound(ByteBuffer key, int offset, int length) {
    int low = 0;
    int high = files.length;
    while (low < high) {
      int middle = (low + high) >>> 1;
      if (comparator.compare(key, offset, length, files[middle].largest()) > 0) {
        low = middle + 1;
      } else {
        high = middle;
      }
    }
    return low;
  }

  /**
   * Returns the index of the one table that may hold an internal key, or -1; for levels from 1 on.
   */
  int find(ByteBuffer key, int offset, int length) {
    int index = lowerBound(key, offset, length);
    return index < files.length && startsAtOrBefore(index, key, offset, length) ? index : -1;
  }

  /** Returns true if the user key of an internal key is in the range of a table. */
  boolean covers(int index, ByteBuffer key, int offset, int length) {
    return startsAtOrBefore(index, key, offset, length)
        && comparator.compareUserKeys(key, offset, length, files[index].largest()) <= 0;
  }

  private boolean startsAtOrBefore(int index, ByteBuffer key, int offset, int length) {
    return comparator.compareUserKeys(key, offset, length, files[index].smallest()) >= 0;
  }
}
