/**
 * State stores of Kafka Streams on kv.
 *
 * <p>{@link dev.kv.streams.KvDslStoreSuppliers} moves all stores of a topology that name no store
 * supplier of their own, by one line of configuration. {@link dev.kv.streams.KvStores} makes the
 * suppliers one by one.
 *
 * <p>Each store is one database, a {@code StoreDatabase}, which has the offsets, the Position and
 * the mark of uncommitted writes beside the data. {@code KvStateStore} opens it, commits to it and
 * closes it for all kinds of stores. {@code KvKeyValueStore} has one entry for each key. {@code
 * SegmentedStore}, which {@code KvWindowStore} and {@code KvSessionStore} extend, has entries by
 * segment of time. {@code KvVersionedStore} has the versions of each key, in the layout of {@code
 * VersionFormat}, and {@code VersionIterator} passes them to queries. {@code StoreQueries} answers
 * interactive queries, and {@code ProcessResources} is the memory that all stores of a process
 * share.
 */
@NullMarked
package dev.kv.streams;

import org.jspecify.annotations.NullMarked;
