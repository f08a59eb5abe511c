package dev.kv;

/**
 * What {@link DB#repair} found and did.
 *
 * @param tablesKept tables taken over whole
 * @param tablesRewritten damaged tables of which the readable entries were kept
 * @param logsConverted logs turned into tables
 * @param filesLost files, or what of them could not be read, moved to {@code lost/}
 * @param entries entries in the repaired database, all versions counted
 * @param bytesLost bytes of what was passed over: tables of which no block is whole, damaged
 *     blocks, entries out of order, records of logs that are no batches, and logs that the disk
 *     cannot read
 */
public record RepairReport(
    int tablesKept,
    int tablesRewritten,
    int logsConverted,
    int filesLost,
    long entries,
    long bytesLost) {}
