package dev.kv.tools.stats;

import dev.kv.core.inspect.DatabaseFile;
import dev.kv.core.inspect.ManifestEdit;
import dev.kv.core.inspect.StoredKey;
import dev.kv.errors.CorruptionException;
import dev.kv.tools.console.Output;
import dev.kv.tools.database.DatabaseArguments;
import dev.kv.tools.text.Json;
import dev.kv.tools.verify.Tree;
import java.io.IOException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** Draws the tables of each level on the range of keys. */
@Command(
    name = "levels",
    description =
        "Draw the tables of each level, from the first key of a table to the last. [--] is a table,"
            + " | a table too small to draw, # several of those. Tables of level 0 overlap, so each"
            + " has its own line.",
    mixinStandardHelpOptions = true)
public final class LevelsCommand implements Callable<Integer> {
  private static final int SMALLEST_WIDTH = 10;
  private static final int LARGEST_WIDTH = 10_000;

  @Spec private CommandSpec spec;
  @Mixin private DatabaseArguments database;

  @Option(
      names = "--width",
      paramLabel = "N",
      description = "The columns of the key range; default ${DEFAULT-VALUE}.")
  private int width = 60;

  @Option(names = "--json", description = "Print the tables as one JSON object.")
  private boolean json;

  @Override
  public Integer call() throws IOException {
    if (width < SMALLEST_WIDTH || width > LARGEST_WIDTH) {
      throw new ParameterException(
          spec.commandLine(), "--width must be from " + SMALLEST_WIDTH + " to " + LARGEST_WIDTH);
    }
    database.requireDatabase();
    database.noteWriter();
    StoredKey.Order order = new StoredKey.Order(database.requireComparator());
    Tree tree = Tree.readWhole(database.directory());
    requireEnds(tree, order);
    try (Output out = new Output()) {
      if (json) {
        out.line(Json.of(Map.of("levels", members(tree, order))));
      } else {
        new LevelPicture(tree, order, width).lines().forEach(out::line);
      }
    }
    return 0;
  }

  /** Checks that each table ends after it begins, as an open does; another order turns it round. */
  private void requireEnds(Tree tree, StoredKey.Order order) {
    for (int level = 0; level < DatabaseFile.LEVELS; level++) {
      for (ManifestEdit.NewTable table : tree.tables(level, order)) {
        if (order.compare(table.smallest(), table.largest()) > 0) {
          throw new CorruptionException(
              "table " + table.number() + " ends before it begins",
              database.directory().resolve(tree.manifest()).toString(),
              CorruptionException.NO_OFFSET);
        }
      }
    }
  }

  private static List<Object> members(Tree tree, StoredKey.Order order) {
    List<Object> levels = new ArrayList<>();
    for (int level = 0; level < DatabaseFile.LEVELS; level++) {
      List<Object> tables = new ArrayList<>();
      for (ManifestEdit.NewTable table : tree.tables(level, order)) {
        Map<String, Object> members = new LinkedHashMap<>();
        members.put("number", table.number());
        members.put("bytes", table.size());
        members.put("smallest", table.smallestUserKey());
        members.put("largest", table.largestUserKey());
        tables.add(members);
      }
      levels.add(tables);
    }
    return levels;
  }
}
