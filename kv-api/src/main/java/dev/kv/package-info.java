/**
 * The API of kv. Open a {@link dev.kv.DB} with {@link dev.kv.Options}, read and write it, scan it
 * with {@link dev.kv.Entries} or a {@link dev.kv.DBIterator}, and freeze it with a {@link
 * dev.kv.Snapshot}.
 *
 * <p>A {@link dev.kv.bytes.Slice} is a view of bytes in the library's memory. A failure is a {@link
 * dev.kv.errors.DBException}. The operating system is an {@link dev.kv.env.Env}. The {@link
 * dev.kv.DBFactory} finds the engine; nothing in this package depends on it.
 */
@NullMarked
package dev.kv;

import org.jspecify.annotations.NullMarked;
