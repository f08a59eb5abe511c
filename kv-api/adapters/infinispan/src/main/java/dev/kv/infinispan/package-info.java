/**
 * A cache store of Infinispan on kv.
 *
 * <p>{@link dev.kv.infinispan.KvStore} is the store. Infinispan creates one for each cache whose
 * configuration has a {@link dev.kv.infinispan.configuration.KvStoreConfiguration}.
 *
 * <p>{@code ConfigurationChecks} refuses a cache that does not fit its store. Each store is one
 * database, which {@code StoreDatabase} opens and closes; {@code BlockingCalls} runs what is called
 * on it. {@code EntryFormat} is the layout of its keys and values, and {@code EntryMarshaller}
 * translates those of Infinispan. {@code EntryScan} passes the entries of segments, {@code
 * ExpirationScan} deletes what has expired, and {@code Modifications} collects a batch. The stores
 * of one cache manager share the memory, cache and threads of {@code ManagerResources}.
 */
@NullMarked
package dev.kv.infinispan;

import org.jspecify.annotations.NullMarked;
