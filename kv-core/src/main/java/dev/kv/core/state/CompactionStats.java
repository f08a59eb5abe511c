package dev.kv.core.state;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import dev.kv.admin.DBStats;
import dev.kv.core.compaction.FilterResult;
import dev.kv.core.compaction.JobStats;
import dev.kv.core.version.Levels;
import dev.kv.core.version.Version;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/**
 * The time and bytes that flushes and compactions have taken since the open, for each level that
 * they wrote to. Thread-safe.
 */
public final class CompactionStats {
  private static final double MIB = 1048576.0;

  @GuardedBy("this")
  private final long[] micros = new long[Levels.COUNT];

  @GuardedBy("this")
  private final long[] bytesRead = new long[Levels.COUNT];

  @GuardedBy("this")
  private final long[] bytesWritten = new long[Levels.COUNT];

  @GuardedBy("this")
  private long droppedByFilter;

  @GuardedBy("this")
  private long replacedByFilter;

  @GuardedBy("this")
  private long filterFailures;

  /** Creates the statistics, all zero. */
  public CompactionStats() {}

  /** Adds a job that wrote to {@code level}. */
  public synchronized void add(int level, JobStats job) {
    micros[level] += job.micros();
    bytesRead[level] += job.bytesRead();
    bytesWritten[level] += job.bytesWritten();
  }

  /** Adds what the program's filter has done in a compaction. */
  public synchronized void add(FilterResult filtered) {
    droppedByFilter += filtered.dropped();
    replacedByFilter += filtered.replaced();
    filterFailures += filtered.failure() == null ? 0 : 1;
  }

  /** Returns what the program's filter has done. */
  public synchronized DBStats.Filtered filtered() {
    return new DBStats.Filtered(droppedByFilter, replacedByFilter, filterFailures);
  }

  /** Returns the levels of {@code version} with the time and bytes spent on each. */
  public synchronized List<DBStats.Level> levels(Version version) {
    List<DBStats.Level> levels = new ArrayList<>();
    for (int level = 0; level < Levels.COUNT; level++) {
      levels.add(
          new DBStats.Level(
              version.fileCount(level),
              version.bytes(level),
              micros[level],
              bytesRead[level],
              bytesWritten[level]));
    }
    return levels;
  }

  /** Returns the text of the property {@code leveldb.stats}, as LevelDB prints it. */
  public synchronized String describe(Version version) {
    StringBuilder text = new StringBuilder();
    text.append("                               Compactions\n");
    text.append("Level  Files Size(MB) Time(sec) Read(MB) Write(MB)\n");
    text.append("--------------------------------------------------\n");
    for (int level = 0; level < Levels.COUNT; level++) {
      int files = version.fileCount(level);
      if (files > 0 || micros[level] > 0) {
        text.append(
            String.format(
                Locale.ROOT,
                "%3d %8d %8.0f %9.0f %8.0f %9.0f\n",
                level,
                files,
                version.bytes(level) / MIB,
                micros[level] / 1e6,
                bytesRead[level] / MIB,
                bytesWritten[level] / MIB));
      }
    }
    return text.toString();
  }
}
