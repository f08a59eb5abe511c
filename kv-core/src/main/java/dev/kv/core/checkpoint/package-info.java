/**
 * The files of an open database as one state, and checkpoints made of them.
 *
 * <p>{@link dev.kv.core.checkpoint.FileCapture} finds out which files, and how many bytes of each,
 * are the state of one moment of a database that is open for writing, and keeps them from being
 * deleted. {@link dev.kv.core.checkpoint.FrozenFiles} does the same for one that is open for
 * reading. {@link dev.kv.core.checkpoint.Checkpoint} links or copies such files into a new
 * directory.
 *
 * <p>Called by db. May import state and what lies below it.
 */
@NullMarked
package dev.kv.core.checkpoint;

import org.jspecify.annotations.NullMarked;
