/**
 * The database itself: the wiring of everything below, and nothing that could stand on its own.
 *
 * <p>{@link dev.kv.core.db.DBFactoryImpl} is what the API finds. {@code DBOpener} opens: LOCK,
 * MANIFEST, {@code LogRecovery}, and a new log where there was something to recover. {@code DBImpl}
 * is an open database and only delegates: writes to the commit pipeline, whose target is {@code
 * WriteState}; reads to the reader; {@code Flusher} and {@code Compactor} run the jobs on {@code
 * BackgroundWorker} threads; {@code ObsoleteFiles} deletes what no version needs. {@code
 * ReadOnlyDB} is a database opened beside its writer. {@code Destroyer}, {@code Repairer} and
 * {@code Dumper} work on closed ones.
 *
 * <p>Locks, in this order: the version set's own, then {@code Monitor}, then those of single
 * objects. Nobody holds {@code Monitor} while touching a file.
 *
 * <p>Called by the API through {@link java.util.ServiceLoader}. May import every other package.
 */
@NullMarked
package dev.kv.core.db;

import org.jspecify.annotations.NullMarked;
