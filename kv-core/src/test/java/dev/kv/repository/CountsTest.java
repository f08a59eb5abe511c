package dev.kv.repository;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import java.io.IOException;
import java.nio.file.Files;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/**
 * Compares counts.txt with the code. Small changes are allowed, so that not every change has to
 * write the file again; CONTRIBUTING.md has the command that does.
 */
class CountsTest {
  private static final String AGAIN = "counts.txt: write it again, as CONTRIBUTING.md says";

  /** The part by which a total may differ. */
  private static final double TOLERANCE = 0.02;

  /** The lines of a package may differ by so many, or by a fifth. */
  private static final int LINES = 100;

  @Test
  void packages_areThoseOfTheFile() throws IOException {
    Map<String, Counts.Size> now = Counts.packages();
    Map<String, List<String>> file = file();
    Map<String, Integer> noted = new TreeMap<>();
    for (String line : section(file, "lines of code")) {
      Matcher parts = Pattern.compile("(\\S+): \\d+ classes, (\\d+) lines").matcher(line);
      assertThat(parts.matches()).as(line).isTrue();
      noted.put(parts.group(1), Integer.valueOf(parts.group(2)));
    }
    assertThat(noted.keySet()).as(AGAIN).isEqualTo(now.keySet());
    noted.forEach(
        (name, lines) ->
            assertThat(now.get(name).lines())
                .as("%s: %s", name, AGAIN)
                .isCloseTo(lines, within(Math.max(LINES, lines / 5))));
    int total = now.values().stream().mapToInt(Counts.Size::lines).sum();
    assertThat((double) number(file, "lines of code"))
        .as(AGAIN)
        .isCloseTo(total, within(TOLERANCE * total));
  }

  @Test
  void publicMethods_areThoseOfTheFile() throws Exception {
    Map<String, Integer> now = Counts.methods();
    int total = now.values().stream().mapToInt(Integer::intValue).sum();
    assertThat((double) number(file(), "public methods"))
        .as(AGAIN)
        .isCloseTo(total, within(TOLERANCE * total));
    Set<String> missing = new TreeSet<>();
    for (String line : section(file(), "public methods")) {
      missing.add(line.substring(0, line.indexOf(':')));
    }
    missing.removeAll(now.keySet());
    assertThat(missing).as("types that are not in the API; %s", AGAIN).isEmpty();
  }

  @Test
  void classesOfEachPath_exist_andTheTablesNameSomeOfThem() throws IOException {
    Map<String, List<String>> file = file();
    for (String path : Counts.SECTIONS.keySet()) {
      List<String> classes = section(file, path);
      assertThat(classes).as("%s; %s", path, AGAIN).allMatch(Counts::exists);
      Matcher named =
          Pattern.compile(".*, (\\d+) of them named")
              .matcher(
                  file.keySet().stream()
                      .filter(each -> each.startsWith(path + ": "))
                      .findFirst()
                      .orElseThrow());
      assertThat(named.matches()).as(path).isTrue();
      assertThat(Counts.named(path, new TreeSet<>(classes)).size())
          .as("classes of the path %s in implementation-paths.md; %s", path, AGAIN)
          .isCloseTo(Integer.parseInt(named.group(1)), within(3));
    }
  }

  /** Returns the sections of the file: a line without indent, and the lines after it. */
  private static Map<String, List<String>> file() throws IOException {
    Map<String, List<String>> sections = new LinkedHashMap<>();
    List<String> current = new ArrayList<>();
    for (String line : Files.readAllLines(Counts.FILE)) {
      if (line.startsWith("  ")) {
        current.add(line.strip());
      } else {
        current = new ArrayList<>();
        sections.put(line, current);
      }
    }
    return sections;
  }

  private static List<String> section(Map<String, List<String>> file, String title) {
    return file.entrySet().stream()
        .filter(each -> each.getKey().startsWith(title + ": "))
        .map(Map.Entry::getValue)
        .findFirst()
        .orElseThrow(() -> new AssertionError(title + " is not in counts.txt; " + AGAIN));
  }

  private static int number(Map<String, List<String>> file, String title) {
    String line =
        file.keySet().stream()
            .filter(each -> each.startsWith(title + ": "))
            .findFirst()
            .orElseThrow();
    return Integer.parseInt(line.substring(title.length() + 2));
  }
}
