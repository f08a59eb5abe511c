package dev.kv.core.version;

/** A table that so many reads searched without finding their key that its compaction pays. */
public record SeekCandidate(int level, FileMetadata file) {}
