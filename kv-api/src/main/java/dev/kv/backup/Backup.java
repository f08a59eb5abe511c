package dev.kv.backup;

import java.time.Instant;

/**
 * One backup: the state of a database at one moment. Immutable.
 *
 * @param number the number of the backup in its directory, from 1 on; later backups have higher
 *     numbers
 * @param created the time at which the backup was made
 * @param sequence the sequence number of the last write in the backup; it contains every write up
 *     to this number, and none after it
 * @param files the number of files of the database
 * @param bytes the size of these files
 * @param addedBytes the size of the files that earlier backups did not have
 */
public record Backup(
    long number, Instant created, long sequence, int files, long bytes, long addedBytes) {}
