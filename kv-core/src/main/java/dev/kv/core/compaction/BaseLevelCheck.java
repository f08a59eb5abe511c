package dev.kv.core.compaction;

import dev.kv.core.key.InternalKey;
import dev.kv.core.key.UserKeyComparator;
import dev.kv.core.version.FileMetadata;
import dev.kv.core.version.Levels;
import dev.kv.core.version.Version;
import java.nio.ByteBuffer;
import java.util.List;

/**
 * Checks whether a level below a compaction's output level may contain a user key. Keys must be
 * checked in ascending order, so that each level is scanned once. Not thread-safe.
 */
final class BaseLevelCheck {
  private final UserKeyComparator comparator;
  private final Version version;
  private final int firstLevel;
  private final int[] next = new int[Levels.COUNT];

  BaseLevelCheck(Version version, int firstLevel) {
    this.comparator = version.comparator().userComparator();
    this.version = version;
    this.firstLevel = firstLevel;
  }

  /** Returns true if one of the levels has a table whose key range contains the user key. */
  boolean mayHold(ByteBuffer key, int offset, int length) {
    for (int level = firstLevel; level < Levels.COUNT; level++) {
      List<FileMetadata> files = version.files(level);
      while (next[level] < files.size()) {
        FileMetadata file = files.get(next[level]);
        if (compare(key, offset, length, file.largest()) <= 0) {
          if (compare(key, offset, length, file.smallest()) >= 0) {
            return true;
          }
          break;
        }
        next[level]++;
      }
    }
    return false;
  }

  private int compare(ByteBuffer key, int offset, int length, byte[] internalKey) {
    return comparator.compare(
        key, offset, length, internalKey, internalKey.length - InternalKey.TRAILER);
  }
}
