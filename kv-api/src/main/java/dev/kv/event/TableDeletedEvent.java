package dev.kv.event;

/**
 * The file of a table was deleted, because no version of the tree needs it.
 *
 * @param database the directory of the database
 * @param table the number of the table
 */
public record TableDeletedEvent(String database, long table) implements DBEvent {}
