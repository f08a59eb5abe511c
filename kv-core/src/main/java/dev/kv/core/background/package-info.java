/**
 * The background work of one open database.
 *
 * <p>{@link dev.kv.core.background.BackgroundThreads} owns the work, each kind a {@code
 * BackgroundWorker} that runs on the threads of the shared resources. {@link
 * dev.kv.core.background.Flusher} writes immutable memtables as tables, {@link
 * dev.kv.core.background.Compactor} runs compactions, first those queued in {@link
 * dev.kv.core.background.ManualCompactions}, and {@link dev.kv.core.background.MaintenanceTask}
 * does the small disk work for logs and obsolete files.
 *
 * <p>Flushes and compactions are picked with {@code Monitor} held, run without a lock, and are
 * installed by the version set. Called by db. May import state and what lies below it.
 */
@NullMarked
package dev.kv.core.background;

import org.jspecify.annotations.NullMarked;
