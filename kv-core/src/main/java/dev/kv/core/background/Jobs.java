package dev.kv.core.background;

import dev.kv.CorruptionException;
import dev.kv.Escape;
import dev.kv.core.compaction.Compaction;
import dev.kv.core.compaction.CompactionJob;
import dev.kv.core.compaction.CompactionPicker;
import dev.kv.core.compaction.CompactionResult;
import dev.kv.core.compaction.FlushJob;
import dev.kv.core.compaction.FlushResult;
import dev.kv.core.compaction.JobStats;
import dev.kv.core.iterator.InternalIterator;
import dev.kv.core.memtable.MemTable;
import dev.kv.core.read.SnapshotList;
import dev.kv.core.state.CompactionStats;
import dev.kv.core.state.ObsoleteFiles;
import dev.kv.core.state.Resources;
import dev.kv.core.state.TableOutputs;
import dev.kv.core.version.FileMetadata;
import dev.kv.core.version.VersionEdit;
import dev.kv.core.write.CommitPipeline;
import java.util.List;
import java.util.function.BiConsumer;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Runs the jobs of one open database: gives them what they need, and tells the others what they
 * changed.
 */
public final class Jobs {
  private final Resources resources;
  private final ObsoleteFiles obsolete;
  private final CompactionStats compactionStats;
  private final SnapshotList snapshots;
  private final CommitPipeline commits;
  private final BooleanSupplier closing;
  private final Runnable whenInstalled;

  /**
   * Creates it.
   *
   * @param closing whether jobs are to be given up
   * @param whenInstalled run after each install
   */
  public Jobs(
      Resources resources,
      ObsoleteFiles obsolete,
      CompactionStats compactionStats,
      SnapshotList snapshots,
      CommitPipeline commits,
      BooleanSupplier closing,
      Runnable whenInstalled) {
    this.resources = resources;
    this.obsolete = obsolete;
    this.compactionStats = compactionStats;
    this.snapshots = snapshots;
    this.commits = commits;
    this.closing = closing;
    this.whenInstalled = whenInstalled;
  }

  /** Returns the directory's name, for messages. */
  String directory() {
    return Escape.text(resources.directory().toString());
  }

  long maxFileSize() {
    return resources.options().maxFileSize();
  }

  CompactionPicker picker() {
    return new CompactionPicker(maxFileSize(), resources.options().seekCompaction());
  }

  /** Writes {@code memtable} as a table, which {@code install} puts into a level. */
  void flush(MemTable memtable, Consumer<FlushResult> install) {
    TableOutputs outputs = outputs();
    try (InternalIterator entries = memtable.iterator()) {
      install.accept(new FlushJob(entries, outputs.context()).run());
    }
    outputs.settle();
  }

  /**
   * Runs {@code compaction} and has its edit installed; returns null where it was given up, for the
   * close or for damaged inputs, which {@code damage} is told of.
   */
  @Nullable CompactionResult compact(
      Compaction compaction,
      Consumer<VersionEdit> install,
      BiConsumer<List<FileMetadata>, CorruptionException> damage) {
    TableOutputs outputs = outputs();
    CompactionJob job =
        new CompactionJob(
            compaction,
            snapshots.sequences(),
            file -> resources.tables().iterator(file, true, false),
            outputs.context(),
            closing);
    CompactionResult result = null;
    try {
      result = job.run();
    } catch (CorruptionException e) {
      if (resources.options().paranoidChecks() || job.damagedInputs().isEmpty()) {
        throw e;
      }
      damage.accept(job.damagedInputs(), e);
    }
    if (result != null) {
      install.accept(result.edit());
      compactionStats.add(compaction.outputLevel(), result.stats());
    }
    outputs.settle();
    return result;
  }

  private TableOutputs outputs() {
    return new TableOutputs(resources, obsolete::newPendingNumber, obsolete::settle);
  }

  /** Counts what a job has cost that wrote to {@code level}. */
  void spent(int level, JobStats stats) {
    compactionStats.add(level, stats);
  }

  /** Wakes a writer that level 0 holds back. */
  void wakeWriters() {
    commits.progress();
  }

  /** To be called after each install: deletes what is obsolete now and wakes who waited for it. */
  void installed() {
    commits.progress();
    obsolete.collect();
    whenInstalled.run();
  }
}
