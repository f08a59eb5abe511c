package dev.kv.tools.stats;

import dev.kv.DB;
import dev.kv.tools.console.Output;
import dev.kv.tools.database.DatabaseArguments;
import dev.kv.tools.database.KeyBounds;
import dev.kv.tools.text.Json;
import java.util.Map;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Prints the approximate size of a range of keys. */
@Command(
    name = "approximate-size",
    description =
        "Print the approximate number of bytes that a range of keys takes in tables, compressed."
            + " Entries that are only in the log do not count.",
    mixinStandardHelpOptions = true)
public final class ApproximateSizeCommand implements Callable<Integer> {
  @Mixin private DatabaseArguments database;
  @Mixin private KeyBounds bounds;

  @Option(names = "--json", description = "Print one JSON object.")
  private boolean json;

  @Override
  public Integer call() {
    bounds.requireAscending(database);
    long bytes;
    try (DB db = database.openForLookups()) {
      bytes = bounds.approximateSize(db);
    }
    try (Output out = new Output()) {
      out.line(json ? Json.of(Map.of("bytes", bytes)) : Long.toString(bytes));
    }
    return 0;
  }
}
