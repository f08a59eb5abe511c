/**
 * State stores of Kafka Streams on kv.
 *
 * <p>{@link dev.kv.streams.KvDslStoreSuppliers} moves all stores of a topology that name no store
 * supplier of their own, by one line of configuration. {@link dev.kv.streams.KvStores} makes the
 * suppliers one by one.
 *
 * <p>Each store is one database, of the package {@code dev.kv.streams.database}. {@code
 * KvStateStore} opens it, commits to it and closes it for all kinds of stores. {@code
 * KvKeyValueStore} has one entry for each key. {@code SegmentedStore}, which {@code KvWindowStore}
 * and {@code KvSessionStore} extend, has entries by segment of time. {@code KvVersionedStore} has
 * the versions of each key, in the layout of {@code VersionFormat}, and {@code VersionIterator}
 * passes them to queries. {@code StoreQueries} answers interactive queries. The scans and iterators
 * of the stores are in {@code dev.kv.streams.scan}.
 */
@NullMarked
package dev.kv.streams;

import org.jspecify.annotations.NullMarked;
