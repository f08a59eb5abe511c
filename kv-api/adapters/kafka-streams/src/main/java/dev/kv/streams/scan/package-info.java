/**
 * What the stores of Kafka Streams read many entries with. Internal: programs use {@code
 * dev.kv.streams}.
 *
 * <p>A {@link dev.kv.streams.scan.CursorScan} goes through the entries of a window or session
 * store: by segments of time, or by the index. {@link dev.kv.streams.scan.ScanIterator} has them in
 * the form of Streams, and {@link dev.kv.streams.scan.EntryIterator} the entries of a key-value
 * store. The package imports {@code dev.kv.streams.database} only.
 */
@NullMarked
package dev.kv.streams.scan;

import org.jspecify.annotations.NullMarked;
