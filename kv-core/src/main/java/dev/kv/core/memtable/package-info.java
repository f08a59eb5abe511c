/**
 * The memtable: {@link dev.kv.core.memtable.MemTable} holds the newest writes, sorted, in one arena
 * off the heap, until a flush writes them to a table.
 *
 * <p>Called by the commit pipeline, reads and flushes; imports {@code key}, {@code memory} and
 * {@code iterator}.
 */
@NullMarked
package dev.kv.core.memtable;

import org.jspecify.annotations.NullMarked;
