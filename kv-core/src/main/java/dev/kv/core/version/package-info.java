/**
 * The structure of the tree of tables. Does no I/O: no file is opened here.
 *
 * <p>A {@link dev.kv.core.version.Version} is one immutable arrangement of tables over the levels;
 * a {@link dev.kv.core.version.VersionEdit} is the step from one to the next, and a record of the
 * MANIFEST; {@link dev.kv.core.version.VersionBuilder} applies edits and checks the result. {@link
 * dev.kv.core.version.LevelScores} says which level needs a compaction most.
 *
 * <p>Called by the manifest, read and compaction packages. May import codec, memory, cache and key.
 */
@NullMarked
package dev.kv.core.version;

import org.jspecify.annotations.NullMarked;
