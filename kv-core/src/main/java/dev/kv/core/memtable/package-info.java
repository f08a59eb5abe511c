/**
 * The memtable: {@link dev.kv.core.memtable.MemTable} holds the newest writes, sorted, in one arena
 * off the heap, until a flush writes them to a table.
 *
 * <p>Called by the commit pipeline, reads, flushes, recovery, repair and bulk loads; imports {@code
 * key}, {@code memory}, {@code iterator} and {@code batch}.
 */
@NullMarked
package dev.kv.core.memtable;

import org.jspecify.annotations.NullMarked;
