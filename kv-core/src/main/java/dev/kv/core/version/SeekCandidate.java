package dev.kv.core.version;

/** A table whose compaction pays off, because many reads searched it without finding their key. */
public record SeekCandidate(int level, FileMetadata file) {}
