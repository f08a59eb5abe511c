/**
 * Work on the files of a closed database that may be damaged.
 *
 * <p>{@link dev.kv.core.repair.Repairer} rebuilds a database from every table and log that it can
 * read. {@code RepairInputs} chooses these, and {@code RepairTables} opens the tables. {@code
 * DeferredTable} opens a table when the merge comes to it; {@code SalvageIterator} skips what is
 * damaged in it. If a table cannot be opened, {@code BlockLocator} decides which of its blocks hold
 * data, and {@code LocatedBlockCursor} walks their entries. {@link dev.kv.core.repair.Dumper}
 * prints the content of one file.
 *
 * <p>Called by db. May import recovery, state, inspect and what lies below them.
 */
@NullMarked
package dev.kv.core.repair;

import org.jspecify.annotations.NullMarked;
