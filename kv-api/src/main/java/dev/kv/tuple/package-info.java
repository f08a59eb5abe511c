/**
 * Keys of several parts that sort as their parts do. A {@link dev.kv.tuple.TupleBuilder} encodes
 * strings, bytes, numbers, booleans, UUIDs, nested tuples and null, ascending or descending, into a
 * key; a {@link dev.kv.tuple.TupleReader} reads the parts from a {@link dev.kv.bytes.Slice} without
 * copying the key. {@link dev.kv.tuple.Tuples} does both for a list of objects.
 *
 * <p>The encoding is that of FoundationDB's tuple layer ({@code design/tuple.md} in its
 * repository), so other programs can read it; {@link dev.kv.tuple.TupleBuilder} has the grammar.
 * Descending elements are an addition, under a type code that the specification leaves to
 * applications. It needs the bytewise comparator, which is the default.
 *
 * <p>This package imports only {@link dev.kv.bytes.Slice} and {@link dev.kv.bytes.Range}.
 */
@NullMarked
package dev.kv.tuple;

import org.jspecify.annotations.NullMarked;
