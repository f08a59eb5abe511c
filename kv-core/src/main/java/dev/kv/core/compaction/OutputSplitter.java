package dev.kv.core.compaction;

import dev.kv.core.key.InternalKey;
import dev.kv.core.key.UserKeyComparator;
import dev.kv.core.version.FileMetadata;
import dev.kv.core.version.Levels;
import java.nio.ByteBuffer;
import java.util.List;

/**
 * Decides when a compaction ends one output table and begins the next: when the table is large
 * enough, or when it overlaps so many bytes of the grandparents that its next compaction would be
 * expensive. It never splits the entries of one user key, because such tables would always have to
 * be compacted together. Not thread-safe.
 */
final class OutputSplitter {
  private final UserKeyComparator comparator;
  private final List<FileMetadata> grandparents;
  private final long maxFileSize;
  private final long maxOverlap;
  private int next;
  private boolean anyKey;
  private long overlap;

  OutputSplitter(UserKeyComparator comparator, List<FileMetadata> grandparents, long maxFileSize) {
    this.comparator = comparator;
    this.grandparents = grandparents;
    this.maxFileSize = maxFileSize;
    this.maxOverlap = Levels.maxGrandparentOverlapBytes(maxFileSize);
  }

  /**
   * Returns true if the open output ends before an entry with a new user key. Called in order, once
   * for each new user key that survives, even if no output is open; the result is meaningless then.
   *
   * @param outputBytes the size of the open output so far
   */
  boolean splitsBefore(ByteBuffer key, int offset, int userLength, long outputBytes) {
    while (next < grandparents.size() && isAfter(key, offset, userLength)) {
      if (anyKey) {
        overlap += grandparents.get(next).size();
      }
      next++;
    }
    anyKey = true;
    boolean split = outputBytes >= maxFileSize || overlap > maxOverlap;
    if (split) {
      overlap = 0;
    }
    return split;
  }

  private boolean isAfter(ByteBuffer key, int offset, int userLength) {
    byte[] largest = grandparents.get(next).largest();
    return comparator.compare(
            key, offset, userLength, largest, largest.length - InternalKey.TRAILER)
        > 0;
  }
}
