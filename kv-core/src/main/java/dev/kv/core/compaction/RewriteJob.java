package dev.kv.core.compaction;

import dev.kv.core.iterator.ForwardIterator;
import dev.kv.core.key.InternalKey;
import dev.kv.core.version.FileMetadata;
import java.util.Arrays;
import java.util.List;

/**
 * Writes all entries that a repair has found, older versions included, to tables that do not
 * overlap. Entries with equal internal keys are written once. Runs once, on one thread, without a
 * lock. If it fails, it deletes its outputs if possible.
 */
public final class RewriteJob {
  private final ForwardIterator entries;
  private final OutputContext context;
  private final long maxFileSize;
  private byte[] last = {};

  /**
   * The result of the job.
   *
   * @param tables the tables, in the order of their keys
   * @param entries the number of entries in them
   * @param lastSequence the largest sequence number among them
   */
  public record Result(List<FileMetadata> tables, long entries, long lastSequence) {}

  /** Creates the job; the cursor is borrowed. */
  public RewriteJob(ForwardIterator entries, OutputContext context, long maxFileSize) {
    this.entries = entries;
    this.context = context;
    this.maxFileSize = maxFileSize;
  }

  /** Runs the job. */
  public Result run() {
    long count = 0;
    long lastSequence = 0;
    try (OutputWriter out = new OutputWriter(context)) {
      for (entries.seekToFirst(); entries.isValid(); entries.next()) {
        byte[] key = entries.copyKey();
        if (Arrays.equals(key, last)) {
          continue;
        }
        if (out.openBytes() >= maxFileSize && !isSameUserKey(key, last)) {
          out.finishTable();
        }
        out.add(entries);
        lastSequence = Math.max(lastSequence, InternalKey.sequence(InternalKey.tag(key)));
        last = key;
        count++;
      }
      out.finishTable();
      out.keep();
      return new Result(out.finished(), count, lastSequence);
    }
  }

  private boolean isSameUserKey(byte[] a, byte[] b) {
    return context
            .comparator()
            .userComparator()
            .compare(InternalKey.userKey(a), InternalKey.userKey(b))
        == 0;
  }
}
