/**
 * Tables of user keys outside of a database: {@link dev.kv.core.table.standalone.UserTableWriter}
 * and {@link dev.kv.core.table.standalone.UserTableReader} with its iterator.
 *
 * <p>Called by the db package. May import table, table.cache, table.format and the layers below.
 */
@NullMarked
package dev.kv.core.table.standalone;

import org.jspecify.annotations.NullMarked;
