package dev.kv.tools.maintenance;

import dev.kv.DB;
import dev.kv.Options;
import dev.kv.admin.DBStats;
import dev.kv.tools.console.Cancellation;
import dev.kv.tools.console.Failure;
import dev.kv.tools.console.Meter;
import dev.kv.tools.console.Progress;
import dev.kv.tools.database.ChangeFeedArguments;
import dev.kv.tools.database.DatabaseArguments;
import dev.kv.tools.database.KeyRangeArguments;
import dev.kv.tools.stats.StatsText;
import dev.kv.tools.text.Json;
import java.io.IOException;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Compacts a range of keys, all keys, or what was deleted some time ago. */
@Command(
    name = "compact",
    description =
        "Merge all data of the database, or of a range of its keys, down to the last level, so that"
            + " deleted and overwritten data is removed. Whole tables are merged, also if they"
            + " reach beyond the range. New tables have the compression and the filter of the"
            + " largest table. A table of kv that has these, has nothing to drop,"
            + " overlaps no other one and is not small stays as it is.",
    mixinStandardHelpOptions = true)
public final class CompactCommand implements Callable<Integer> {
  @Mixin private DatabaseArguments database;
  @Mixin private ChangeFeedArguments feed;
  @Mixin private KeyRangeArguments range;

  @Option(
      names = "--deletes-older-than",
      paramLabel = "TIME",
      description =
          "Merge only tables with deletes that were written at least so long ago, such as 0, 90m,"
              + " 12h or 30d, so that what these deleted leaves the disk. Not with a range.")
  private @Nullable Duration age;

  @Option(names = "--json", description = "Print one JSON object.")
  private boolean json;

  @Override
  public Integer call() throws IOException {
    range.require(database);
    Duration minimum = age;
    if (minimum != null && !range.isAll()) {
      throw database.wrongUsage("give a range or --deletes-older-than, not both");
    }
    byte @Nullable [] from = range.from();
    Meter meter = new Meter();
    database.requireTarget(false, feed);
    Options.Builder options = TableForm.of(database.directory()).applyTo(database.options());
    try (DB db = database.openForWriting(false, feed, options.env(meter))) {
      if (minimum == null) {
        compact(db, meter, from, range.to());
      } else {
        run(db, meter, Progress.UNKNOWN, () -> db.admin().compactDeletes(minimum));
      }
      DBStats stats = db.admin().stats();
      if (json) {
        System.out.println(Json.of(Map.of("levels", StatsText.levelMembers(stats))));
      } else {
        StatsText.levels(stats).forEach(System.out::println);
      }
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
    run(db, meter, bytes, () -> db.admin().compactRange(from, to));
  }

  private static void run(DB db, Meter meter, long bytes, Runnable compaction) {
    try (Progress progress = Progress.of("compact", Progress.Unit.BYTES, bytes, meter::bytesRead)) {
      progress.begin();
      Cancellation.run(compaction, db::close);
    }
  }

  /**
   * Returns the approximate number of bytes that a compaction of everything reads: each level is
   * merged into the next.
   */
  private static long bytesToRead(DB db) {
    long read = 0;
    long merged = 0;
    for (DBStats.Level level : db.admin().stats().levels()) {
      boolean isMerge = merged > 0;
      merged += level.bytes();
      read += isMerge && level.bytes() > 0 ? merged : 0;
    }
    return Math.max(read, merged);
  }
}
