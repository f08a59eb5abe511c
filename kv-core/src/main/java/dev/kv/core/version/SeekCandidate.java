package dev.kv.core.version;

/** A table that reads touched in vain so often that its compaction pays. */
public record SeekCandidate(int level, FileMetadata file) {}
