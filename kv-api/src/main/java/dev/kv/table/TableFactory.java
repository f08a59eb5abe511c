package dev.kv.table;

import dev.kv.DBFactory;
import dev.kv.Options;
import java.nio.file.Path;

/**
 * What the engine's {@link DBFactory} implements beside it, so that this package finds an
 * implementation of its interfaces. Programs call {@link TableWriter#create} and {@link
 * TableReader#open}.
 */
public interface TableFactory {

  /**
   * Returns the factory of the engine.
   *
   * @return the factory
   * @throws IllegalStateException if there is no engine, or it has no stand-alone tables
   */
  static TableFactory instance() {
    if (DBFactory.instance() instanceof TableFactory factory) {
      return factory;
    }
    throw new IllegalStateException("the engine on the class path has no stand-alone tables");
  }

  /**
   * Creates a stand-alone table.
   *
   * @param file the file to create
   * @param options the options of the table
   * @return the writer, which the caller closes
   * @see TableWriter#create
   */
  TableWriter newTableWriter(Path file, Options options);

  /**
   * Creates a table that a database can ingest.
   *
   * @param file the file to create
   * @param options the options of the database
   * @return the writer, which the caller closes
   * @see TableWriter#forIngest
   */
  TableWriter newIngestTableWriter(Path file, Options options);

  /**
   * Opens a stand-alone table.
   *
   * @param file the file of the table
   * @param options the options that the table was written with
   * @return the reader, which the caller closes
   * @see TableReader#open
   */
  TableReader openTable(Path file, Options options);
}
