/**
 * The implementation of {@link dev.kv.env.Env} on disk, the lock on a directory, and the names of a
 * database's files.
 *
 * <p>{@link dev.kv.core.env.FileEnv} is the environment of the file system: {@code FileReadFile}
 * and {@code MappedFile} read tables by position or through a mapping, {@code FileWritable} writes
 * at a file's end, {@code FileMappedLog} is the log that is written by stores into a mapping,
 * {@code Unmapper} unmaps files, and {@code DirectoryLock} prevents a second open. {@code
 * FileEnvProvider} gives the environment to the API, which has the one in memory. {@link
 * dev.kv.core.env.FileNames} builds and parses the names of a database's files. {@link
 * dev.kv.core.env.Uninterrupted} is for waits that an interrupt does not end, {@link
 * dev.kv.core.env.UnneededFile} for what must not hide an earlier failure, {@link
 * dev.kv.core.env.FileContents} for reads that a single call may not finish.
 *
 * <p>Everything above calls the files through {@link dev.kv.env.Env}. Of the engine, it imports
 * only memory and logging.
 */
@NullMarked
package dev.kv.core.env;

import org.jspecify.annotations.NullMarked;
