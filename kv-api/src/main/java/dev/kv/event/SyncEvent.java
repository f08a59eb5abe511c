package dev.kv.event;

/**
 * A sync of the log took as long as {@link dev.kv.Options.Monitoring#slowSync()}, or longer.
 *
 * @param database the directory of the database
 * @param micros the time that the sync took
 */
public record SyncEvent(String database, long micros) implements DBEvent {}
