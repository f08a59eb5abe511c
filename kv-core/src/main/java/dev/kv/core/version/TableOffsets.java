package dev.kv.core.version;

import java.nio.ByteBuffer;

/** Where a key stands in a table; the version asks, who can open tables answers. */
@FunctionalInterface
public interface TableOffsets {
  /** Returns about how many bytes of the table lie before an internal key. */
  long approximateOffsetOf(FileMetadata file, ByteBuffer key, int offset, int length);
}
