/**
 * The database of one store of Kafka Streams. Internal: programs use {@code dev.kv.streams}.
 *
 * <p>{@link dev.kv.streams.database.StoreDatabase} has the offsets, the Position and the mark of
 * uncommitted writes beside the data; {@link dev.kv.streams.database.CommittedOffsets} are the
 * entries of the offsets. {@link dev.kv.streams.database.StoreKind} says what its entries are, and
 * {@link dev.kv.streams.database.TimedKey} how a window or a session is a key. {@link
 * dev.kv.streams.database.ProcessResources} is the memory that all stores of a process share. The
 * package imports no other one of the adapter.
 */
@NullMarked
package dev.kv.streams.database;

import org.jspecify.annotations.NullMarked;
