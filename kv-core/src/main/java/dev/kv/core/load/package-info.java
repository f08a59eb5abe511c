/**
 * Bulk loads: entries that go into tables directly.
 *
 * <p>{@link dev.kv.core.load.Loads} creates the loaders of a database and installs what they wrote.
 * {@link dev.kv.core.load.BulkLoaderImpl} writes sorted entries through a {@code LoadWriter}, which
 * divides the work between threads, each in a {@code LoadStage}. It lets an {@code ExternalSort}
 * sort the others; its runs are temporary files. {@link dev.kv.core.load.TableIngestion} takes over
 * tables that were written elsewhere. A {@code LoadChange} adds the tables to the tree, each as
 * deep as possible.
 *
 * <p>Called by db. May import change, background, state and what lies below them.
 */
@NullMarked
package dev.kv.core.load;

import org.jspecify.annotations.NullMarked;
