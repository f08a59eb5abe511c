package dev.kv.core.db;

import dev.kv.admin.DBStats;
import dev.kv.core.background.BackgroundThreads;
import dev.kv.core.background.Compactor;
import dev.kv.core.background.Flusher;
import dev.kv.core.background.JobContext;
import dev.kv.core.background.MaintenanceTask;
import dev.kv.core.change.VersionMutator;
import dev.kv.core.checkpoint.FileCapture;
import dev.kv.core.compaction.RunningJobs;
import dev.kv.core.feed.LogFeed;
import dev.kv.core.key.UserKeyComparator;
import dev.kv.core.load.Loads;
import dev.kv.core.read.DatabaseReader;
import dev.kv.core.read.ReadStates;
import dev.kv.core.read.SnapshotList;
import dev.kv.core.recovery.RecoveredDatabase;
import dev.kv.core.state.DatabaseContext;
import dev.kv.core.state.DatabaseFiles;
import dev.kv.core.state.DatabaseStats;
import dev.kv.core.state.MemTables;
import dev.kv.core.transaction.Transactions;
import dev.kv.core.write.CommitPipeline;
import dev.kv.env.Env;
import java.util.function.Supplier;

/** The parts of a database that is open for writing, which owns and closes them. */
record Parts(
    DatabaseFiles files,
    Env.Lock lock,
    WriteSide writes,
    ReadSide reads,
    Tree tree,
    BackgroundThreads background,
    DatabaseStats stats) {

  /** What a write passes. */
  record WriteSide(CommitPipeline commits, MemTables memTables) {
    static WriteSide of(DatabaseFiles files, ReadStates states, RecoveredDatabase recovered) {
      DatabaseContext context = files.context();
      if (recovered.log() != null) {
        files.logs().begin(recovered.log());
      }
      MemTables memTables =
          new MemTables(
              context,
              files.monitor(),
              files.versions(),
              states,
              files.logs(),
              recovered.memtable(),
              files.wakeups());
      CommitPipeline commits =
          new CommitPipeline(
              memTables,
              memTables.stallInputs(),
              files.errors(),
              files.versions().lastSequence(),
              context.comparator().userComparator(),
              context.budget(),
              context.events());
      return new WriteSide(commits, memTables);
    }
  }

  /** What a read passes, and the writes that depend on reads. */
  record ReadSide(DatabaseReader reader, SnapshotList snapshots, Transactions transactions) {
    static ReadSide of(DatabaseFiles files, ReadStates states, CommitPipeline commits) {
      DatabaseContext context = files.context();
      UserKeyComparator order = context.comparator().userComparator();
      SnapshotList snapshots = new SnapshotList(commits::lastSequence);
      DatabaseReader reader =
          new DatabaseReader(
              states,
              snapshots,
              context.tables(),
              context.budget(),
              commits.skips(),
              context.options().compaction().seekTriggered()
                  ? files.wakeups()::compactionWanted
                  : null,
              context.events(),
              context.options().monitoring().trackIterators());
      return new ReadSide(reader, snapshots, new Transactions(reader, commits, order));
    }
  }

  /** What changes the tree of tables, and what copies it. */
  record Tree(
      JobContext jobs,
      Compactor compactor,
      VersionMutator mutator,
      Loads loads,
      FileCapture capture,
      LogFeed feed) {
    static Tree of(JobContext jobs, ReadStates states) {
      DatabaseFiles files = jobs.files();
      Compactor compactor = new Compactor(jobs);
      VersionMutator mutator = new VersionMutator(jobs, states);
      return new Tree(
          jobs,
          compactor,
          mutator,
          new Loads(jobs, mutator, compactor),
          new FileCapture(files, jobs.commits()),
          new LogFeed(files));
    }
  }

  /** Connects the parts of a database that was recovered; no background work runs yet. */
  static Parts assemble(DatabaseFiles files, Env.Lock lock, RecoveredDatabase recovered) {
    ReadStates states = new ReadStates();
    WriteSide writes = WriteSide.of(files, states, recovered);
    ReadSide reads = ReadSide.of(files, states, writes.commits());
    JobContext jobs =
        new JobContext(
            files,
            writes.memTables(),
            reads.snapshots(),
            writes.commits(),
            new RunningJobs(files.context().comparator().userComparator()),
            recovered.stats());
    Tree tree = Tree.of(jobs, states);
    DatabaseStats stats =
        new DatabaseStats(
            files.context(),
            reads.reader(),
            reads.snapshots(),
            recovered.stats(),
            statistics(files, writes, reads.transactions(), recovered.report()));
    writes.memTables().publish();
    BackgroundThreads background =
        new BackgroundThreads(
            files,
            new Flusher(jobs),
            tree.compactor(),
            new MaintenanceTask(jobs, reads.reader(), reads.transactions()),
            writes.memTables());
    return new Parts(files, lock, writes, reads, tree, background, stats);
  }

  private static Supplier<DatabaseStats.Numbers> statistics(
      DatabaseFiles files, WriteSide writes, Transactions transactions, DBStats.Recovery recovery) {
    return () ->
        new DatabaseStats.Numbers(
            recovery,
            writes.memTables().memoryUsed(),
            writes.memTables().estimatedKeys(),
            new DBStats.Writes(
                writes.commits().operations(),
                writes.commits().loggedBytes(),
                files.logs().syncs(),
                files.logs().syncMicros(),
                writes.commits().lastSequence(),
                writes.commits().stalls()),
            transactions.stats(),
            files.obsolete().stuck());
  }

  /** Returns the directory, options, memory and caches of the database. */
  DatabaseContext context() {
    return files.context();
  }
}
