package dev.kv.core.change;

import dev.kv.core.background.JobContext;
import dev.kv.core.compaction.FlushJob;
import dev.kv.core.compaction.FlushResult;
import dev.kv.core.compaction.OutputContext;
import dev.kv.core.compaction.RangeTombstones;
import dev.kv.core.iterator.InternalIterator;
import dev.kv.core.iterator.MergingIterator;
import dev.kv.core.key.KeyBounds;
import dev.kv.core.key.KeyRange;
import dev.kv.core.key.UserKeyComparator;
import dev.kv.core.logging.EngineLogger;
import dev.kv.core.version.FileMetadata;
import dev.kv.core.version.Levels;
import dev.kv.core.version.Version;
import dev.kv.core.version.VersionEdit;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Deletes all keys of a range. The tables that lie wholly inside are removed without being read.
 * The other tables that overlap the range stay; one new table of level 0 holds a tombstone for
 * every user key of the range that is in them. It holds those of hidden entries too, because what
 * hides them may be in a table that is removed. Used once.
 */
public final class RangeDelete implements VersionMutation {
  private static final EngineLogger LOG = EngineLogger.of(RangeDelete.class);

  private final JobContext jobs;
  private final KeyBounds range;
  private final UserKeyComparator order;
  private int removed;
  private @Nullable FlushResult tombstones;
  private List<FileMetadata> marked = List.of();

  /** Creates the change. */
  public RangeDelete(JobContext jobs, KeyBounds range) {
    this.jobs = jobs;
    this.range = range;
    this.order = jobs.context().comparator().userComparator();
  }

  @Override
  public String name() {
    return "a range delete";
  }

  @Override
  public KeyBounds range() {
    return range;
  }

  @Override
  public boolean isNeeded(Version version) {
    return version.files().stream().anyMatch(file -> range.overlaps(order, file.userKeys()));
  }

  @Override
  public VersionEdit prepare(Version version, long sequence, OutputContext outputs) {
    VersionEdit.Builder edit = VersionEdit.builder();
    List<FileMetadata> partly = new ArrayList<>();
    for (int level = 0; level < Levels.COUNT; level++) {
      for (FileMetadata file : version.files(level)) {
        KeyRange keys = file.userKeys();
        if (range.covers(order, keys)) {
          edit.deleteFile(level, file.number());
          removed++;
        } else if (range.overlaps(order, keys)) {
          partly.add(file);
        }
      }
    }
    FlushResult written = writeTombstones(partly, sequence, outputs);
    FileMetadata table = written.table();
    if (table != null) {
      edit.addFile(0, table);
      marked = jobs.withManyTombstones(List.of(table));
    }
    tombstones = written;
    return edit.build();
  }

  private FlushResult writeTombstones(
      List<FileMetadata> tables, long sequence, OutputContext outputs) {
    try (InternalIterator input =
            MergingIterator.opened(
                outputs.comparator(), tables, jobs.context().tables()::mergeIterator);
        RangeTombstones entries =
            new RangeTombstones(
                input, range, order, sequence, outputs.budget(), jobs.errors()::checkNotClosing)) {
      return new FlushJob(entries, outputs).run();
    }
  }

  @Override
  public void installed() {
    FlushResult written = tombstones;
    if (written == null) {
      return;
    }
    jobs.markTombstones(marked);
    jobs.stats().add(0, written.stats());
    LOG.info(
        "{}: deleted the range {}: removed {} tables, and wrote {} tombstones into {} in {} ms",
        jobs.directory(),
        range.describe(),
        removed,
        written.stats().entriesWritten(),
        written.table() == null ? "no table" : written.table(),
        written.stats().micros() / 1000);
  }
}
