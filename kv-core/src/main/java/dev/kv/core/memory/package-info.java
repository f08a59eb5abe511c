/**
 * Memory off the Java heap: who owns it, who counts it, and how it is recycled.
 *
 * <p>{@link dev.kv.core.memory.OffHeapBudget} counts every byte by {@link
 * dev.kv.core.memory.MemoryKind}. {@link dev.kv.core.memory.BlockAllocator} allocates blocks,
 * {@link dev.kv.core.memory.ArenaPool} the arenas of memtables. Both recycle what is released, and
 * leave the rest to the garbage collector: nothing that a reader could reach is freed by hand, so a
 * late read sees stale bytes and never unmapped memory.
 *
 * <p>{@link dev.kv.core.memory.RefCounted} and {@link dev.kv.core.memory.Pinned} control how long
 * an object lives; {@link dev.kv.core.memory.ObjectPool} keeps objects that are expensive to make;
 * {@link dev.kv.core.memory.IntrusiveList} is a list that no change allocates memory for; {@link
 * dev.kv.core.memory.BufferSlice} passes bytes to programs for a limited time; {@link
 * dev.kv.core.memory.ValueRef} is the result of a point read. Called by most packages; imports the
 * API and {@code logging}.
 *
 * <p>Bytes travel as a direct buffer, an offset and a length. All views are little-endian, and
 * their position and limit are never touched once they are shared.
 */
@NullMarked
package dev.kv.core.memory;

import org.jspecify.annotations.NullMarked;
