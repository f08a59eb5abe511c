/**
 * What happens inside a database: {@link dev.kv.event.DBListener} receives a {@link
 * dev.kv.event.DBEvent} for every open, flush, compaction, stall, slow sync, damage, deleted table
 * and failure. {@link dev.kv.event.ProgressListener} receives how far a long operation is.
 *
 * <p>The same events are in the JVM's flight recorder, as {@code dev.kv.Flush} and so on. Nothing
 * in this package depends on the database.
 */
@NullMarked
package dev.kv.event;

import org.jspecify.annotations.NullMarked;
