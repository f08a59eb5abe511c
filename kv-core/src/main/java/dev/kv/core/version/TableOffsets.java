package dev.kv.core.version;

/** Where a key stands in a table; the version asks, who can open tables answers. */
@FunctionalInterface
public interface TableOffsets {
  /** Returns about how many bytes of the table lie before an internal key. */
  long approximateOffsetOf(FileMetadata file, byte[] internalKey);
}
