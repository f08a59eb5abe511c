/**
 * The framing of records in 32 KiB blocks, in which the log and the MANIFEST are written.
 *
 * <p>{@code LogFormat} has the layout. {@link dev.kv.core.log.LogWriter} appends records to a
 * mapped log or to a file; {@link dev.kv.core.log.LogReader} reads them back and tells a torn end
 * from damage.
 *
 * <p>The commit pipeline and the manifest write through it, recovery, repair and dump read. It
 * imports codec, and of the environment only its interfaces.
 */
@NullMarked
package dev.kv.core.log;

import org.jspecify.annotations.NullMarked;
