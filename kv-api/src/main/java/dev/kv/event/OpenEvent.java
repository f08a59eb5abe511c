package dev.kv.event;

/**
 * A database was opened.
 *
 * @param database the directory of the database
 * @param readOnly true if it was opened for reads only
 * @param tables the number of its tables
 * @param logs the number of logs that were replayed
 * @param records the number of batches that were replayed
 * @param droppedBytes the number of bytes of logs that were dropped as damaged; 0 if the logs were
 *     complete
 * @param micros the time that the open took
 */
public record OpenEvent(
    String database,
    boolean readOnly,
    int tables,
    int logs,
    long records,
    long droppedBytes,
    long micros)
    implements DBEvent {}
