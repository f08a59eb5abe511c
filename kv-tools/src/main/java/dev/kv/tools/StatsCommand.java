package dev.kv.tools;

import dev.kv.DB;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

/** Prints a database's figures. */
@Command(
    name = "stats",
    description = "Print the levels, the memory and the log's state.",
    mixinStandardHelpOptions = true)
final class StatsCommand implements Callable<Integer> {
  @Mixin private DatabaseArguments database;

  @Override
  public Integer call() {
    try (DB db = database.openReadOnly()) {
      StatsText.of(db.stats()).forEach(System.out::println);
    }
    return 0;
  }
}
