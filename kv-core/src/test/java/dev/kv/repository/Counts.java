package dev.kv.repository;

import static java.util.stream.Collectors.joining;

import java.io.IOException;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** What counts.txt counts, except for the paths: those take a debugger, see {@link CountsIT}. */
final class Counts {
  /** The command that writes the file again stands in the guide for contributors. */
  static final Path FILE = Path.of("..", "src-docs", "counts.txt");

  /** For each path the heading of its section in implementation-paths.md. */
  static final Map<String, String> SECTIONS =
      Map.of(
          "cached get", "A get",
          "compaction", "A compaction",
          "flush", "A flush",
          "iterator step", "A step of an iterator",
          "open", "An open",
          "put", "A put");

  private static final Path SOURCES = Path.of("src", "main", "java");
  private static final Path API = Path.of("..", "kv-api", "src", "main", "java");
  private static final Path PATHS = Path.of("..", "src-docs", "implementation-paths.md");

  private Counts() {}

  /** The classes and the lines of code of a package. */
  record Size(int classes, int lines) {
    private Size plus(Size other) {
      return new Size(classes + other.classes, lines + other.lines);
    }
  }

  /** Returns the size of each package of kv-core; lines without comments and empty lines. */
  static Map<String, Size> packages() throws IOException {
    Map<String, Size> packages = new TreeMap<>();
    for (Path file : javaFiles(SOURCES)) {
      String name = SOURCES.relativize(file.resolveSibling("")).toString().replace('/', '.');
      int lines =
          (int)
              Files.readAllLines(file).stream()
                  .filter(line -> !line.matches("\\s*|\\s*(//|/?\\*).*"))
                  .count();
      int classes = file.endsWith("package-info.java") ? 0 : 1;
      packages.merge(name.isEmpty() ? "module-info" : name, new Size(classes, lines), Size::plus);
    }
    return packages;
  }

  /** Returns the number of public methods of each public type that kv-api exports. */
  static Map<String, Integer> methods() throws IOException, ClassNotFoundException {
    Set<String> exported =
        Files.readAllLines(API.resolve("module-info.java")).stream()
            .map(String::strip)
            .filter(line -> line.startsWith("exports ") && line.endsWith(";"))
            .map(line -> line.substring("exports ".length(), line.length() - 1))
            .collect(Collectors.toSet());
    Map<String, Integer> methods = new TreeMap<>();
    for (Path file : javaFiles(API)) {
      String name = API.relativize(file).toString().replace('/', '.').replaceAll("[.]java$", "");
      int dot = Math.max(name.lastIndexOf('.'), 0);
      if (exported.contains(name.substring(0, dot)) && !name.endsWith("package-info")) {
        add(Class.forName(name, false, Counts.class.getClassLoader()), methods);
      }
    }
    return methods;
  }

  private static void add(Class<?> type, Map<String, Integer> methods) {
    if (!Modifier.isPublic(type.getModifiers())) {
      return;
    }
    methods.put(
        type.getName().replace('$', '.'),
        (int)
            Arrays.stream(type.getDeclaredMethods())
                .filter(method -> Modifier.isPublic(method.getModifiers()))
                .filter(method -> !method.isSynthetic())
                .map(Method::toGenericString)
                .count());
    for (Class<?> nested : type.getDeclaredClasses()) {
      add(nested, methods);
    }
  }

  /** Returns which of {@code classes} the section of a path names: those that a reader follows. */
  static Set<String> named(String path, Set<String> classes) throws IOException {
    String text = Files.readString(PATHS);
    int begin = text.indexOf("\n## " + SECTIONS.get(path) + "\n");
    int end = text.indexOf("\n## ", begin + 1);
    Set<String> words =
        Pattern.compile("`(\\w+)`")
            .matcher(text.substring(begin, end < 0 ? text.length() : end))
            .results()
            .map((MatchResult found) -> found.group(1))
            .collect(Collectors.toSet());
    Set<String> named = new TreeSet<>(classes);
    named.removeIf(each -> !words.contains(each.substring(each.lastIndexOf('.') + 1)));
    return named;
  }

  /** Returns true if a class of the engine exists; its name is without {@code dev.kv.core}. */
  static boolean exists(String name) {
    return Files.exists(SOURCES.resolve("dev/kv/core/" + name.replace('.', '/') + ".java"));
  }

  /** Returns the text of the file, without the paths. */
  static String text() throws IOException, ClassNotFoundException {
    Map<String, Size> packages = packages();
    Map<String, Integer> methods = methods();
    return "lines of code: "
        + packages.values().stream().mapToInt(Size::lines).sum()
        + "\n"
        + packages.entrySet().stream()
            .map(
                each ->
                    String.format(
                        Locale.ROOT,
                        "  %s: %d classes, %d lines\n",
                        each.getKey(),
                        each.getValue().classes(),
                        each.getValue().lines()))
            .collect(joining())
        + "public methods: "
        + methods.values().stream().mapToInt(Integer::intValue).sum()
        + "\n"
        + methods.entrySet().stream()
            .map(each -> "  " + each.getKey() + ": " + each.getValue() + "\n")
            .collect(joining());
  }

  private static List<Path> javaFiles(Path root) throws IOException {
    try (Stream<Path> files = Files.walk(root)) {
      return files.filter(each -> each.toString().endsWith(".java")).sorted().toList();
    }
  }
}
