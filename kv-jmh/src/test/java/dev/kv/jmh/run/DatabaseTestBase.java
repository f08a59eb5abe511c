package dev.kv.jmh.run;

import dev.kv.jmh.adapter.StoreKind;
import dev.kv.jmh.store.StoreSettings;
import dev.kv.jmh.task.Catalogue;
import java.nio.file.Path;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.io.TempDir;

/** An empty database of kv, and benchmarks of a catalogue that run on it with one thread. */
public abstract class DatabaseTestBase {
  /** The open database. */
  protected Database database;

  @BeforeEach
  final void open(@TempDir Path directory) {
    database = new Database(StoreKind.KV, directory, StoreSettings.DEFAULT);
    database.open();
  }

  @AfterEach
  final void close() {
    database.close();
  }

  /** Runs a benchmark to its end. */
  protected final BenchmarkRun run(Catalogue catalogue, String name) {
    BenchmarkRun run = new BenchmarkRun(catalogue.plan(name), database, 1, 0, false);
    run.run();
    return run;
  }
}
