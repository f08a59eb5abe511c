package dev.kv.core.compaction;

import dev.kv.core.iterator.InternalIterator;
import dev.kv.core.version.FileMetadata;

/** Opens the input tables of a job. The owner of the table cache implements it. */
@FunctionalInterface
public interface TableInputs {
  /** Returns a cursor over a table's entries; the caller closes it. */
  InternalIterator open(FileMetadata file);
}
