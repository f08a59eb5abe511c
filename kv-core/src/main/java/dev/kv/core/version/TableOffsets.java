package dev.kv.core.version;

import java.nio.ByteBuffer;

/**
 * Finds the position of a key in a table. The version calls it; a package that opens tables
 * implements it.
 */
@FunctionalInterface
public interface TableOffsets {
  /** Returns the approximate number of bytes of the table before an internal key. */
  long approximateOffsetOf(FileMetadata file, ByteBuffer key, int offset, int length);
}
