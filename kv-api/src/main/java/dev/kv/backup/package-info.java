/**
 * Backups of databases. {@link dev.kv.backup.Backups} keeps the states of a database at several
 * moments in one directory, which may be on another disk. A table that several states contain is
 * stored once.
 *
 * <p>This package stands on {@link dev.kv.admin.DBInspector#suspendDeletions} and {@link
 * dev.kv.env.Env}.
 */
@NullMarked
package dev.kv.backup;

import org.jspecify.annotations.NullMarked;
