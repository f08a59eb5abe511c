package dev.kv.tools;

import dev.kv.DB;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Compacts a range of keys, or all. */
@Command(
    name = "compact",
    description = "Compact the database, or a range of its keys.",
    mixinStandardHelpOptions = true)
final class CompactCommand implements Callable<Integer> {
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
      description = "The last key, inclusive.",
      converter = ByteText.Converter.class)
  private @Nullable ByteText to;

  @Override
  public Integer call() {
    try (DB db = database.openForWriting(false)) {
      compact(db);
      StatsText.levels(db.stats()).forEach(System.out::println);
    }
    return 0;
  }

  private void compact(DB db) {
    try (Progress progress = Progress.counting("compact")) {
      progress.step();
      db.compactRange(from == null ? null : from.bytes(), to == null ? null : to.bytes());
    }
  }
}
