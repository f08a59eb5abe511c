/**
 * The format of a table file, and its writer.
 *
 * <p>{@link dev.kv.core.table.format.TableBuilder} writes a table: blocks through {@link
 * dev.kv.core.table.format.BlockWriter}, which compresses them and adds checksums, then a {@link
 * dev.kv.core.table.format.Footer}. A {@link dev.kv.core.table.format.BlockHandle} identifies a
 * block by offset and size. {@link dev.kv.core.table.format.TableFormat} has the options of a
 * table, and {@link dev.kv.core.table.format.BuildBuffers} the memory that tables are built in.
 *
 * <p>Called by the compaction, recovery and repair packages, and by the other packages of tables
 * for the format. May import block, filter, iterator, key, codec, memory and the API.
 */
@NullMarked
package dev.kv.core.table.format;

import org.jspecify.annotations.NullMarked;
