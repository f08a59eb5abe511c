/**
 * Searches of data blocks in the mapping of their table file, with {@code Options.readInPlace}.
 *
 * <p>A {@link dev.kv.core.table.mapped.MappedBlockReader} does it for one open table. It decides
 * whether a block can be searched there, checks afterwards that nothing changed underneath, and
 * searches a copy if something did: neither a fault nor the result of such a search leaves this
 * package. {@code EntryIndexes} makes the searches faster, in the memory that {@link
 * dev.kv.core.table.mapped.EntryIndexMemory} limits.
 *
 * <p>Called by the table package. May import table.cache, block and the layers below.
 */
@NullMarked
package dev.kv.core.table.mapped;

import org.jspecify.annotations.NullMarked;
