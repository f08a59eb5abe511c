/**
 * The log format, which frames records in 32 KiB blocks; used for logs and MANIFESTs.
 *
 * <p>{@code LogFormat} has the layout. {@link dev.kv.core.log.LogWriter} appends records to a
 * mapped log or to a file; {@link dev.kv.core.log.LogReader} reads them back and tells a torn end
 * from damage.
 *
 * <p>Called by the state of an open database, the commit pipeline and the manifest to write, and by
 * recovery, repair, the change feed, the manifest and dump to read. Imports {@code codec}, {@code
 * memory}, {@code env} and {@code key}.
 */
@NullMarked
package dev.kv.core.log;

import org.jspecify.annotations.NullMarked;
