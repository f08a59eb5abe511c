package dev.kv.core.compaction;

import dev.kv.core.version.FileMetadata;
import dev.kv.core.version.VersionEdit;
import java.util.List;

/**
 * What a compaction came to.
 *
 * @param edit replaces the inputs by the outputs
 * @param outputs the new tables, durable but for their directory entries
 * @param stats what it cost
 */
public record CompactionResult(VersionEdit edit, List<FileMetadata> outputs, JobStats stats) {}
