package dev.kv.core.version;

/**
 * A range of keys of a level that a running flush or compaction will fill. No other output may be
 * placed in it.
 */
public record OccupiedRange(int level, KeyRange keys) {}
