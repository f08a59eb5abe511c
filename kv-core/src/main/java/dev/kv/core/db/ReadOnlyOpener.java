package dev.kv.core.db;

import dev.kv.CorruptionException;
import dev.kv.DB;
import dev.kv.DBIOException;
import dev.kv.DBStats;
import dev.kv.LiveFiles;
import dev.kv.Options;
import dev.kv.core.checkpoint.FrozenFiles;
import dev.kv.core.env.FileNames;
import dev.kv.core.event.Events;
import dev.kv.core.iterator.DeadRanges;
import dev.kv.core.logging.EngineLogger;
import dev.kv.core.manifest.VersionSet;
import dev.kv.core.memory.Pinned;
import dev.kv.core.memory.Stripes;
import dev.kv.core.memtable.MemTable;
import dev.kv.core.read.DatabaseReader;
import dev.kv.core.read.ReadState;
import dev.kv.core.read.ReadStates;
import dev.kv.core.read.SnapshotList;
import dev.kv.core.recovery.DirectoryCheck;
import dev.kv.core.recovery.LogRecovery;
import dev.kv.core.state.CompactionStats;
import dev.kv.core.state.Resources;
import dev.kv.core.version.FileMetadata;
import dev.kv.core.version.Levels;
import dev.kv.core.version.Version;
import dev.kv.env.Env;
import java.io.IOException;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import org.slf4j.Logger;

/**
 * Opens a database for reading only, without taking LOCK and without writing. Replays the logs into
 * memtables and opens every table immediately, because an open table can still be read after the
 * writer has deleted it.
 *
 * <p>Another process may be writing to the database, so a file may be deleted before it is opened,
 * and a record may be incomplete. In that case the open starts again with the current MANIFEST.
 */
final class ReadOnlyOpener {
  private static final Logger LOG = EngineLogger.of(ReadOnlyOpener.class);

  /**
   * The open fails after this many consecutive attempts with the same failure: if a writer is
   * active, each attempt fails on a different file.
   */
  private static final int TRIES = 50;

  /** The same limit if a file looks damaged, as a file may while it is written. */
  private static final int TRIES_IF_DAMAGED = 3;

  /** The maximum number of attempts in total that may lose the race with a writer. */
  private static final int MOST_TRIES = 2000;

  private static final long PAUSE_MICROS = 5_000;

  private final Path directory;
  private final Options options;
  private final Env env;

  ReadOnlyOpener(Path directory, Options options) {
    this.directory = directory;
    this.options = options;
    this.env = options.env();
  }

  DB open() throws IOException {
    DirectoryCheck check = new DirectoryCheck(env, directory);
    if (!env.exists(FileNames.current(directory))) {
      throw check.noDatabase();
    }
    String before = "";
    int same = 0;
    for (int tries = 1; ; tries++) {
      boolean last = same == TRIES - 1 || tries == MOST_TRIES;
      try {
        return new Attempt(last).open(check);
      } catch (NoSuchFileException | CorruptionException | DBIOException e) {
        same = e.toString().equals(before) ? same + 1 : 1;
        before = e.toString();
        if (last || (same == TRIES_IF_DAMAGED && !isVanished(e))) {
          throw e;
        }
        LOG.debug("{}: starting again: {}", directory, before);
      }
      env.sleepMicros(PAUSE_MICROS);
    }
  }

  private static boolean isVanished(Exception e) {
    return e instanceof NoSuchFileException || e.getCause() instanceof NoSuchFileException;
  }

  /** One attempt. If it fails, it frees everything that it has created. */
  private final class Attempt {
    private final boolean last;
    private final Resources resources = new Resources(directory, options);
    private final Events events = resources.events();
    private final VersionSet versions = new VersionSet(resources.manifestContext(), () -> {});
    private final Deque<MemTable> memtables = new ArrayDeque<>();
    private final List<Pinned> pins = new ArrayList<>();

    Attempt(boolean last) {
      this.last = last;
    }

    DB open(DirectoryCheck check) throws IOException {
      OpenTimer timer = new OpenTimer(events);
      boolean done = false;
      try {
        versions.recover(true);
        if (last) {
          check.requireTables(check.list(), versions);
        }
        // Before the replay, which takes longer: meanwhile a writer deletes tables that it
        // compacted.
        pinTables();
        LogRecovery recovery = replay(check.logs(check.list(), versions));
        requireChangesOfTables(recovery);
        DB db = assemble(recovery);
        done = true;
        timer.opened(versions.current(), recovery.report(), true);
        events.onPost(events::deliver);
        events.deliverAll();
        return db;
      } finally {
        if (!done) {
          free();
        }
      }
    }

    /**
     * Throws if a change that does not pass the log, such as the deletion of a range, may be
     * missing: it was made after the MANIFEST was read, and the logs have later writes. Such a
     * change is in the MANIFEST before the next write is in a log, so it is not missing if the
     * MANIFEST is still the same after the logs were read.
     */
    private void requireChangesOfTables(LogRecovery recovery) throws IOException {
      if (recovery.foundTakenNumber() && !versions.isUnchangedOnDisk()) {
        throw new NoSuchFileException(
            FileNames.manifest(directory, versions.manifestNumber()).toString(),
            null,
            "was changed while the logs were read, up to " + recovery.lastSequence());
      }
    }

    private LogRecovery replay(List<Long> numbers) throws IOException {
      long oldest = versions.logNumber();
      if (oldest > 0 && !numbers.contains(oldest) && !last) {
        // It was flushed and deleted after the MANIFEST was read, unless it is permanently lost.
        throw new NoSuchFileException(FileNames.log(directory, oldest).toString());
      }
      LogRecovery recovery =
          new LogRecovery(resources, versions.lastSequence(), memtables::addFirst);
      try {
        recovery.replay(numbers, oldest);
        recovery.flushRest();
      } finally {
        recovery.abandon();
      }
      return recovery;
    }

    private void pinTables() {
      Version version = versions.current();
      for (int level = 0; level < Levels.COUNT; level++) {
        for (FileMetadata file : version.files(level)) {
          pins.add(resources.tables().acquire(file));
        }
      }
    }

    private DB assemble(LogRecovery recovery) {
      long lastSequence = recovery.lastSequence();
      ReadStates states = new ReadStates();
      SnapshotList snapshots = new SnapshotList(() -> lastSequence);
      DatabaseReader reader =
          new DatabaseReader(
              states,
              snapshots,
              resources.tables(),
              resources.budget(),
              new DeadRanges(
                  resources.comparator().userComparator(), ranges -> ranges.beginWatches(0)),
              null,
              events,
              options.trackIterators());
      long memtableBytes = memtables.stream().mapToLong(MemTable::memoryUsed).sum();
      long memtableKeys = memtables.stream().mapToLong(MemTable::estimatedKeys).sum();
      DatabaseStats stats =
          new DatabaseStats(
              resources,
              versions,
              reader,
              snapshots,
              new CompactionStats(),
              recovery.report(),
              () -> memtableBytes,
              () -> new DBStats.Writes(0, 0, 0, 0),
              () -> memtableKeys,
              () -> new DBStats.WriteStalls(0, 0, 0),
              () -> lastSequence,
              () -> new DBStats.Transactions(0, 0, 0, 0, 0));
      memtables.addFirst(resources.emptyMemTable());
      List<MemTable> rest = new ArrayList<>(memtables);
      states.publish(memtables.getFirst(), rest.subList(1, rest.size()), versions.current());
      return new ReadOnlyDB(
          reader,
          snapshots,
          stats,
          resources.comparator().userComparator().order(),
          events,
          env,
          () -> files(states, lastSequence),
          this::free);
    }

    /** Returns the files of the state that the database shows; the state is pinned meanwhile. */
    private LiveFiles files(ReadStates states, long lastSequence) {
      int stripe = Stripes.current();
      ReadState state = states.acquire(stripe);
      try {
        List<MemTable> oldestFirst = new ArrayList<>();
        for (int i = state.immutableCount() - 1; i >= 0; i--) {
          oldestFirst.add(state.immutable(i));
        }
        return FrozenFiles.of(resources, versions, oldestFirst, lastSequence);
      } finally {
        states.release(state, stripe);
      }
    }

    private void free() {
      memtables.forEach(MemTable::release);
      pins.forEach(Pinned::close);
      versions.close();
      resources.close();
    }
  }
}
