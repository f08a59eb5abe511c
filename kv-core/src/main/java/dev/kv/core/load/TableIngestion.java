package dev.kv.core.load;

import dev.kv.bytes.Escape;
import dev.kv.core.background.JobContext;
import dev.kv.core.change.VersionMutator;
import dev.kv.core.compaction.OutputContext;
import dev.kv.core.env.FileContents;
import dev.kv.core.key.InternalKey;
import dev.kv.core.key.InternalKeyComparator;
import dev.kv.core.key.KeyRange;
import dev.kv.core.memory.Undo;
import dev.kv.core.state.DatabaseContext;
import dev.kv.core.state.TableOutputs;
import dev.kv.core.version.FileMetadata;
import dev.kv.core.version.Version;
import dev.kv.core.write.ExclusiveWriter;
import dev.kv.errors.CorruptionException;
import dev.kv.errors.DBIOException;
import dev.kv.errors.UnsupportedFormatException;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * Takes over tables that were written elsewhere, all at once. Each table is read completely once.
 * If no entry of the database is in the range of any of them, their files are copied as they are,
 * with their sequence number 0, and it is the copy that is read. Otherwise their entries are
 * written to new tables, with a new sequence number.
 */
final class TableIngestion {
  private final Loads loads;
  private final JobContext jobs;
  private final VersionMutator changes;
  private final DatabaseContext context;
  private final InternalKeyComparator order;

  /** Creates the object for one open database. */
  TableIngestion(Loads loads, JobContext jobs, VersionMutator changes) {
    this.loads = loads;
    this.jobs = jobs;
    this.changes = changes;
    context = jobs.context();
    order = context.comparator();
  }

  /**
   * Ingests tables.
   *
   * @throws IllegalArgumentException if two tables overlap, or one is not for an ingest
   */
  void ingest(List<Path> paths) {
    loads.beginIngest();
    try {
      ingestFiles(paths);
    } finally {
      loads.endIngest();
    }
  }

  private void ingestFiles(List<Path> paths) {
    List<ExternalTable> tables = new ArrayList<>();
    try {
      for (Path path : paths) {
        jobs.errors().checkNotClosing();
        tables.add(ExternalTable.open(path, context));
      }
      List<ExternalTable> sorted = sorted(tables);
      if (!sorted.isEmpty()) {
        ingestSorted(sorted);
      }
    } finally {
      tables.forEach(ExternalTable::close);
    }
  }

  /** Returns the tables that have entries, by key. */
  private List<ExternalTable> sorted(List<ExternalTable> tables) {
    List<ExternalTable> sorted = new ArrayList<>(tables);
    sorted.removeIf(ExternalTable::isEmpty);
    sorted.sort((a, b) -> order.compare(a.smallest(), b.smallest()));
    for (int i = 1; i < sorted.size(); i++) {
      ExternalTable before = sorted.get(i - 1);
      ExternalTable table = sorted.get(i);
      if (order.compareUserKeys(before.largest(), table.smallest()) >= 0) {
        throw new IllegalArgumentException(
            "the tables overlap: "
                + Escape.text(before.path().toString())
                + " ends at '"
                + Escape.shown(InternalKey.userKey(before.largest()))
                + "', and "
                + Escape.text(table.path().toString())
                + " begins at '"
                + Escape.shown(InternalKey.userKey(table.smallest()))
                + "'");
      }
    }
    return sorted;
  }

  private void ingestSorted(List<ExternalTable> tables) {
    TableOutputs outputs = jobs.newOutputs();
    List<FileMetadata> placed = new ArrayList<>();
    long sequence = 0;
    try (Undo undo = new Undo(() -> jobs.abandon(outputs))) {
      if (jobs.versions().withCurrent(version -> isFree(tables, version))) {
        requireLog(); // an open refuses tables beside a MANIFEST that has no edit
        for (ExternalTable table : tables) {
          placed.add(copy(table, outputs.context()));
        }
      } else {
        sequence = loads.takeSequence();
        placed.addAll(rewrite(tables, sequence, outputs.context()));
      }
      undo.cancel();
    }
    loads.install("an ingest of tables", placed, sequence, outputs);
  }

  private void requireLog() {
    try (ExclusiveWriter writer = jobs.commits().exclusive()) {
      writer.requireLog();
    }
  }

  /** Returns true if no memtable and no table has an entry in the range of one of the tables. */
  private boolean isFree(List<ExternalTable> tables, Version version) {
    for (ExternalTable table : tables) {
      KeyRange keys = new FileMetadata(0, 0, table.smallest(), table.largest()).userKeys();
      if (version.overlapsFrom(0, keys)
          || changes.memTablesHold(keys.bounds(order.userComparator()))) {
        return false;
      }
    }
    return true;
  }

  private List<FileMetadata> rewrite(
      List<ExternalTable> tables, long sequence, OutputContext outputs) {
    try (LoadWriter writer =
        new LoadWriter(outputs, sequence, context.options().maxFileSize(), loads.threads())) {
      for (ExternalTable table : tables) {
        table.copyTo(writer, jobs.errors());
        writer.endTable();
      }
      return writer.finish();
    }
  }

  /** Copies the file of a table into the directory, synced, read and opened once. */
  private FileMetadata copy(ExternalTable table, OutputContext outputs) {
    long number = outputs.target().numbers().getAsLong();
    Path target = outputs.target().table(number);
    try {
      FileContents.copy(context.env(), table.path(), target);
    } catch (IOException e) {
      throw new DBIOException(
          "cannot copy table "
              + Escape.text(table.path().toString())
              + " to "
              + Escape.text(target.toString())
              + ": "
              + e,
          e);
    }
    verifyCopy(table, target);
    FileMetadata copied = new FileMetadata(number, table.size(), table.smallest(), table.largest());
    outputs.verifier().accept(copied);
    return copied;
  }

  private void verifyCopy(ExternalTable table, Path copy) {
    try (ExternalTable copied = ExternalTable.open(copy, context)) {
      copied.verify(jobs.errors());
      if (!copied.isLike(table)) {
        throw new CorruptionException(
            "the table has other ends than before", copy.toString(), CorruptionException.NO_OFFSET);
      }
    } catch (CorruptionException | IllegalArgumentException | UnsupportedFormatException e) {
      table.verify(jobs.errors()); // names the program's file if that is damaged
      throw new CorruptionException(
          "the table was changed or damaged while it was copied",
          table.path().toString(),
          CorruptionException.NO_OFFSET,
          e);
    }
  }
}
