package dev.kv.core.memory;

/** What a piece of off-heap memory is for. */
public enum MemoryKind {
  /** Arenas of memtables. */
  MEMTABLE,
  /** Data blocks, cached or in use, and the free slots of the allocator. */
  BLOCK,
  /** Index and filter blocks of open tables. */
  INDEX_AND_FILTER,
  /** Scratch buffers of the log, flushes, compactions and readers. */
  WRITE_BUFFER
}
