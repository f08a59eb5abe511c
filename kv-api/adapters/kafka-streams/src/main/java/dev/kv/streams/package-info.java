/**
 * State stores of Kafka Streams on kv.
 *
 * <p>{@link dev.kv.streams.KvDslStoreSuppliers} moves all stores of a topology that name no store
 * supplier of their own, by one line of configuration. {@link dev.kv.streams.KvStores} makes the
 * suppliers one by one.
 */
@NullMarked
package dev.kv.streams;

import org.jspecify.annotations.NullMarked;
