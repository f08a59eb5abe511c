/**
 * The stores that are measured, each an adapter to {@link dev.kv.jmh.store.Store} that uses the
 * cheapest calls that its users have; {@link dev.kv.jmh.adapter.StoreKind} lists them.
 */
@NullMarked
package dev.kv.jmh.adapter;

import org.jspecify.annotations.NullMarked;
