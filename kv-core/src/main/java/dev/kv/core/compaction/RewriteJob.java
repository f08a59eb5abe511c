package dev.kv.core.compaction;

import dev.kv.core.iterator.InternalIterator;
import dev.kv.core.key.InternalKey;
import dev.kv.core.version.FileMetadata;
import java.util.Arrays;
import java.util.List;

/**
 * Writes the entries of a cursor, every version of them, as tables that do not overlap: what a
 * repair found. Entries with equal internal keys are one. Runs once, in one thread, without any
 * lock. After an exception its outputs are deleted, as far as that works.
 */
public final class RewriteJob {
  private final InternalIterator entries;
  private final OutputContext context;
  private final long maxFileSize;
  private byte[] last = {};

  /**
   * What was written.
   *
   * @param tables the tables, in the order of their keys
   * @param entries how many entries they hold
   * @param lastSequence the largest sequence number among them
   */
  public record Result(List<FileMetadata> tables, long entries, long lastSequence) {}

  /** Creates the job; the cursor is borrowed. */
  public RewriteJob(InternalIterator entries, OutputContext context, long maxFileSize) {
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
        byte[] key =
            InternalKey.copy(entries.keyBuffer(), entries.keyOffset(), entries.keyLength());
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
