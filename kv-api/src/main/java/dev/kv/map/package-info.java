/**
 * Typed maps. {@link dev.kv.map.DBMap} shows a database as a {@link
 * java.util.concurrent.ConcurrentNavigableMap}. A {@link dev.kv.map.KeyCodec} converts its keys and
 * declares their order, a {@link dev.kv.map.Codec} converts its values, and {@link
 * dev.kv.map.Codecs} has those of common types.
 *
 * <p>A map is a view: it holds no entries and no files, and needs no close. It stands on {@link
 * dev.kv.DB} alone, and on {@link dev.kv.tuple} for the codec of tuples.
 */
@NullMarked
package dev.kv.map;

import org.jspecify.annotations.NullMarked;
