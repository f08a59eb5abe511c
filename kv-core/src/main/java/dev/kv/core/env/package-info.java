/**
 * The file-system seam's implementations: the disk, memory, the lock on a directory, and the names
 * of a database's files.
 *
 * <p>{@link dev.kv.core.env.FileEnv} is the environment of the file system: {@code FileReadFile}
 * and {@code MappedFile} read tables by position or through a mapping, {@code FileWritable} writes
 * at a file's end, {@code FileMappedLog} is the log that is stored into memory, {@code Unmapper}
 * gives mappings back, and {@code DirectoryLock} keeps a second opener out. {@link
 * dev.kv.core.env.MemEnv} is the same in memory. {@link dev.kv.core.env.FileNames} makes and parses
 * the names of a database's files.
 *
 * <p>Everything above calls it through {@link dev.kv.env.Env}. It imports nothing of the engine.
 */
@NullMarked
package dev.kv.core.env;

import org.jspecify.annotations.NullMarked;
