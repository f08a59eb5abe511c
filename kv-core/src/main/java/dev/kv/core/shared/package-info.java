/**
 * What the databases of a process share: block cache, off-heap memory and background threads.
 *
 * <p>{@link dev.kv.core.shared.SharedResourcesImpl} owns all of it and counts its users; a database
 * that is opened without shared resources gets an object of its own. {@link
 * dev.kv.core.shared.WorkerThreads} runs the background work of all databases. It does not know
 * what the work is, nor what happens if it fails: this is in the background package, for each
 * database.
 *
 * <p>Called by state and background. May import table and the layers below.
 */
@NullMarked
package dev.kv.core.shared;

import org.jspecify.annotations.NullMarked;
