package dev.kv.tools;

import dev.kv.DB;
import dev.kv.DBStats;
import dev.kv.Range;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Tells about how many bytes of tables a range of keys takes. */
@Command(
    name = "approximate-size",
    description = {
      "Print about how many bytes of tables a range of keys takes, compressed as they are; what is",
      "only in the log does not count."
    },
    mixinStandardHelpOptions = true)
final class ApproximateSizeCommand implements Callable<Integer> {
  @Mixin private DatabaseArguments database;

  @Option(
      names = "--from",
      paramLabel = "KEY",
      description = "The first key, inclusive.",
      converter = ByteText.Converter.class)
  private @Nullable ByteText from;

  @Option(
      names = "--to",
      paramLabel = "KEY",
      description = "The last key, exclusive.",
      converter = ByteText.Converter.class)
  private @Nullable ByteText to;

  @Option(names = "--json", description = "Print one JSON object.")
  private boolean json;

  @Override
  public Integer call() {
    long bytes;
    try (DB db = database.openForLookups()) {
      bytes = Math.max(0, end(db) - offset(db, from));
    }
    try (Output out = new Output()) {
      out.line(json ? Json.of(Map.of("bytes", bytes)) : Long.toString(bytes));
    }
    return 0;
  }

  private long end(DB db) {
    return to == null
        ? db.stats().levels().stream().mapToLong(DBStats.Level::bytes).sum()
        : offset(db, to);
  }

  /** Returns about how many bytes lie before a key, all of them before no key. */
  private static long offset(DB db, @Nullable ByteText key) {
    if (key == null) {
      return 0;
    }
    try (var entries = db.iterator()) {
      entries.seekToFirst();
      return entries.isValid()
          ? db.approximateSizes(List.of(new Range(entries.key(), key.bytes())))[0]
          : 0;
    }
  }
}
