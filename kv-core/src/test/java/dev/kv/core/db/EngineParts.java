package dev.kv.core.db;

import dev.kv.core.background.BackgroundThreads;
import dev.kv.core.background.Compactor;
import dev.kv.core.background.JobContext;
import dev.kv.core.change.VersionMutator;
import dev.kv.core.manifest.VersionSet;
import dev.kv.core.read.DatabaseReader;
import dev.kv.core.state.DatabaseContext;
import dev.kv.core.state.MemTables;
import dev.kv.core.state.Wakeups;
import dev.kv.core.transaction.Transactions;
import dev.kv.core.write.CommitPipeline;

/** The parts of an open database that tests of other packages look into. */
public final class EngineParts {
  private final Parts parts;

  EngineParts(DBImpl db) {
    this.parts = db.parts();
  }

  public DatabaseContext context() {
    return parts.context();
  }

  public VersionSet versions() {
    return parts.files().versions();
  }

  public MemTables memTables() {
    return parts.writes().memTables();
  }

  public CommitPipeline commits() {
    return parts.writes().commits();
  }

  public Compactor compactor() {
    return parts.tree().compactor();
  }

  public DatabaseReader reader() {
    return parts.reads().reader();
  }

  public Transactions transactions() {
    return parts.reads().transactions();
  }

  public BackgroundThreads background() {
    return parts.background();
  }

  public Wakeups wakeups() {
    return parts.files().wakeups();
  }

  public JobContext jobs() {
    return parts.tree().jobs();
  }

  public VersionMutator changes() {
    return parts.tree().mutator();
  }
}
