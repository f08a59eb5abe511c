package dev.kv.tools.entries;

import dev.kv.DBIterator;
import dev.kv.ReadOnlyDB;
import dev.kv.tools.console.Cancellation;
import dev.kv.tools.console.Meter;
import dev.kv.tools.console.Output;
import dev.kv.tools.console.Progress;
import dev.kv.tools.database.DatabaseArguments;
import dev.kv.tools.database.KeyRangeArguments;
import dev.kv.tools.text.Json;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Counts keys. */
@Command(
    name = "count",
    description = "Print the number of keys in the database or in a range.",
    mixinStandardHelpOptions = true)
public final class CountCommand implements Callable<Integer> {
  @Mixin private DatabaseArguments database;
  @Mixin private KeyRangeArguments range;

  @Option(
      names = "--json",
      description = "Print one JSON object, with the size of keys and values too.")
  private boolean json;

  @Override
  public Integer call() {
    Meter meter = new Meter();
    long count = 0;
    long keyBytes = 0;
    long valueBytes = 0;
    try (ReadOnlyDB db = database.openReadOnly(meter);
        DBIterator entries = db.iterator(range.readOptions(database));
        Progress progress =
            Progress.of(
                "count", Progress.Unit.BYTES, () -> range.approximateSize(db), meter::bytesRead)) {
      progress.begin();
      for (entries.seekToFirst(); entries.isValid(); entries.next()) {
        Cancellation.check();
        count++;
        keyBytes += entries.keySlice().length();
        valueBytes += entries.valueSlice().length();
      }
    }
    try (Output out = new Output()) {
      if (json) {
        Map<String, Object> members = new LinkedHashMap<>();
        members.put("count", count);
        members.put("keyBytes", keyBytes);
        members.put("valueBytes", valueBytes);
        out.line(Json.of(members));
      } else {
        out.line(Long.toString(count));
      }
    }
    return 0;
  }
}
