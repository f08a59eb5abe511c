/**
 * One block of a table: {@link dev.kv.core.block.BlockBuilder} makes it, {@link
 * dev.kv.core.block.BlockIterator} reads it. Its bytes are uncompressed here; where they come from
 * and how they are stored is the table package's matter.
 *
 * <p>Called by the table package. May import iterator, key, memory and codec.
 */
@NullMarked
package dev.kv.core.block;

import org.jspecify.annotations.NullMarked;
