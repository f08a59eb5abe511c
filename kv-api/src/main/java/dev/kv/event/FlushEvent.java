package dev.kv.event;

/**
 * A memtable was written to a table, and the table is part of the database.
 *
 * @param database the directory of the database
 * @param table the number of the table
 * @param level the level of the table
 * @param bytes the size of the table
 * @param entries the number of entries
 * @param micros the time that the flush took
 */
public record FlushEvent(
    String database, long table, int level, long bytes, long entries, long micros)
    implements DBEvent {}
