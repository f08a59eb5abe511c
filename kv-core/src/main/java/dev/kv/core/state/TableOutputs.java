package dev.kv.core.state;

import dev.kv.core.compaction.FlushJob;
import dev.kv.core.compaction.FlushResult;
import dev.kv.core.compaction.OutputContext;
import dev.kv.core.iterator.InternalIterator;
import dev.kv.core.memtable.MemTable;
import dev.kv.core.table.format.TableFormat;
import dev.kv.core.version.FileMetadata;
import java.util.ArrayList;
import java.util.List;
import java.util.function.LongConsumer;
import java.util.function.LongSupplier;

/**
 * The tables that one job writes. They are not deleted until the job settles them; those of a
 * failed job never, since its edit may be durable all the same, and a restart then needs the
 * tables.
 */
public final class TableOutputs {
  private final Resources resources;
  private final LongSupplier numbers;
  private final LongConsumer settle;
  private final List<Long> given = new ArrayList<>();

  /**
   * Creates it.
   *
   * @param numbers gives a number that is kept until {@code settle} gets it
   */
  public TableOutputs(Resources resources, LongSupplier numbers, LongConsumer settle) {
    this.resources = resources;
    this.numbers = numbers;
    this.settle = settle;
  }

  /** Returns what the job writes its tables with. */
  public OutputContext context() {
    return new OutputContext(
        resources.env(),
        resources.directory(),
        resources.options().tableSuffix(),
        TableFormat.of(resources.options()),
        resources.comparator(),
        resources.budget(),
        this::next,
        this::verify);
  }

  /** Writes {@code memtable} as one table; an empty one makes none. */
  public FlushResult flush(MemTable memtable) {
    try (InternalIterator entries = memtable.iterator()) {
      return new FlushJob(entries, context()).run();
    }
  }

  private long next() {
    long number = numbers.getAsLong();
    given.add(number);
    return number;
  }

  /** Opens the table, so that one that cannot be read is found before its inputs are deleted. */
  private void verify(FileMetadata table) {
    resources.tables().acquire(table).close();
  }

  /** Settles all numbers: their tables are in a version now, or deleted by the job. */
  public void settle() {
    given.forEach(settle::accept);
  }
}
