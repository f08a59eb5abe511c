/**
 * One block of a table: {@link dev.kv.core.table.block.BlockBuilder} builds it, {@link
 * dev.kv.core.table.block.BlockIterator} reads it. The bytes are uncompressed here. The table
 * packages read, write and compress them.
 *
 * <p>A cursor has three layers: {@code BlockDecoder} decodes and checks, {@code BlockCursor} steps
 * forward and backward, and {@code BlockIterator} seeks. An {@code EntryIndex} makes seeks faster.
 *
 * <p>Called by the table package. May import iterator, key, memory and codec.
 */
@NullMarked
package dev.kv.core.table.block;

import org.jspecify.annotations.NullMarked;
