package dev.kv.tools.stats;

import dev.kv.ReadOnlyDB;
import dev.kv.core.inspect.DatabaseFile;
import dev.kv.tools.console.Failure;
import dev.kv.tools.console.Output;
import dev.kv.tools.database.DatabaseArguments;
import dev.kv.tools.text.Json;
import dev.kv.tools.text.Printable;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.stream.IntStream;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Prints the properties of a database. */
@Command(
    name = "properties",
    description =
        "Print LevelDB's properties, in LevelDB's text, and those of kv. Without names, it leaves"
            + " out leveldb.approximate-memory-usage and kv.stats, which count what this command"
            + " does.",
    mixinStandardHelpOptions = true)
public final class PropertiesCommand implements Callable<Integer> {
  /** The property that only a database with tables of kv has. */
  static final String ESTIMATE = "kv.estimate-num-keys";

  @Mixin private DatabaseArguments database;

  @Parameters(
      index = "1..*",
      paramLabel = "NAME",
      description = "The names, such as leveldb.stats; default those of the files.")
  private List<String> names = new ArrayList<>();

  @Option(names = "--json", description = "Print one JSON object.")
  private boolean json;

  @Override
  public Integer call() {
    Map<String, Object> values = new LinkedHashMap<>();
    try (ReadOnlyDB db = database.openForLookups()) {
      for (String name : names.isEmpty() ? ofTheFiles() : names) {
        String value = db.admin().property(name);
        if (value != null) {
          values.put(name, value);
        } else if (!names.isEmpty()) {
          throw new Failure(
              name.equals(ESTIMATE)
                  ? "too many tables have no counts: C++ LevelDB wrote them"
                  : "no such property: " + name);
        }
      }
    }
    try (Output out = new Output()) {
      if (json) {
        out.line(Json.of(values));
      } else {
        values.forEach((name, value) -> print(out, name, value.toString()));
      }
    }
    return 0;
  }

  private void print(Output out, String name, String value) {
    if (names.size() != 1) {
      out.line(name + (value.contains("\n") ? ":" : ": " + Printable.of(value)));
      if (!value.contains("\n")) {
        return;
      }
    }
    value.lines().forEach(line -> out.line(Printable.of(line)));
  }

  private static List<String> ofTheFiles() {
    List<String> all = new ArrayList<>();
    IntStream.range(0, DatabaseFile.LEVELS)
        .forEach(level -> all.add("leveldb.num-files-at-level" + level));
    all.addAll(List.of(ESTIMATE, "leveldb.stats", "leveldb.sstables"));
    return all;
  }
}
