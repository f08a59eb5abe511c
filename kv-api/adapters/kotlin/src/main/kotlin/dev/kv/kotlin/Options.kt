package dev.kv.kotlin

import dev.kv.DB
import dev.kv.Options
import dev.kv.ReadOptions
import java.nio.file.Path

/**
 * Opens a database, as [DB.open] does.
 *
 * ```
 * openDB(directory) { createIfMissing(true) }.use { db -> db[key] = value }
 * ```
 *
 * @param directory the directory of the database
 * @param build sets the options
 * @return the open database, which the caller closes
 */
public inline fun openDB(directory: Path, build: Options.Builder.() -> Unit = {}): DB =
    DB.open(directory, Options.builder().apply(build).build())

/**
 * Creates options of an open.
 *
 * @param build sets the options
 * @return the options
 */
public inline fun options(build: Options.Builder.() -> Unit): Options =
    Options.builder().apply(build).build()

/**
 * Creates options of a read.
 *
 * @param build sets the options
 * @return the options
 */
public inline fun readOptions(build: ReadOptions.Builder.() -> Unit): ReadOptions =
    ReadOptions.builder().apply(build).build()
