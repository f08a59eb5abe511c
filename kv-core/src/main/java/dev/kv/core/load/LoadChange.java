package dev.kv.core.load;

import dev.kv.core.background.JobContext;
import dev.kv.core.change.VersionMutation;
import dev.kv.core.compaction.JobStats;
import dev.kv.core.compaction.OutputContext;
import dev.kv.core.iterator.ForwardIterator;
import dev.kv.core.key.KeyBounds;
import dev.kv.core.key.KeyRange;
import dev.kv.core.key.UserKeyComparator;
import dev.kv.core.logging.EngineLogger;
import dev.kv.core.state.DatabaseContext;
import dev.kv.core.table.format.TableProperties;
import dev.kv.core.version.FileMetadata;
import dev.kv.core.version.Levels;
import dev.kv.core.version.Version;
import dev.kv.core.version.VersionEdit;
import dev.kv.errors.DBIOException;
import java.io.IOException;
import java.util.List;
import java.util.Set;

/**
 * Adds tables that were written before, all with one sequence number. Used once.
 *
 * <p>A table is added as it is if its entries are the newest of their keys: its number is 0 and no
 * other table overlaps it, or its number is greater than all those in the tables that overlap it,
 * as their properties tell. Otherwise somebody has written there since the number was taken, and
 * the table is written again with the number of the change.
 *
 * <p>Each table goes to the deepest level such that nothing overlaps it in that level or above, or
 * to level 0 if it overlaps a table there. If it goes to level 0, it gets a new file number,
 * because the number decides which table is newer.
 */
final class LoadChange implements VersionMutation {
  private static final EngineLogger LOG = EngineLogger.of(LoadChange.class);
  private static final int ENTRIES_PER_CHECK = 4096;

  private final JobContext jobs;
  private final DatabaseContext context;
  private final UserKeyComparator order;
  private final String name;
  private final List<FileMetadata> tables;
  private final long sequence;
  private final Set<Thread> threads;
  private final KeyBounds range;
  private final long[] bytes = new long[Levels.COUNT];
  private int rewritten;

  /**
   * Creates the change.
   *
   * @param name what it is, for messages
   * @param tables the tables, at least one, by key; they do not overlap
   * @param sequence the sequence number of all their entries; 0, or one that was taken for them
   * @param threads as for {@link LoadWriter}
   */
  LoadChange(
      JobContext jobs, String name, List<FileMetadata> tables, long sequence, Set<Thread> threads) {
    this.jobs = jobs;
    this.context = jobs.context();
    this.order = context.comparator().userComparator();
    this.name = name;
    this.tables = List.copyOf(tables);
    this.sequence = sequence;
    this.threads = threads;
    this.range = keysOf(tables).bounds(order);
  }

  /** Returns the user keys of tables, at least one, that are in the order of their keys. */
  static KeyRange keysOf(List<FileMetadata> tables) {
    return new KeyRange(
        tables.get(0).smallestUserKey(), tables.get(tables.size() - 1).largestUserKey());
  }

  @Override
  public String name() {
    return name;
  }

  @Override
  public KeyBounds range() {
    return range;
  }

  @Override
  public VersionEdit prepare(Version version, long newest, OutputContext outputs) {
    VersionEdit.Builder edit = VersionEdit.builder();
    for (FileMetadata table : tables) {
      if (isNewest(version, table)) {
        int level = levelFor(version, table);
        FileMetadata added = level == 0 ? renumbered(table, outputs) : table;
        edit.addFile(level, added);
        bytes[level] += added.size();
      } else {
        rewritten++;
        for (FileMetadata written : rewrite(table, newest, outputs)) {
          int level = levelFor(version, written);
          edit.addFile(level, written);
          bytes[level] += written.size();
        }
      }
    }
    return edit.build();
  }

  /** Returns true if every entry of a table is the newest of its key, and may be added as it is. */
  private boolean isNewest(Version version, FileMetadata table) {
    KeyRange keys = table.userKeys();
    for (FileMetadata other : version.files(0)) {
      if (other.userKeys().overlaps(order, keys) && !isOlder(other)) {
        return false;
      }
    }
    for (int level = 1; level < Levels.COUNT; level++) {
      for (FileMetadata other : version.overlapping(level, keys)) {
        if (!isOlder(other)) {
          return false;
        }
      }
    }
    return true;
  }

  private boolean isOlder(FileMetadata other) {
    if (sequence == 0) {
      return false;
    }
    TableProperties properties = context.tables().properties(other);
    return properties != null && properties.greatestSequence() < sequence;
  }

  private static int levelFor(Version version, FileMetadata table) {
    KeyRange keys = table.userKeys();
    int free = 0;
    while (free < Levels.COUNT && !version.overlaps(free, keys)) {
      free++;
    }
    return Math.max(free - 1, 0);
  }

  /** Gives a table a number that is higher than those of all older tables. */
  private FileMetadata renumbered(FileMetadata table, OutputContext outputs) {
    long number = outputs.target().numbers().getAsLong();
    context.tables().evict(table.number());
    try {
      context.env().rename(outputs.target().table(table.number()), outputs.target().table(number));
    } catch (IOException e) {
      throw new DBIOException(
          "cannot rename " + table + " to table " + number + " in " + jobs.directory() + ": " + e,
          e);
    }
    return new FileMetadata(number, table.size(), table.smallest(), table.largest());
  }

  private List<FileMetadata> rewrite(FileMetadata table, long newest, OutputContext outputs) {
    try (LoadWriter writer =
            new LoadWriter(outputs, newest, context.options().maxFileSize(), threads);
        ForwardIterator entries = context.tables().mergeIterator(table)) {
      int unchecked = 0;
      for (entries.seekToFirst(); entries.isValid(); entries.next()) {
        if (++unchecked == ENTRIES_PER_CHECK) {
          unchecked = 0;
          jobs.errors().checkNotClosing();
        }
        writer.add(entries);
      }
      return writer.finish();
    }
  }

  @Override
  public void installed() {
    long sum = 0;
    for (int level = 0; level < Levels.COUNT; level++) {
      sum += bytes[level];
      jobs.stats().add(level, new JobStats(0, 0, bytes[level], 0, 0));
    }
    LOG.info(
        "{}: {} added {} tables of {} bytes {}; {} were written again",
        jobs.directory(),
        name,
        tables.size(),
        sum,
        range.describe(),
        rewritten);
  }
}
