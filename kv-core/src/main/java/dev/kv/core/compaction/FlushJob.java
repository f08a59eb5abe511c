package dev.kv.core.compaction;

import dev.kv.core.iterator.ForwardIterator;
import dev.kv.core.key.InternalKey;
import dev.kv.core.table.format.KeyOrderException;
import dev.kv.core.version.FileMetadata;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Writes all entries of a cursor to one table: those of a memtable, or of small tables too. Runs
 * once, on one thread, without a lock. If it fails, it deletes its output if possible.
 */
public final class FlushJob {
  private final ForwardIterator entries;
  private final OutputContext context;

  /** Creates the job; the cursor is borrowed. */
  public FlushJob(ForwardIterator entries, OutputContext context) {
    this.entries = entries;
    this.context = context;
  }

  /** Runs the flush. */
  public FlushResult run() {
    long start = context.target().env().nowMicros();
    long count = 0;
    long lastSequence = 0;
    try (OutputWriter out = new OutputWriter(context)) {
      for (entries.seekToFirst(); entries.isValid(); entries.next()) {
        add(out);
        long tag = InternalKey.tag(entries.keyBuffer(), entries.keyOffset(), entries.keyLength());
        lastSequence = Math.max(lastSequence, InternalKey.sequence(tag));
        count++;
      }
      out.finishTable();
      out.keep();
      List<FileMetadata> tables = out.finished();
      @Nullable FileMetadata table = tables.isEmpty() ? null : tables.get(0);
      long written = table == null ? 0 : table.size();
      return new FlushResult(
          table,
          lastSequence,
          new JobStats(context.target().env().nowMicros() - start, 0, written, count, count));
    }
  }

  /** Adds the current entry. Keys of tables may be damaged. */
  private void add(OutputWriter out) {
    if (!InternalKey.isWellFormed(entries.keyBuffer(), entries.keyOffset(), entries.keyLength())) {
      throw entries.damagedKey("no internal key", "memtable");
    }
    try {
      out.add(entries);
    } catch (KeyOrderException e) {
      throw entries.damagedKey("out of order", "memtable");
    }
  }
}
