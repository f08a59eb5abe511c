package dev.kv.core.db;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import dev.kv.admin.DBStats;
import dev.kv.core.env.FileNames;
import dev.kv.core.logging.EngineLogger;
import dev.kv.core.manifest.VersionSet;
import dev.kv.core.memory.Pinned;
import dev.kv.core.memory.Undo;
import dev.kv.core.memtable.MemTable;
import dev.kv.core.read.ReadStates;
import dev.kv.core.recovery.DirectoryCheck;
import dev.kv.core.recovery.LogRecovery;
import dev.kv.core.state.DatabaseContext;
import dev.kv.core.state.DatabaseStats;
import dev.kv.core.version.FileMetadata;
import dev.kv.errors.CorruptionException;
import dev.kv.options.TableSuffix;
import java.io.IOException;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;

/**
 * What the files of a directory hold at one moment: the entries of the logs in memtables, and every
 * table, open, because an open table can still be read after the writer has deleted it.
 *
 * <p>The tables stay pinned until the version is freed: after {@link #release}, and after the last
 * read state and the last list of files that use the version.
 */
final class ReadOnlyView {
  private static final EngineLogger LOG = EngineLogger.of(ReadOnlyView.class);

  private final DatabaseContext context;
  private final Path directory;
  private final TableUses uses;
  private final boolean last;
  private final VersionSet versions;
  private final Deque<MemTable> memtables = new ArrayDeque<>();

  @GuardedBy("files")
  private final List<FileMetadata> files = new ArrayList<>();

  @GuardedBy("files")
  private final List<Pinned> pins = new ArrayList<>();

  @GuardedBy("files")
  private boolean unpinned;

  private long greatestSequence;
  private long lastSequence;
  private DatabaseStats.Numbers numbers = numbers(new DBStats.Recovery(0, 0, 0, ""));

  /**
   * Creates a view that has read nothing yet.
   *
   * @param last true if a missing file is permanently lost, and not deleted by a writer
   */
  ReadOnlyView(TableUses uses, boolean last) {
    this.context = uses.context();
    this.directory = context.directory();
    this.uses = uses;
    this.last = last;
    this.versions = new VersionSet(context.manifestContext(), this::unpinTables);
  }

  /**
   * Reads the files, once. If this fails, the tables that were opened stay open until {@link
   * #abandon}.
   */
  void read(DirectoryCheck check) throws IOException {
    try (Undo undo = new Undo(this::freeMemtables)) {
      tryRead(check);
      undo.cancel();
    }
  }

  private void tryRead(DirectoryCheck check) throws IOException {
    versions.recover(true);
    TableSuffix suffix = context.options().tables().suffix();
    if (last) {
      check.requireTables(check.list(), versions, suffix);
    } else {
      List<FileMetadata> tables = versions.current().files();
      List<FileMetadata> corrected = check.requireSizes(uses.unused(tables), suffix);
      corrected.addAll(uses.correctSizes(tables));
      versions.correctSizes(corrected);
    }
    // Before the replay, which takes longer: meanwhile a writer deletes tables that it compacted.
    pinTables(versions.current().files());
    LogRecovery logs = replay(check.logs(check.list(), versions));
    requireChangesOfTables(logs);
    logs.lostEdits()
        .requireEndOfManifest(
            versions.recovered().lastSequence(),
            FileNames.manifest(directory, versions.manifestNumber()));
    if (versions.recovered().tail() > 0) {
      logs.noteManifest("the MANIFEST ends inside an edit", versions.recovered().tail());
    }
    greatestSequence = logs.lastSequence();
    lastSequence = logs.lastApplied();
    numbers = numbers(logs.report());
    memtables.addFirst(context.emptyMemTable());
  }

  private DatabaseStats.Numbers numbers(DBStats.Recovery recovery) {
    return new DatabaseStats.Numbers(
        recovery,
        memtables.stream().mapToLong(MemTable::memoryUsed).sum(),
        memtables.stream().mapToLong(MemTable::estimatedKeys).sum(),
        new DBStats.Writes(0, 0, 0, 0, lastSequence, new DBStats.WriteStalls(0, 0, 0)),
        new DBStats.Transactions(0, 0, 0, 0, 0, 0),
        0);
  }

  /**
   * Throws if a change that does not pass the log, such as the deletion of a range, may be missing:
   * it was made after the MANIFEST was read, and the logs have later writes. Such a change is in
   * the MANIFEST before the next write is in a log, so it is not missing if the MANIFEST is still
   * the same after the logs were read. The same holds for the first log of a later open.
   */
  private void requireChangesOfTables(LogRecovery recovery) throws IOException {
    if (recovery.lostEdits().mayLackEdit() && !versions.isUnchangedOnDisk()) {
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
        new LogRecovery(context, versions.lastSequence(), memtables::addFirst, true);
    try {
      recovery.replay(numbers, oldest);
      recovery.flushRest();
    } finally {
      recovery.abandon();
    }
    return recovery;
  }

  private void pinTables(List<FileMetadata> all) {
    uses.add(all);
    synchronized (files) {
      unpinned = false; // the versions before this one were freed, and had no pinned table
      files.addAll(all);
      for (FileMetadata file : all) {
        try {
          pins.add(context.tables().acquire(file));
        } catch (CorruptionException e) {
          LOG.warn("{}: {} cannot be opened, and reads of its keys fail", directory, file, e);
        }
      }
    }
  }

  /** Releases the tables. A second call does nothing. Reads of open tables may still run. */
  void unpinTables() {
    synchronized (files) {
      pins.forEach(Pinned::close);
      pins.clear();
      uses.remove(files);
      files.clear();
      unpinned = true;
    }
  }

  /** Returns true if the tables are released. */
  boolean isUnpinned() {
    synchronized (files) {
      return unpinned;
    }
  }

  /** Makes this view the one that new reads see. */
  void publish(ReadStates states) {
    states.publish(List.copyOf(memtables), versions.current());
  }

  /** Gives up the ownership of the memtables and the version; read states may still use them. */
  void release() {
    freeMemtables();
    versions.close();
  }

  private void freeMemtables() {
    memtables.forEach(MemTable::release);
    memtables.clear();
  }

  /** Frees a view that was not published. */
  void abandon() {
    release();
    unpinTables();
  }

  /** Returns the memtables, oldest first, borrowed until {@link #release}. */
  List<MemTable> oldestFirst() {
    List<MemTable> oldestFirst = new ArrayList<>();
    memtables.descendingIterator().forEachRemaining(oldestFirst::add);
    return oldestFirst;
  }

  VersionSet versions() {
    return versions;
  }

  /** Returns the sequence number of the last write that the view shows. */
  long lastSequence() {
    return lastSequence;
  }

  /** Returns the greatest sequence number in the files, which a later change may have taken. */
  long greatestSequence() {
    return greatestSequence;
  }

  DatabaseStats.Numbers numbers() {
    return numbers;
  }
}
