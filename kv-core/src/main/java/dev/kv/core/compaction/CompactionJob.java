package dev.kv.core.compaction;

import dev.kv.core.env.FileName;
import dev.kv.core.env.FileNames;
import dev.kv.core.iterator.ConcatenatingIterator;
import dev.kv.core.iterator.ForwardIterator;
import dev.kv.core.iterator.InternalIterator;
import dev.kv.core.iterator.MergingIterator;
import dev.kv.core.key.InternalKey;
import dev.kv.core.key.InternalKeyComparator;
import dev.kv.core.key.KeyBuffer;
import dev.kv.core.memory.OffHeapBuffer;
import dev.kv.core.table.WarmSuccession;
import dev.kv.core.version.FileMetadata;
import dev.kv.core.version.Version;
import dev.kv.errors.CorruptionException;
import dev.kv.options.CompactionFilter;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.function.BooleanSupplier;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Runs one compaction without a lock: merges the inputs, drops entries that no reader can see, and
 * writes the others to new tables. Runs once, on one thread. If it fails, it deletes its outputs if
 * possible.
 *
 * <p>The loop allocates nothing per entry: keys and values are copied directly from the input's
 * buffers to the table builder's.
 */
public final class CompactionJob {
  private static final int KEY_BYTES = 256;

  private final Compaction compaction;
  private final long[] snapshots;
  private final Function<FileMetadata, InternalIterator> tables;
  private final OutputContext context;
  private final @Nullable WarmSuccession succession;
  private final @Nullable CompactionFilter filter;
  private final BooleanSupplier cancelled;
  private final InternalKeyComparator comparator;
  private List<FileMetadata> damagedInputs = List.of();
  private FilterResult filtered = FilterResult.NONE;
  private long entriesRead;
  private long entriesWritten;

  /**
   * Creates the job.
   *
   * @param snapshots the sequence numbers of the snapshots that are open now
   * @param tables opens the inputs
   * @param context the parameters for writing the outputs
   * @param succession puts blocks of the outputs into the cache; null for none
   * @param filter drops and changes entries that no snapshot sees; null for none
   * @param cancelled returns true to abandon the compaction
   */
  public CompactionJob(
      Compaction compaction,
      long[] snapshots,
      Function<FileMetadata, InternalIterator> tables,
      OutputContext context,
      @Nullable WarmSuccession succession,
      @Nullable CompactionFilter filter,
      BooleanSupplier cancelled) {
    this.compaction = compaction;
    this.snapshots = snapshots.clone();
    this.tables = tables;
    this.context = context;
    this.succession = succession;
    this.filter = filter;
    this.cancelled = cancelled;
    this.comparator = context.comparator();
  }

  /** Runs the compaction; returns null, and leaves no output, if it was cancelled. */
  public @Nullable CompactionResult run() {
    long start = context.target().env().nowMicros();
    try (OutputWriter out = new OutputWriter(context, succession);
        OffHeapBuffer keyMemory = new OffHeapBuffer(context.budget(), KEY_BYTES);
        ForwardIterator input = openInputs()) {
      if (!merge(input, keyMemory, out)) {
        return null;
      }
      List<FileMetadata> outputs = out.finished();
      out.keep();
      JobStats stats =
          new JobStats(
              context.target().env().nowMicros() - start,
              compaction.inputBytes(),
              Version.totalSize(outputs),
              entriesRead,
              entriesWritten);
      return new CompactionResult(compaction.replacementEdit(outputs), outputs, stats, filtered);
    } catch (CorruptionException e) {
      damagedInputs = inputsNamed(e.file());
      throw e;
    }
  }

  private boolean merge(ForwardIterator input, OffHeapBuffer keyMemory, OutputWriter out) {
    BaseLevelCheck baseLevels =
        new BaseLevelCheck(compaction.version(), compaction.outputLevel() + 1);
    try (EntryFilter entryFilter = newFilter(baseLevels)) {
      boolean completed = merge(input, keyMemory, baseLevels, entryFilter, out);
      if (entryFilter != null) {
        filtered = entryFilter.result();
      }
      return completed;
    }
  }

  private @Nullable EntryFilter newFilter(BaseLevelCheck baseLevels) {
    return filter == null
        ? null
        : new EntryFilter(
            filter, compaction.outputLevel(), baseLevels, snapshots.length > 0, context.budget());
  }

  private boolean merge(
      ForwardIterator input,
      OffHeapBuffer keyMemory,
      BaseLevelCheck baseLevels,
      @Nullable EntryFilter entryFilter,
      OutputWriter out) {
    CompactionIterator entries =
        new CompactionIterator(
            input,
            snapshots,
            baseLevels,
            comparator.userComparator(),
            new KeyBuffer(keyMemory),
            "inputs of a compaction into level " + compaction.outputLevel(),
            cancelled);
    OutputSplitter splitter =
        new OutputSplitter(
            comparator.userComparator(), compaction.grandparents(), compaction.maxFileSize());
    while (entries.next()) {
      if (entryFilter != null && !entryFilter.keeps(input, entries.isNewest())) {
        continue;
      }
      if (entries.isNewUserKey()
          && splitter.splitsBefore(
              input.keyBuffer(),
              input.keyOffset(),
              input.keyLength() - InternalKey.TRAILER,
              out.openBytes())) {
        out.finishTable();
      }
      if (entryFilter == null) {
        out.add(input);
      } else {
        entryFilter.addTo(out, input);
      }
      entriesWritten++;
    }
    entriesRead = entries.entriesRead();
    if (entries.isCancelled()) {
      return false;
    }
    out.finishTable();
    return !cancelled.getAsBoolean();
  }

  /** Returns the input with that file name, or all inputs if the name is not that of a table. */
  private List<FileMetadata> inputsNamed(String file) {
    List<FileMetadata> all = compaction.allInputs();
    FileName name = FileNames.parse(Path.of(file).getFileName().toString());
    return name == null
        ? all
        : all.stream().filter(each -> each.number() == name.number()).toList();
  }

  /**
   * Returns the damaged inputs that made {@link #run} throw; empty if it threw for another reason.
   */
  public List<FileMetadata> damagedInputs() {
    return damagedInputs;
  }

  /** Opens one cursor for each table of level 0 and one for each other level, the newest first. */
  private ForwardIterator openInputs() {
    List<InternalIterator> inputs = new ArrayList<>();
    if (compaction.level() == 0) {
      for (FileMetadata file : compaction.inputs()) {
        inputs.add(run(List.of(file)));
      }
    } else {
      inputs.add(run(inOrder(compaction.inputs())));
    }
    if (!compaction.nextLevelInputs().isEmpty()) {
      inputs.add(run(inOrder(compaction.nextLevelInputs())));
    }
    return MergingIterator.of(comparator, inputs.toArray(new InternalIterator[0]));
  }

  private InternalIterator run(List<FileMetadata> files) {
    return new ConcatenatingIterator(
        files.size(),
        index -> tables.apply(files.get(index)),
        (key, offset, length) -> {
          throw new AssertionError("a compaction reads its inputs from the first entry on");
        });
  }

  private List<FileMetadata> inOrder(List<FileMetadata> files) {
    return files.stream()
        .sorted(Comparator.comparing(FileMetadata::smallest, comparator::compare))
        .toList();
  }
}
