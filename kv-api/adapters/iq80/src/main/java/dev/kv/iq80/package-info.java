/**
 * The interfaces of {@code org.iq80.leveldb} over kv, for programs that are written against them.
 *
 * <p>{@link dev.kv.iq80.KvDBFactory} opens databases; {@link dev.kv.iq80.KvDB} is one, and can also
 * be put over a {@link dev.kv.DB} that is open already. The rest translates: {@code Conversions}
 * options, {@code ComparatorAdapter} an order of keys, {@code KvIterator} the position between
 * entries, {@code KvWriteBatch} and {@code KvSnapshot} their namesakes, {@code Failures}
 * exceptions, {@code InfoLog} what a program's logger is told. The layer keeps no state of its own
 * but an iterator's position.
 *
 * <p>It imports the API of kv and {@code org.iq80.leveldb}, and nothing of the engine.
 */
@NullMarked
package dev.kv.iq80;

import org.jspecify.annotations.NullMarked;
