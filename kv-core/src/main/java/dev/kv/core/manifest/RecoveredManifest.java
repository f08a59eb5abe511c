package dev.kv.core.manifest;

import dev.kv.core.version.Version;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What a MANIFEST says, all its edits applied.
 *
 * @param name the MANIFEST's name
 * @param number its number
 * @param length its length in bytes
 * @param endsOnRecord whether it ends exactly where its last record does
 * @param torn whether it ends inside a record, as a crash leaves it
 * @param version the version, held by the caller
 * @param logNumber the oldest log that still counts
 * @param previousLogNumber a log before that which counts too, or 0
 * @param nextFileNumber beyond all numbers given out
 * @param lastSequence the last sequence number that tables hold, and at least that
 * @param compactPointers for each level where its next compaction begins, or null
 */
record RecoveredManifest(
    String name,
    long number,
    long length,
    boolean endsOnRecord,
    boolean torn,
    Version version,
    long logNumber,
    long previousLogNumber,
    long nextFileNumber,
    long lastSequence,
    List<byte @Nullable []> compactPointers) {}
