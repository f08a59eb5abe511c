package dev.kv.admin;

/**
 * What {@link dev.kv.DB#repair} found and did. A repair merges everything that it can read into new
 * tables; the counts are of the files it read.
 *
 * @param tablesKept tables whose entries were all kept; they are deleted after their entries are in
 *     the new tables
 * @param tablesRewritten damaged tables whose readable entries were kept; they are moved to {@code
 *     lost/}
 * @param logsConverted logs whose records were kept; they are moved to {@code lost/}
 * @param filesReplaced files that were moved to {@code lost/} and that the repaired database does
 *     not need: the old MANIFESTs, logs whose content was all kept, tables that a readable MANIFEST
 *     does not name, and second files of tables
 * @param filesLost files that were moved to {@code lost/} and of which something was not kept:
 *     damaged tables and logs
 * @param entries entries in the repaired database, all versions counted
 * @param bytesLost bytes that were not kept: tables without a readable block, damaged blocks, the
 *     missing end of a table if the MANIFEST tells its size, entries out of order, damaged bytes of
 *     logs, and records of logs that are not batches
 */
public record RepairReport(
    int tablesKept,
    int tablesRewritten,
    int logsConverted,
    int filesReplaced,
    int filesLost,
    long entries,
    long bytesLost) {}
