/**
 * What programs use: open a {@link dev.kv.DB} with {@link dev.kv.Options}, read and write it, walk
 * it with a {@link dev.kv.DBIterator}, freeze it with a {@link dev.kv.Snapshot}.
 *
 * <p>Bytes in the library's memory are shown as a {@link dev.kv.Slice}; failures are {@link
 * dev.kv.DBException}s; the operating system is an {@link dev.kv.env.Env}. The engine is found
 * through {@link dev.kv.DBFactory} and nothing here depends on it.
 */
@NullMarked
package dev.kv;

import org.jspecify.annotations.NullMarked;
