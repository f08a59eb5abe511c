package dev.kv.core.state;

import dev.kv.core.compaction.FlushJob;
import dev.kv.core.compaction.FlushResult;
import dev.kv.core.compaction.OutputContext;
import dev.kv.core.iterator.ForwardIterator;
import dev.kv.core.memtable.MemTable;
import dev.kv.core.version.FileMetadata;
import dev.kv.env.Env;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import java.util.function.LongSupplier;

/**
 * The tables that one job writes. They are not deleted before the job settles or abandons them. A
 * failed job whose edit may be logged does neither: a restart would need the tables.
 */
public final class TableOutputs {
  private final DatabaseContext context;
  private final LongSupplier numbers;
  private final Consumer<Long> settle;
  private final List<Long> given = new ArrayList<>();

  /**
   * Creates the outputs of one job.
   *
   * @param numbers returns a file number whose file is kept until the number is passed to {@code
   *     settle}
   */
  public TableOutputs(DatabaseContext context, LongSupplier numbers, Consumer<Long> settle) {
    this.context = context;
    this.numbers = numbers;
    this.settle = settle;
  }

  /** Returns the context with which the job writes its tables. */
  public OutputContext context() {
    return context(context.env());
  }

  /** Returns the context with which the job writes its tables through {@code env}. */
  public OutputContext context(Env env) {
    return context.outputContext(env, context.directory(), this::next, this::verify);
  }

  /** Writes {@code memtable} as one table; writes none if the memtable is empty. */
  public FlushResult flush(MemTable memtable) {
    try (ForwardIterator entries = memtable.iterator()) {
      return flush(entries, List.of());
    }
  }

  /** Does the same with all entries of a cursor, which is borrowed; the table replaces others. */
  public FlushResult flush(ForwardIterator entries, List<FileMetadata> replaced) {
    return new FlushJob(entries, context().replacing(context.tables(), replaced)).run();
  }

  private long next() {
    long number = numbers.getAsLong();
    given.add(number);
    return number;
  }

  /** Opens the table, so that an unreadable table is found before its inputs are deleted. */
  private void verify(FileMetadata table) {
    context.tables().acquire(table).close();
  }

  /** Abandons tables that no edit names: they are closed, and are obsolete files if they exist. */
  public void abandon() {
    given.forEach(number -> context.tables().evict(number));
    settle();
  }

  /**
   * Settles all numbers: the tables are in a version now, or the job has deleted them. Allocates
   * nothing: an install that fails makes the database read-only.
   */
  public void settle() {
    for (int i = 0; i < given.size(); i++) {
      settle.accept(given.get(i));
    }
  }
}
