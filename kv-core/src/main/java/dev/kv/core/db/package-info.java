/**
 * The database as the API sees it: factory, openers, and the open database, which only delegates.
 *
 * <p>{@link java.util.ServiceLoader} finds {@link dev.kv.core.db.DBFactoryImpl}. {@code DBOpener}
 * opens a database for writing: it recovers the state on disk, creates the parts in the packages
 * below, connects them, and starts the threads. {@code DBImpl} is the open database: it delegates
 * writes to the commit pipeline, reads to the reader, and requests for compactions to the
 * background package; its close releases the parts in order. {@code ReadOnlyOpener} opens a {@code
 * ReadOnlyDB}, possibly while another process writes; each refresh loads a {@code ReadOnlyView},
 * and {@code ReadOnlyViews} has the newest one. {@code Destroyer} deletes a closed database, {@code
 * DatabaseStats} reports statistics and properties.
 *
 * <p>May import every other package; none imports this one.
 */
@NullMarked
package dev.kv.core.db;

import org.jspecify.annotations.NullMarked;
