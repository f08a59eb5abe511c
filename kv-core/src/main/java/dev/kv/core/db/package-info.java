/**
 * The database as the API sees it: factory, openers, and the open database, which only delegates.
 *
 * <p>{@link java.util.ServiceLoader} finds {@link dev.kv.core.db.DBFactoryImpl}. {@code DBOpener}
 * opens a database for writing: it has the state on disk recovered, and connects the parts of the
 * packages below in four groups ({@code Parts}). {@code DBImpl} is the open database: it delegates
 * writes to the commit pipeline, reads to the reader, and requests for compactions to the
 * background package; its close releases the parts in order. {@code ReadOnlyOpener} opens a {@code
 * ReadOnlyDB}, possibly while another process writes; each refresh loads a {@code ReadOnlyView},
 * and {@code ReadOnlyViews} has the newest one. {@code Destroyer} deletes a closed database.
 *
 * <p>May import every other package; none imports this one.
 */
@NullMarked
package dev.kv.core.db;

import org.jspecify.annotations.NullMarked;
