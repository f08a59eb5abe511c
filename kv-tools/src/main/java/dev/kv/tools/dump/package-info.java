/**
 * The command dump, which prints the parts of a log, MANIFEST, table, CURRENT or batch, and the
 * scan of all versions, which reads the same files without opening the database.
 */
@NullMarked
package dev.kv.tools.dump;

import org.jspecify.annotations.NullMarked;
