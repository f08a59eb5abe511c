package dev.kv.core.db;

import dev.kv.DBStats;
import dev.kv.core.compaction.RunningJobs;
import dev.kv.core.manifest.VersionSet;
import dev.kv.core.memtable.MemTable;
import dev.kv.core.read.DatabaseReader;
import dev.kv.core.read.ReadStates;
import dev.kv.core.read.SnapshotList;
import dev.kv.core.write.CommitPipeline;
import dev.kv.env.Env;
import org.jspecify.annotations.Nullable;

/** Puts the parts of a recovered database together and starts its threads. */
record Assembly(
    Resources resources,
    Env.Lock lock,
    Monitor monitor,
    BackgroundError error,
    Background background,
    VersionSet versions,
    CompactionStats costs,
    LogFiles logs,
    ObsoleteFiles obsolete) {

  /** Returns the open database, which takes over the log, if there is one yet, and the memtable. */
  DBImpl assemble(
      LogFiles.@Nullable NumberedLog log, MemTable memtable, DBStats.Recovery recovery) {
    ReadStates readStates = new ReadStates();
    WriteState writeState =
        new WriteState(resources, monitor, versions, readStates, logs, log, memtable, background);
    CommitPipeline commits =
        new CommitPipeline(writeState, versions.lastSequence(), resources.budget());
    error.attach(commits);
    SnapshotList snapshots = new SnapshotList(commits::lastSequence);
    RunningJobs running = new RunningJobs(resources.comparator().userComparator());
    Jobs jobs =
        new Jobs(
            resources,
            obsolete,
            costs,
            snapshots,
            commits,
            monitor::isClosing,
            background::compactionWanted);
    Flusher flusher = new Flusher(monitor, error, versions, writeState, running, jobs);
    Compactor compactor = new Compactor(monitor, error, versions, writeState, running, jobs);
    DatabaseReader reader =
        new DatabaseReader(
            readStates,
            snapshots,
            resources.tables(),
            resources.budget(),
            resources.options().seekCompaction() ? background : null,
            resources.directory().toString());
    Figures figures =
        new Figures(
            resources,
            versions,
            snapshots,
            costs,
            recovery,
            writeState::memoryUsed,
            commits::stalls,
            commits::lastSequence);
    monitor.lock();
    try {
      writeState.publish();
    } finally {
      monitor.unlock();
    }
    DBImpl db =
        new DBImpl(
            new DBImpl.Parts(
                resources,
                lock,
                monitor,
                error,
                versions,
                writeState,
                commits,
                reader,
                snapshots,
                compactor,
                background,
                figures));
    background.begin(flusher, compactor, new Housekeeper(background, writeState, logs, obsolete));
    if (compactor.isDue()) {
      background.compactionWantedLater();
    }
    return db;
  }
}
