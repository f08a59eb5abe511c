package dev.kv.event;

/**
 * A database was closed. The last event of its open.
 *
 * @param database the directory of the database
 */
public record CloseEvent(String database) implements DBEvent {}
