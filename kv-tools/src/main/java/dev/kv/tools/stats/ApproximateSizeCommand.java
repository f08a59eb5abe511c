package dev.kv.tools.stats;

import dev.kv.ReadOnlyDB;
import dev.kv.tools.console.Output;
import dev.kv.tools.database.DatabaseArguments;
import dev.kv.tools.database.KeyBounds;
import dev.kv.tools.database.KeyRangeArguments;
import dev.kv.tools.text.Json;
import java.util.Map;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
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
  @Mixin private KeyRangeArguments range;

  @Option(names = "--json", description = "Print one JSON object.")
  private boolean json;

  @Override
  public Integer call() {
    range.require(database);
    byte @Nullable [] from = range.from();
    long bytes;
    try (ReadOnlyDB db = database.openForLookups()) {
      bytes = KeyBounds.approximateSize(db, from, range.to());
    }
    try (Output out = new Output()) {
      out.line(json ? Json.of(Map.of("bytes", bytes)) : Long.toString(bytes));
    }
    return 0;
  }
}
