package dev.kv.core.db;

import dev.kv.core.load.TableIngestion;
import dev.kv.load.BulkLoadOptions;
import dev.kv.load.BulkLoader;
import dev.kv.load.DBLoads;
import java.nio.file.Path;
import java.util.List;
import java.util.Objects;

/** The loads of a database that is open for writing. */
final class OpenLoads implements DBLoads {
  private final Parts parts;

  /** Creates the object. */
  OpenLoads(Parts parts) {
    this.parts = parts;
  }

  @Override
  public BulkLoader bulkLoader(BulkLoadOptions options) {
    requireNoFeed("a bulk load");
    return parts.tree().loads().loader(Objects.requireNonNull(options, "options"));
  }

  @Override
  public void ingest(List<Path> tables) {
    List<Path> files = List.copyOf(Objects.requireNonNull(tables, "tables"));
    requireNoFeed("an ingest");
    new TableIngestion(parts.tree().loads(), parts.tree().jobs(), parts.tree().mutator())
        .ingest(files);
  }

  private void requireNoFeed(String what) {
    if (parts.tree().feed() != null) {
      throw new IllegalStateException(
          what
              + " does not pass the log, so readers of changes would not see it: open the database"
              + " without Options.logRetention, and begin again with new copies afterwards");
    }
  }
}
