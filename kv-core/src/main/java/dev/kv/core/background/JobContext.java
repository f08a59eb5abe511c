package dev.kv.core.background;

import dev.kv.Escape;
import dev.kv.core.compaction.RunningJobs;
import dev.kv.core.event.Events;
import dev.kv.core.manifest.VersionSet;
import dev.kv.core.read.SnapshotList;
import dev.kv.core.state.CompactionStats;
import dev.kv.core.state.MemTables;
import dev.kv.core.state.Monitor;
import dev.kv.core.state.ObsoleteFiles;
import dev.kv.core.state.Resources;
import dev.kv.core.state.TableOutputs;
import dev.kv.core.write.CommitPipeline;
import dev.kv.core.write.WriteGate;
import java.util.function.Supplier;

/**
 * The parts of one open database that flushes and compactions use.
 *
 * @param running guarded by {@code monitor}
 * @param wakeCompactions makes the compaction threads look for work
 */
public record JobContext(
    Resources resources,
    Monitor monitor,
    WriteGate gate,
    VersionSet versions,
    MemTables memTables,
    SnapshotList snapshots,
    RunningJobs running,
    ObsoleteFiles obsolete,
    CompactionStats stats,
    CommitPipeline commits,
    Runnable wakeCompactions) {

  /** Returns the directory's name, for messages. */
  public String directory() {
    return Escape.text(resources.directory().toString());
  }

  /** Returns the events of the database. */
  public Events events() {
    return resources.events();
  }

  /** Returns the outputs of a new job. Their files are not deleted until the job settles them. */
  public TableOutputs newOutputs() {
    return new TableOutputs(resources, obsolete::newPendingNumber, obsolete::settle);
  }

  /**
   * Runs a job up to its install. If it fails and its edit is certainly not logged, the tables that
   * it wrote are deleted.
   *
   * @throws NothingLoggedException in that case, with the failure
   */
  <T> T run(TableOutputs outputs, Supplier<T> job) {
    try {
      return job.get();
    } catch (RuntimeException | OutOfMemoryError e) {
      if (versions.isFailed()) {
        throw e;
      }
      outputs.abandon();
      obsolete.collect();
      throw new NothingLoggedException(e);
    }
  }

  /** Called after each install: wakes the threads that wait for it, and deletes obsolete files. */
  void installed() {
    commits.progress();
    obsolete.collect();
    wakeCompactions.run();
  }
}
