package dev.kv.core.load;

import dev.kv.bytes.Escape;
import dev.kv.core.background.JobContext;
import dev.kv.core.change.VersionMutator;
import dev.kv.core.compaction.OutputContext;
import dev.kv.core.env.FileContents;
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
  /** A table with entries to be ingested. It is open only while it is read. */
  private record Source(Path path, FileMetadata table) {}

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
    List<Source> sources = new ArrayList<>();
    for (Path path : paths) {
      jobs.errors().checkNotClosing();
      try (ExternalTable table = ExternalTable.open(path, context)) {
        if (table.metadata().knowsKeys()) {
          sources.add(new Source(path, table.metadata()));
        }
      }
    }
    sources.sort((a, b) -> order.compare(a.table().smallest(), b.table().smallest()));
    requireNoOverlap(sources);
    if (!sources.isEmpty()) {
      ingestSorted(sources);
    }
  }

  private void requireNoOverlap(List<Source> sorted) {
    for (int i = 1; i < sorted.size(); i++) {
      Source before = sorted.get(i - 1);
      Source after = sorted.get(i);
      if (order.compareUserKeys(before.table().largest(), after.table().smallest()) >= 0) {
        throw new IllegalArgumentException(
            "the tables overlap: "
                + Escape.text(before.path().toString())
                + " ends at '"
                + Escape.shown(before.table().largestUserKey())
                + "', and "
                + Escape.text(after.path().toString())
                + " begins at '"
                + Escape.shown(after.table().smallestUserKey())
                + "'");
      }
    }
  }

  private void ingestSorted(List<Source> sources) {
    TableOutputs outputs = jobs.newOutputs();
    List<FileMetadata> placed = new ArrayList<>();
    long sequence = 0;
    try (Undo undo = new Undo(() -> jobs.abandon(outputs))) {
      if (jobs.versions().withCurrent(version -> isFree(sources, version))) {
        requireLog(); // an open refuses tables beside a MANIFEST that has no edit
        for (Source source : sources) {
          placed.add(copy(source, outputs.context()));
        }
      } else {
        sequence = loads.takeSequence();
        placed.addAll(rewrite(sources, sequence, outputs.context()));
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
  private boolean isFree(List<Source> sources, Version version) {
    for (Source source : sources) {
      KeyRange keys = source.table().userKeys();
      if (version.overlapsFrom(0, keys)
          || changes.memTablesHold(keys.bounds(order.userComparator()))) {
        return false;
      }
    }
    return true;
  }

  private List<FileMetadata> rewrite(List<Source> sources, long sequence, OutputContext outputs) {
    try (LoadWriter writer =
        new LoadWriter(outputs, sequence, context.options().maxFileSize(), loads.threads())) {
      for (Source source : sources) {
        try (ExternalTable table = ExternalTable.open(source.path(), context)) {
          table.requireLike(source.table());
          table.copyTo(writer, jobs.errors());
        }
        writer.endTable();
      }
      return writer.finish();
    }
  }

  /** Copies the file of a table into the directory, synced, read and opened once. */
  private FileMetadata copy(Source source, OutputContext outputs) {
    long number = outputs.target().numbers().getAsLong();
    Path target = outputs.target().table(number);
    try {
      FileContents.copy(context.env(), source.path(), target);
    } catch (IOException e) {
      throw new DBIOException(
          "cannot copy table "
              + Escape.text(source.path().toString())
              + " to "
              + Escape.text(target.toString())
              + ": "
              + e,
          e);
    }
    verifyCopy(source, target);
    FileMetadata table = source.table();
    FileMetadata copied = new FileMetadata(number, table.size(), table.smallest(), table.largest());
    outputs.verifier().accept(copied);
    return copied;
  }

  private void verifyCopy(Source source, Path copy) {
    try (ExternalTable copied = ExternalTable.open(copy, context)) {
      copied.verify(jobs.errors());
      copied.requireLike(source.table());
    } catch (CorruptionException | IllegalArgumentException | UnsupportedFormatException e) {
      try (ExternalTable table = ExternalTable.open(source.path(), context)) {
        table.verify(jobs.errors()); // names the program's file if that is damaged
      }
      throw new CorruptionException(
          "the table was changed or damaged while it was copied",
          source.path().toString(),
          CorruptionException.NO_OFFSET,
          e);
    }
  }
}
