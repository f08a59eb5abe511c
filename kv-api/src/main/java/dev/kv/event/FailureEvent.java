package dev.kv.event;

/**
 * A write or background job failed, and the database accepts no writes since then.
 *
 * @param database the directory of the database
 * @param during what failed, such as {@code a write} or {@code kv-flush}
 * @param cause the failure
 * @param resumable true if {@link dev.kv.admin.DBAdmin#resume} may end it; false if only a new open
 *     does
 */
public record FailureEvent(String database, String during, Throwable cause, boolean resumable)
    implements DBEvent {}
