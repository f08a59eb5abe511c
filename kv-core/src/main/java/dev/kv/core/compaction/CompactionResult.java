package dev.kv.core.compaction;

import dev.kv.core.version.FileMetadata;
import dev.kv.core.version.VersionEdit;
import java.util.List;

/**
 * The result of a compaction.
 *
 * @param edit the edit that replaces the inputs by the outputs
 * @param outputs the new tables, durable except for their directory entries
 * @param stats the time and bytes that it took
 * @param filtered what the program's filter has changed
 */
public record CompactionResult(
    VersionEdit edit, List<FileMetadata> outputs, JobStats stats, FilterResult filtered) {}
