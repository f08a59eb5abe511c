package dev.kv.repository;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.MatchResult;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** Checks the table of conformance.md: its numbers, and the tests and text files that it names. */
class ConformanceTest {
  private static final Path PAGE = Path.of("..", "src-docs", "conformance.md");
  private static final Path TESTS = Path.of("src", "test", "java");
  private static final Path CASES = Path.of("src", "test", "resources", "testdata");

  private static final Pattern ROW =
      Pattern.compile("^\\| (\\d+) \\| (.*) \\| (.*) \\|$", Pattern.MULTILINE);
  private static final Pattern TEST = Pattern.compile("`(\\w+)#(\\w+)`");
  private static final Pattern CASE_FILE = Pattern.compile("\\[`(.+)`]");

  @Test
  void rows_ofThePage_areNumberedWithoutGaps() throws IOException {
    List<Integer> numbers = rows().map(row -> Integer.valueOf(row.group(1))).toList();
    assertThat(numbers).isEqualTo(IntStream.rangeClosed(1, numbers.size()).boxed().toList());
    assertThat(numbers).isNotEmpty();
  }

  @Test
  void row_ofThePage_namesExistingTestsOrIsWaived() throws IOException {
    Map<String, String> sources = testSources();
    List<String> wrong = new ArrayList<>();
    rows()
        .forEach(
            row -> {
              Matcher test = TEST.matcher(row.group(3));
              boolean named = false;
              while (test.find()) {
                named = true;
                String source = sources.getOrDefault(test.group(1), "");
                if (!source.contains("void " + test.group(2) + "(")
                    && !source.contains("> " + test.group(2) + "(")) {
                  wrong.add(row.group(1) + ": there is no " + test.group());
                }
              }
              if (!named && !row.group(3).startsWith("waived: ")) {
                wrong.add(row.group(1) + ": neither a test nor a waiver");
              }
            });
    assertThat(wrong).isEmpty();
  }

  @Test
  void row_ofThePage_namesExistingCaseFiles() throws IOException {
    List<String> files;
    try (Stream<Path> found = Files.walk(CASES)) {
      files = found.map(file -> file.getFileName().toString()).toList();
    }
    List<String> named =
        rows()
            .flatMap(row -> CASE_FILE.matcher(row.group(2)).results())
            .map(name -> name.group(1))
            .toList();
    assertThat(named).isNotEmpty();
    assertThat(files).containsAll(named);
  }

  private static Stream<MatchResult> rows() throws IOException {
    return ROW.matcher(Files.readString(PAGE)).results();
  }

  /** Returns the source of each test class by its simple name. */
  private static Map<String, String> testSources() throws IOException {
    List<Path> files;
    try (Stream<Path> found = Files.walk(TESTS)) {
      files =
          found
              .filter(file -> file.toString().endsWith(".java"))
              .filter(file -> !file.endsWith("package-info.java"))
              .toList();
    }
    Map<String, String> sources = new HashMap<>();
    for (Path file : files) {
      String name = file.getFileName().toString().replace(".java", "");
      assertThat(sources.put(name, Files.readString(file))).as("two classes " + name).isNull();
    }
    return sources;
  }
}
