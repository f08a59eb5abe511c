/**
 * Reads table files part by part, for tools and repair.
 *
 * <p>{@link dev.kv.core.table.inspect.TableInspector} reads footer, index and blocks each by
 * itself, so that damage to one leaves the others readable. If the index is lost, {@link
 * dev.kv.core.table.inspect.BlockScanner} finds blocks by their checksums.
 *
 * <p>Called by the repair package and by kv-tools. May import table, table.cache, table.format and
 * the layers below.
 */
@NullMarked
package dev.kv.core.table.inspect;

import org.jspecify.annotations.NullMarked;
