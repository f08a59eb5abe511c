package dev.kv.core.compaction;

/**
 * The time, bytes and entries that a flush or compaction took.
 *
 * @param micros the time it took, in microseconds
 * @param bytesRead the size of the tables read
 * @param bytesWritten the size of the tables written
 * @param entriesRead the entries read
 * @param entriesWritten the entries written
 */
public record JobStats(
    long micros, long bytesRead, long bytesWritten, long entriesRead, long entriesWritten) {}
