/**
 * What the API and the engine both need of files: {@link dev.kv.file.PendingFault} copies out of
 * memory that may be a mapping of a truncated file, and {@link dev.kv.file.NewDirectory} is a
 * directory that appears with all of its files. Exported to the engine and its tools only.
 *
 * <p>This package stands on {@link dev.kv.env.Env} alone.
 */
@NullMarked
package dev.kv.file;

import org.jspecify.annotations.NullMarked;
