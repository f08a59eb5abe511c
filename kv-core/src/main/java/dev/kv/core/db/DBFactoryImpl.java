package dev.kv.core.db;

import dev.kv.DB;
import dev.kv.DBFactory;
import dev.kv.Dump;
import dev.kv.FilterPolicy;
import dev.kv.Options;
import dev.kv.ReadOnlyDB;
import dev.kv.SharedResources;
import dev.kv.WriteBatch;
import dev.kv.admin.RepairReport;
import dev.kv.core.batch.EncodedBatch;
import dev.kv.core.codec.BlockCompression;
import dev.kv.core.key.InternalKeyComparator;
import dev.kv.core.key.KeyComparator;
import dev.kv.core.key.UserKeyComparator;
import dev.kv.core.memory.OffHeapBudget;
import dev.kv.core.repair.Dumper;
import dev.kv.core.repair.Repairer;
import dev.kv.core.shared.SharedResourcesImpl;
import dev.kv.core.table.filter.BloomFilter;
import dev.kv.core.table.standalone.UserTableReader;
import dev.kv.core.table.standalone.UserTableWriter;
import dev.kv.table.TableFactory;
import dev.kv.table.TableReader;
import dev.kv.table.TableWriter;
import java.nio.file.Path;
import java.util.Objects;

/**
 * Implements {@link DBFactory}: opens, destroys, repairs and dumps databases. The API finds it
 * through {@link java.util.ServiceLoader}. Thread-safe.
 */
public final class DBFactoryImpl implements DBFactory, TableFactory {
  /** Creates the factory; called by the service loader. */
  public DBFactoryImpl() {}

  @Override
  public DB open(Path directory, Options options) {
    Objects.requireNonNull(directory, "directory");
    return DBOpener.open(directory, Objects.requireNonNull(options, "options"));
  }

  @Override
  public ReadOnlyDB openReadOnly(Path directory, Options options) {
    Objects.requireNonNull(directory, "directory");
    return DBOpener.openReadOnly(directory, Objects.requireNonNull(options, "options"));
  }

  @Override
  public void destroy(Path directory, Options options) {
    Objects.requireNonNull(directory, "directory");
    Destroyer.destroy(directory, Objects.requireNonNull(options, "options"));
  }

  @Override
  public RepairReport repair(Path directory, Options options) {
    Objects.requireNonNull(directory, "directory");
    return Repairer.repair(directory, Objects.requireNonNull(options, "options"));
  }

  @Override
  public void dump(Path file, Options options, Dump.Sink sink) {
    Objects.requireNonNull(file, "file");
    Objects.requireNonNull(sink, "sink");
    Dumper.dump(file, Objects.requireNonNull(options, "options"), sink);
  }

  @Override
  public WriteBatch newWriteBatch() {
    return new EncodedBatch();
  }

  @Override
  public SharedResources newSharedResources(SharedResources.Settings settings) {
    return new SharedResourcesImpl(Objects.requireNonNull(settings, "settings"));
  }

  @Override
  public FilterPolicy newBloomFilter(int bitsPerKey) {
    return new BloomFilter(bitsPerKey);
  }

  @Override
  public TableWriter newTableWriter(Path file, Options options) {
    Objects.requireNonNull(file, "file");
    Objects.requireNonNull(options, "options");
    return newTableWriter(file, options, new UserKeyComparator(options.comparator()));
  }

  @Override
  public TableWriter newIngestTableWriter(Path file, Options options) {
    Objects.requireNonNull(file, "file");
    Objects.requireNonNull(options, "options");
    return newTableWriter(file, options, new InternalKeyComparator(options.comparator()));
  }

  /** Creates a table with memory of its own, or of the shared resources if there are any. */
  private static TableWriter newTableWriter(Path file, Options options, KeyComparator order) {
    BlockCompression.requireLibrary(options.compression());
    if (options.sharedResources() == null) {
      long limit = options.memory().offHeapLimit();
      return new UserTableWriter(file, options, order, new OffHeapBudget(limit), () -> {});
    }
    SharedResourcesImpl shared = SharedResourcesImpl.acquire(options);
    return new UserTableWriter(file, options, order, shared.budget(), shared::release);
  }

  @Override
  public TableReader openTable(Path file, Options options) {
    Objects.requireNonNull(file, "file");
    Objects.requireNonNull(options, "options");
    SharedResourcesImpl shared = SharedResourcesImpl.acquire(options);
    return new UserTableReader(file, options, shared.tableMemory(), shared::release);
  }
}
