package dev.kv.core.compaction;

import static org.assertj.core.api.Assertions.assertThat;

import dev.kv.Options;
import dev.kv.SharedResources;
import dev.kv.core.memory.OffHeapBudget;
import dev.kv.core.shared.SharedResourcesImpl;
import dev.kv.core.table.TableCache;
import dev.kv.core.table.format.TableFormat;
import dev.kv.core.version.VersionText;
import dev.kv.env.Env;
import java.nio.file.Path;
import java.util.concurrent.atomic.AtomicLong;

/**
 * What jobs need to write tables: shared resources and a table cache. The close checks that no
 * memory is in use.
 */
public final class OutputFixture implements AutoCloseable {
  private final SharedResourcesImpl shared =
      new SharedResourcesImpl(
          SharedResources.builder().blockCacheSize(1 << 20).compactionThreads(1).settings());
  private final TableCache tables;
  private final OutputContext context;

  /**
   * Creates the resources.
   *
   * @param numbers returns the next file number
   */
  public OutputFixture(Env env, Path directory, Options options, AtomicLong numbers) {
    tables = new TableCache(directory, options, VersionText.COMPARATOR, shared.tableMemory());
    context =
        new OutputContext(
            new OutputContext.Target(
                env, directory, options.tables().suffix(), numbers::getAndIncrement),
            TableFormat.of(options),
            VersionText.COMPARATOR,
            shared.budget(),
            shared.buildBuffers(),
            () -> 1_795_000_000L,
            file -> tables.acquire(file).close());
  }

  /** Returns the parameters of the jobs. */
  public OutputContext context() {
    return context;
  }

  /** Returns the cache of the tables that they wrote. */
  public TableCache tables() {
    return tables;
  }

  /** Returns the off-heap memory in use. */
  public OffHeapBudget budget() {
    return shared.budget();
  }

  @Override
  public void close() {
    tables.close();
    shared.close();
    assertThat(shared.tableMemory().allocator().liveBuffers()).isZero();
    assertThat(shared.budget().used()).isZero();
  }
}
