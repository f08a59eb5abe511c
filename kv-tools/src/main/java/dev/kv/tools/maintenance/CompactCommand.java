package dev.kv.tools.maintenance;

import dev.kv.DB;
import dev.kv.DBStats;
import dev.kv.tools.console.Cancellation;
import dev.kv.tools.console.Failure;
import dev.kv.tools.console.Meter;
import dev.kv.tools.console.Progress;
import dev.kv.tools.database.DatabaseArguments;
import dev.kv.tools.database.KeyBounds;
import dev.kv.tools.stats.StatsText;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

/** Compacts a range of keys, or all keys. */
@Command(
    name = "compact",
    description =
        "Merge all data of the database, or of a range of its keys, down to the last level, so that"
            + " deleted and overwritten data is removed. Whole tables are merged, also if they"
            + " reach beyond the range.",
    mixinStandardHelpOptions = true)
public final class CompactCommand implements Callable<Integer> {
  @Mixin private DatabaseArguments database;
  @Mixin private KeyBounds bounds;

  @Override
  public Integer call() {
    bounds.requireAscending(database);
    Meter meter = new Meter();
    try (DB db = database.openForWriting(false, meter)) {
      compact(db, meter, bounds.from(), bounds.to());
      StatsText.levels(db.stats()).forEach(System.out::println);
    }
    return 0;
  }

  /**
   * Compacts a range, and shows the progress.
   *
   * @throws Failure if the command is cancelled; the database is then closed
   */
  static void compact(DB db, Meter meter, byte @Nullable [] from, byte @Nullable [] to) {
    long bytes = from == null && to == null ? bytesToRead(db) : Progress.UNKNOWN;
    try (Progress progress = Progress.of("compact", Progress.Unit.BYTES, bytes, meter::bytesRead)) {
      progress.begin();
      Cancellation.run(() -> db.compactRange(from, to), db::close);
    }
  }

  /**
   * Returns the approximate number of bytes that a compaction of everything reads: each level is
   * merged into the next.
   */
  private static long bytesToRead(DB db) {
    long read = 0;
    long merged = 0;
    for (DBStats.Level level : db.stats().levels()) {
      boolean isMerge = merged > 0;
      merged += level.bytes();
      read += isMerge && level.bytes() > 0 ? merged : 0;
    }
    return Math.max(read, merged);
  }
}
