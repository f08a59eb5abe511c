package dev.kv.core.load;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import dev.kv.core.background.Compactor;
import dev.kv.core.background.JobContext;
import dev.kv.core.background.ManualCompactions.Request;
import dev.kv.core.change.VersionMutator;
import dev.kv.core.env.CloseAll;
import dev.kv.core.env.Uninterrupted;
import dev.kv.core.key.KeyRange;
import dev.kv.core.memory.Undo;
import dev.kv.core.state.TableOutputs;
import dev.kv.core.version.FileMetadata;
import dev.kv.core.version.Levels;
import dev.kv.core.version.Version;
import dev.kv.core.write.ExclusiveWriter;
import dev.kv.load.BulkLoadOptions;
import dev.kv.load.BulkLoader;
import dev.kv.load.DBLoads;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/**
 * The bulk loads of one open database: creates loaders, ends them when the database closes, and
 * installs what they have written. Thread-safe.
 *
 * <p>The sequence number of a load is taken before its tables are written, and writers go on. At
 * the install, {@link LoadChange} checks that nobody has written in the range of a table since.
 */
public final class Loads implements DBLoads, AutoCloseable {
  /** More tables than this are not placed in level 0 together: they would stall writers. */
  private static final int MOST_IN_LEVEL_0 = Levels.LEVEL_0_COMPACTION_TRIGGER;

  private final JobContext jobs;
  private final VersionMutator changes;
  private final Compactor compactor;

  @GuardedBy("this")
  private final Set<BulkLoaderImpl> open = new LinkedHashSet<>();

  /** The threads of the ingests that run, each as often as it runs one. */
  @GuardedBy("this")
  private final List<Thread> ingests = new ArrayList<>();

  /** The threads that loads and ingests have started. */
  private final Set<Thread> threads = ConcurrentHashMap.newKeySet();

  /** Creates the object without loaders. */
  public Loads(JobContext jobs, VersionMutator changes, Compactor compactor) {
    this.jobs = jobs;
    this.changes = changes;
    this.compactor = compactor;
  }

  @Override
  public BulkLoader bulkLoader(BulkLoadOptions options) {
    requireNoFeed("a bulk load");
    Objects.requireNonNull(options, "options");
    jobs.errors().check();
    BulkLoaderImpl loader = new BulkLoaderImpl(this, jobs, options);
    synchronized (this) {
      open.add(loader);
    }
    if (jobs.errors().isClosing()) {
      loader.revoke();
    }
    return loader;
  }

  @Override
  public void ingest(List<Path> tables) {
    List<Path> files = List.copyOf(Objects.requireNonNull(tables, "tables"));
    requireNoFeed("an ingest");
    new TableIngestion(this, jobs, changes).ingest(files);
  }

  private void requireNoFeed(String what) {
    if (jobs.files().retained() != null) {
      throw new IllegalStateException(
          what
              + " does not pass the log, so readers of changes would not see it: open the database"
              + " without Options.logRetention, and begin again with new copies afterwards");
    }
  }

  synchronized void ended(BulkLoaderImpl loader) {
    open.remove(loader);
  }

  /** Notes that an ingest begins: the close waits for it, because it writes and deletes files. */
  synchronized void beginIngest() {
    jobs.errors().check();
    ingests.add(Thread.currentThread());
  }

  /** Notes the end of an ingest of the calling thread. */
  synchronized void endIngest() {
    ingests.remove(Thread.currentThread());
    notifyAll();
  }

  /** Takes a sequence number for entries of a load. It is newer than all entries written so far. */
  long takeSequence() {
    try (ExclusiveWriter writer = jobs.commits().exclusive()) {
      return writer.takeSequence();
    }
  }

  /**
   * Installs tables atomically. If this throws, they are deleted, unless the edit may be logged.
   *
   * @param name what the change is, for messages
   * @param tables the tables, by key; they do not overlap
   * @param sequence the sequence number of all their entries, or 0
   * @param outputs the outputs that gave the tables their numbers
   */
  void install(String name, List<FileMetadata> tables, long sequence, TableOutputs outputs) {
    Runnable rest =
        () -> {
          outputs.settle();
          jobs.collectObsolete();
        };
    try (Undo undo = new Undo(() -> abandon(outputs))) {
      if (!tables.isEmpty()) {
        clearUpperLevels(tables);
        changes.make(new LoadChange(jobs, name, tables, sequence, threads));
      }
      undo.cancel();
    }
    changes.finish(name, rest);
  }

  /** Deletes tables whose edit is in no MANIFEST. */
  private void abandon(TableOutputs outputs) {
    if (!jobs.versions().isFailed()) {
      jobs.abandon(outputs);
    }
  }

  /**
   * Compacts the range of the tables in levels 0 and 1 if too many of them would go to level 0
   * otherwise. Level 1 has at most some megabytes that overlap. If that is not possible, because
   * compactions are suspended or a table in the way is damaged, the tables go to level 0.
   */
  private void clearUpperLevels(List<FileMetadata> tables) {
    if (compactor.isSuspended() || inLevelZero(tables) <= MOST_IN_LEVEL_0) {
      return;
    }
    KeyRange range = LoadChange.keysOf(tables);
    jobs.flush();
    for (int level = 0; level < 2; level++) {
      compactor.runIfPossible(Request.merge(level, range));
    }
  }

  /** Returns the number of tables that overlap others of level 0 or 1 now. */
  private int inLevelZero(List<FileMetadata> tables) {
    return jobs.versions()
        .withCurrent(
            version -> (int) tables.stream().filter(table -> overlaps(version, table)).count());
  }

  private static boolean overlaps(Version version, FileMetadata table) {
    KeyRange keys = table.userKeys();
    return version.overlaps(0, keys) || version.overlaps(1, keys);
  }

  /** Returns the set of the threads that loads and ingests have started, which they maintain. */
  Set<Thread> threads() {
    return threads;
  }

  /** Throws if the calling thread is in a load or ingest, and so must not close the database. */
  public void requireNotInCallback() {
    List<BulkLoaderImpl> all;
    boolean inside = threads.contains(Thread.currentThread());
    synchronized (this) {
      all = new ArrayList<>(open);
      inside |= ingests.contains(Thread.currentThread());
    }
    if (inside) {
      throw new IllegalStateException(
          "a comparator or a filter policy must not close the database whose load or ingest calls"
              + " it");
    }
    for (BulkLoaderImpl loader : all) {
      loader.requireNotRunning();
    }
  }

  /**
   * Ends all loaders: every later use throws, and their files are deleted. Waits for ingests, which
   * see that the database closes.
   */
  @Override
  public void close() {
    List<AutoCloseable> steps = new ArrayList<>();
    synchronized (this) {
      for (BulkLoaderImpl loader : open) {
        steps.add(loader::revoke);
      }
    }
    try {
      CloseAll.of(steps);
    } finally {
      Uninterrupted.await(this::awaitIngests);
    }
  }

  private synchronized void awaitIngests() throws InterruptedException {
    while (!ingests.isEmpty()) {
      wait();
    }
  }
}
