package dev.kv.core.recovery;

import dev.kv.core.iterator.ForwardIterator;
import dev.kv.core.iterator.InternalIterator;
import dev.kv.core.iterator.MergingIterator;
import dev.kv.core.memtable.MemTable;
import dev.kv.core.state.DatabaseContext;
import dev.kv.core.version.FileMetadata;
import dev.kv.core.version.Version;
import java.util.ArrayList;
import java.util.List;

/**
 * Chooses the small tables of level 0 that an open writes again together with the entries of the
 * logs. Without this, a program that is started often and writes a little each time would leave one
 * table for each start: it ends before a compaction of level 0 does.
 *
 * <p>The tables are the newest ones, without a gap, and each is known to be a flushed memtable. So
 * the table that replaces them is newer than all others, as its higher number says, in C++ LevelDB
 * too. All entries are kept, tombstones and overwritten values included, so nothing below has to be
 * looked at.
 *
 * <p>A table is taken if it is small or at most {@value #FACTOR} times as large as everything newer
 * together, so an entry is written again only about once for each power of that factor. An open
 * reads and writes at most {@link #MOST_BYTES} for this.
 */
final class SmallTables {
  /** The limit of the bytes that one open writes again. */
  static final long MOST_BYTES = 1 << 20;

  /** Tables are taken regardless of the factor as long as all of them are not larger than this. */
  private static final long ALWAYS_BYTES = 32 << 10;

  private static final int FACTOR = 4;

  private SmallTables() {}

  /**
   * Returns the tables of level 0 to merge with newer entries, the newest first.
   *
   * @param bytes the size of the newer entries
   */
  static List<FileMetadata> choose(Version version, long bytes) {
    List<FileMetadata> chosen = new ArrayList<>();
    long sum = bytes;
    for (int i = 0; i < version.fileCount(0) && version.isFlushed(i); i++) {
      FileMetadata table = version.file(0, i);
      long with = sum + table.size();
      if (with > MOST_BYTES || (with > ALWAYS_BYTES && table.size() > FACTOR * sum)) {
        break;
      }
      chosen.add(table);
      sum = with;
    }
    return chosen;
  }

  /** Returns a cursor over all entries of a memtable and of tables; the caller closes it. */
  static ForwardIterator merge(
      DatabaseContext context, MemTable memtable, List<FileMetadata> tables) {
    InternalIterator older =
        MergingIterator.opened(context.comparator(), tables, context.tables()::mergeIterator);
    return MergingIterator.of(context.comparator(), memtable.iterator(), older);
  }
}
