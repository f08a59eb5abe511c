package dev.kv.core.version;

/**
 * Keys of a level that a running flush or compaction will fill, so that no other output may come to
 * lie among them.
 */
public record OccupiedRange(int level, KeyRange keys) {}
