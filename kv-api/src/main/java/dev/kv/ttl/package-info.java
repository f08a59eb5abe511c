/**
 * Entries that expire. A {@link dev.kv.ttl.TimeToLive} is a {@link dev.kv.KeyValueStore} whose
 * values have a time after which reads do not find them; its {@link
 * dev.kv.options.CompactionFilter} deletes them.
 *
 * <p>This package stands on {@link dev.kv.KeyValueStore} alone.
 */
@NullMarked
package dev.kv.ttl;

import org.jspecify.annotations.NullMarked;
