/**
 * Parts of a database. A {@link dev.kv.space.Space} is a {@link dev.kv.KeyValueStore} of the keys
 * with one prefix; several of them share the batches, snapshots and files of one database.
 *
 * <p>This package stands on {@link dev.kv.KeyValueStore} alone.
 */
@NullMarked
package dev.kv.space;

import org.jspecify.annotations.NullMarked;
