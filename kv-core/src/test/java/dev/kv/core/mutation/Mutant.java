package dev.kv.core.mutation;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;

/**
 * A change to one source file that removes a safeguard, and the tests that must then fail. The list
 * of mutants is a resource:
 *
 * <pre>
 * mutant := "== " name, field*, "--- take", lines that occur once in the file, "--- give", lines
 *           that replace them
 * field  := "kind: " of the safeguard | "file: " below {@link #SOURCES}, or "kv-api/" and a file
 *           below {@link #API} | "killed by: " tests | "quick: true"
 * tests  := class or class#method below {@code dev.kv.core}, separated by spaces
 * </pre>
 *
 * @param quick true if every build runs it
 */
record Mutant(
    String name,
    String kind,
    String file,
    List<String> killers,
    boolean quick,
    String take,
    String give) {
  static final Path SOURCES = Path.of("src", "main", "java", "dev", "kv", "core");
  static final Path API = Path.of("..", "kv-api", "src", "main", "java", "dev", "kv");
  private static final Path LIST = Path.of("src", "test", "resources", "mutants.txt");

  @Override
  public String toString() {
    return name;
  }

  static List<Mutant> all() {
    try {
      List<Mutant> mutants = new ArrayList<>();
      for (String text : ("\n" + Files.readString(LIST)).split("\n== ")) {
        if (!text.isBlank()) {
          mutants.add(parse(text));
        }
      }
      return mutants;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static Mutant parse(String text) {
    int take = text.indexOf("--- take\n");
    int give = text.indexOf("\n--- give", take);
    String[] head = text.substring(0, take).split("\n");
    Map<String, String> fields = new HashMap<>();
    for (int i = 1; i < head.length; i++) {
      String[] field = head[i].split(": ", 2);
      fields.put(field[0], field[1]);
    }
    String given = text.substring(give + "\n--- give".length()).strip();
    return new Mutant(
        head[0],
        field(fields, "kind"),
        field(fields, "file"),
        List.of(field(fields, "killed by").split(" ")),
        fields.containsKey("quick"),
        text.substring(take + "--- take\n".length(), give),
        given);
  }

  private static String field(Map<String, String> fields, String name) {
    return Objects.requireNonNull(fields.get(name), name);
  }

  private Path source() {
    return file.startsWith("kv-api/")
        ? API.resolve(file.substring("kv-api/".length()))
        : SOURCES.resolve(file);
  }

  /** Returns the file with the change. Throws unless the removed lines occur exactly once. */
  String mutatedSource() throws IOException {
    String source = Files.readString(source());
    int at = source.indexOf(take);
    if (at < 0 || source.indexOf(take, at + 1) >= 0) {
      throw new AssertionError(
          name + ": the lines that it removes must occur exactly once in " + file);
    }
    return source.substring(0, at) + give + source.substring(at + take.length());
  }

  /** Returns the row of this mutant in the table of mutants. */
  String row() {
    StringBuilder tests = new StringBuilder();
    for (String killer : killers) {
      tests.append(tests.isEmpty() ? "" : ", ").append('`');
      tests.append(killer.substring(killer.indexOf('.') + 1)).append('`');
    }
    return "| " + kind + " | `" + name + "` | `" + file + "` | " + tests + " |";
  }
}
