package dev.kv.core.compaction;

import dev.kv.core.version.FileMetadata;
import org.jspecify.annotations.Nullable;

/**
 * The result of a flush.
 *
 * @param table the new table, durable except for its directory entry, or null if the memtable was
 *     empty
 * @param lastSequence the largest sequence number in the table; 0 if the memtable was empty
 * @param stats the time and bytes that it took
 */
public record FlushResult(@Nullable FileMetadata table, long lastSequence, JobStats stats) {}
