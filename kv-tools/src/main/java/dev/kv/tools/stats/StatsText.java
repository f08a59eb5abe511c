package dev.kv.tools.stats;

import dev.kv.admin.DBStats;
import dev.kv.tools.text.Printable;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/**
 * The statistics of a database as lines of text. What is in memory is left out: it would be that of
 * the command itself.
 */
public final class StatsText {
  private static final double MIB = 1 << 20;

  private StatsText() {}

  static List<String> of(DBStats stats) {
    List<String> lines = new ArrayList<>(levels(stats));
    lines.add("");
    lines.add(format("last sequence   %d", stats.writes().lastSequence()));
    lines.add(
        format(
            "amplification   %.2f in space: %d bytes in tables",
            stats.spaceAmplification(), stats.tableBytes()));
    DBStats.Recovery recovery = stats.recovery();
    lines.add(format("logs replayed   %d, with %d batches", recovery.logs(), recovery.records()));
    if (recovery.droppedBytes() > 0) {
      lines.add(
          format(
              "log bytes lost  %d: %s", recovery.droppedBytes(), Printable.of(recovery.reason())));
    }
    return lines;
  }

  /** Returns a line for each level, down to the last one with tables. */
  public static List<String> levels(DBStats stats) {
    List<String> lines = new ArrayList<>();
    lines.add("level  files        MiB");
    int last = 0;
    for (int level = 0; level < stats.levels().size(); level++) {
      last = stats.levels().get(level).files() > 0 ? level : last;
    }
    for (int level = 0; level <= last; level++) {
      DBStats.Level row = stats.levels().get(level);
      lines.add(format("%5d  %5d  %9.1f", level, row.files(), row.bytes() / MIB));
    }
    return lines;
  }

  /** Returns an element of a JSON list for each level. */
  public static List<Object> levelMembers(DBStats stats) {
    List<Object> levels = new ArrayList<>();
    for (DBStats.Level level : stats.levels()) {
      levels.add(levelMembers(level.files(), level.bytes()));
    }
    return levels;
  }

  /** Returns the members of one level, in an order that is the same in every run. */
  static Map<String, Object> levelMembers(int files, long bytes) {
    Map<String, Object> members = new LinkedHashMap<>();
    members.put("files", files);
    members.put("bytes", bytes);
    return members;
  }

  /** Returns the statistics as the members of a JSON object. */
  static Map<String, Object> members(DBStats stats) {
    Map<String, Object> members = new LinkedHashMap<>();
    members.put("levels", levelMembers(stats));
    members.put("lastSequence", stats.writes().lastSequence());
    members.put("tableBytes", stats.tableBytes());
    members.put("spaceAmplification", stats.spaceAmplification());
    members.put("logsReplayed", stats.recovery().logs());
    members.put("batchesReplayed", stats.recovery().records());
    members.put("logBytesLost", stats.recovery().droppedBytes());
    return members;
  }

  private static String format(String pattern, Object... arguments) {
    return String.format(Locale.ROOT, pattern, arguments);
  }
}
