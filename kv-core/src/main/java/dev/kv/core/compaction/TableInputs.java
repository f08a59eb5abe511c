package dev.kv.core.compaction;

import dev.kv.core.iterator.InternalIterator;
import dev.kv.core.version.FileMetadata;

/** Opens input tables; given by who has the table cache. */
@FunctionalInterface
public interface TableInputs {
  /** Returns a cursor over a table's entries; the caller closes it. */
  InternalIterator open(FileMetadata file);
}
