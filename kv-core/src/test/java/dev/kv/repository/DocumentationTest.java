package dev.kv.repository;

import static org.assertj.core.api.Assertions.assertThat;

import dev.kv.DB;
import dev.kv.Options;
import dev.kv.backup.Backups;
import java.io.File;
import java.io.IOException;
import java.lang.reflect.Method;
import java.net.URI;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.MatchResult;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import javax.tools.Diagnostic;
import javax.tools.DiagnosticListener;
import javax.tools.JavaFileObject;
import javax.tools.SimpleJavaFileObject;
import javax.tools.ToolProvider;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Compiles every Java block of the README and of src-docs, and checks that the messages, links,
 * test classes and system properties in them exist.
 */
@Tag("one-jdk")
class DocumentationTest {
  private static final Pattern BLOCK = Pattern.compile("```java\n(.*?)```", Pattern.DOTALL);
  private static final Pattern MESSAGE = Pattern.compile("^### `(.*)`$", Pattern.MULTILINE);
  private static final Pattern LINK = Pattern.compile("\\]\\(([^)\\s]+)\\)");

  private static final Pattern HEADING = Pattern.compile("^#+ (.+)$", Pattern.MULTILINE);
  private static final Pattern PROPERTY = Pattern.compile("-D(kv\\.[a-zA-Z.]*[a-zA-Z])");
  private static final Pattern CODE = Pattern.compile("`([^`\n]+)`");

  /** The name of a class that stands alone, and the line that names those of a chapter. */
  private static final Pattern CLASS = Pattern.compile("(?<![\\w.])[A-Z]\\w*");

  private static final Pattern CLASSES = Pattern.compile("\nClasses: (.*?)\\.\n", Pattern.DOTALL);
  private static final Pattern WITH_A_LETTER = Pattern.compile("\\S*[\\p{L}\\p{N}]\\S*");

  /** Bytes of a text, or the text of bytes, in the character set of the machine. */
  private static final Pattern WITHOUT_CHARACTER_SET =
      Pattern.compile("getBytes\\(\\)|new String\\(\\w+\\)");

  private static final Pattern WORD = Pattern.compile("\\w+");

  /** A name in mixed case, such as the name of a class of the engine or of the JDK. */
  private static final Pattern CLASS_NAME = Pattern.compile("\\b[A-Z][a-z]\\w*[A-Z]\\w*\\b");

  /** The directories whose sources the documents name. */
  private static final List<String> MODULES = List.of("kv-api", "kv-core", "kv-tools", "src-docs");

  private static final Pattern TEST_CLASS = Pattern.compile("`([A-Z]\\w*(?:Test|IT))[`#]");

  /** The characters between the parts of a message that is split over lines. */
  private static final Pattern JOINED_LITERALS = Pattern.compile("\"\\s*\\+\\s*\"");

  private static final Pattern DECLARATION =
      Pattern.compile(
          "^(public |final |static )*(class|record|interface|enum) ", Pattern.MULTILINE);
  private static final String IMPORTS =
      """
      import dev.kv.*;
      import dev.kv.admin.*;
      import dev.kv.backup.*;
      import dev.kv.bytes.*;
      import dev.kv.change.*;
      import dev.kv.env.*;
      import dev.kv.errors.*;
      import dev.kv.event.*;
      import dev.kv.load.*;
      import dev.kv.map.*;
      import dev.kv.options.*;
      import dev.kv.space.*;
      import dev.kv.table.*;
      import dev.kv.ttl.*;
      import dev.kv.tuple.*;
      import static java.nio.charset.StandardCharsets.UTF_8;
      import java.io.*;
      import java.nio.*;
      import java.nio.charset.StandardCharsets;
      import java.nio.file.Path;
      import java.time.*;
      import java.util.*;
      import java.util.concurrent.*;
      import java.util.stream.*;
      """;

  /** The variables that a block may use without declaring them. */
  private static final String FIELDS =
      "static DB db; static Path directory; static byte[] key, value;\n";

  @TempDir Path classes;

  @TestFactory
  Stream<DynamicTest> javaBlocks_ofTheDocuments_compile() throws IOException {
    Path root = root();
    Map<String, String> blocks = new LinkedHashMap<>();
    for (Path page : documents(root)) {
      if (!isOfAnAdapter(page)) {
        String text = read(page);
        for (MatchResult block : BLOCK.matcher(text).results().toList()) {
          long line = text.substring(0, block.start()).lines().count() + 1;
          blocks.put(root.relativize(page) + ":" + line, block.group(1));
        }
      }
    }
    assertThat(blocks).as("blocks found").isNotEmpty();
    Map<String, List<String>> errors = compile(blocks);
    return blocks.entrySet().stream()
        .map(
            block ->
                DynamicTest.dynamicTest(
                    block.getKey(),
                    () ->
                        assertThat(errors.getOrDefault(block.getKey(), List.of()))
                            .as(block.getValue())
                            .isEmpty()));
  }

  @Test
  void restore_ofOperations_restoresTheNewestBackup() throws Exception {
    Path root = classes.resolve("files");
    Path restored = root.resolve("data/restored");
    Backups backups = Backups.at(root.resolve("backups/orders"));
    Options options = Options.builder().createIfMissing(true).build();
    try (DB db = DB.open(root.resolve("orders"), options)) {
      for (byte each = 1; each <= 3; each++) {
        db.put(new byte[] {1}, new byte[] {each});
        backups.create(db.admin());
      }
    }
    Files.createDirectory(restored.getParent());

    String page = read(root().resolve("src-docs/operations.md"));
    List<String> blocks =
        BLOCK
            .matcher(page)
            .results()
            .map(b -> b.group(1))
            .filter(b -> b.contains("restore("))
            .toList();
    assertThat(blocks).hasSize(1);
    String prefix = root.toString().replace(File.separatorChar, '/');
    String code = blocks.get(0).replace("Path.of(\"", "Path.of(\"" + prefix);
    assertThat(compile(Map.of("restore", code))).isEmpty();
    try (URLClassLoader loader = new URLClassLoader(new URL[] {classes.toUri().toURL()})) {
      Method run = loader.loadClass("Block0").getDeclaredMethod("run");
      run.setAccessible(true);
      run.invoke(null);
    }

    try (DB db = DB.open(restored, Options.DEFAULT)) {
      assertThat(db.get(new byte[] {1})).containsExactly(3);
    }
  }

  /** Returns true if the page is about modules that are built after this one. */
  private static boolean isOfAnAdapter(Path page) {
    return page.getFileName().toString().startsWith("migration-");
  }

  /**
   * The character set of the machine lacks characters, for example under {@code LC_ALL=C} on 17.
   */
  @Test
  void javaBlocks_ofTheDocuments_nameTheCharacterSet() throws IOException {
    for (Path page : documents(root())) {
      for (MatchResult block : BLOCK.matcher(read(page)).results().toList()) {
        assertThat(block.group(1)).as("%s", page).doesNotContainPattern(WITHOUT_CHARACTER_SET);
      }
    }
  }

  /** A reader sees in which package a class is before the code that uses it. */
  @ParameterizedTest
  @ValueSource(strings = {"guide.md", "migration.md", "operations.md", "reliability.md"})
  void chaptersWithCode_nameTheirClasses(String page) throws IOException {
    Path root = root();
    Map<String, String> packages = apiPackages(root);
    List<String> wrong = new ArrayList<>();
    for (String chapter : read(root.resolve("src-docs/" + page)).split("\n(?=## )")) {
      Set<String> used = new TreeSet<>();
      BLOCK
          .matcher(chapter)
          .results()
          .map(block -> block.group(1).replaceAll("//.*|\"(\\\\.|[^\"])*\"|dev\\.kv\\.[\\w.]+", ""))
          .flatMap(code -> CLASS.matcher(code).results())
          .map(name -> name.group())
          .filter(packages::containsKey)
          .forEach(name -> used.add(packages.get(name) + "." + name));
      Set<String> named = new TreeSet<>();
      Matcher line = CLASSES.matcher(chapter);
      if (line.find()) {
        CODE.matcher(line.group(1)).results().forEach(name -> named.add(name.group(1)));
      }
      if (!named.equals(used)) {
        wrong.add(chapter.lines().findFirst().orElseThrow() + ": uses " + used);
      }
    }
    assertThat(wrong).isEmpty();
  }

  /** Returns the packages of the types of the API by the names of the types. */
  private static Map<String, String> apiPackages(Path root) throws IOException {
    Path sources = root.resolve("kv-api/src/main/java");
    Map<String, String> packages = new TreeMap<>();
    try (Stream<Path> files = Files.walk(sources)) {
      for (Path file : files.filter(each -> each.toString().endsWith(".java")).toList()) {
        String name = file.getFileName().toString().replace(".java", "");
        if (read(file).matches("(?s).*\npublic (\\w+ )*" + name + "\\b.*")) {
          Path directory = sources.relativize(file.getParent());
          packages.put(name, directory.toString().replace(File.separatorChar, '.'));
        }
      }
    }
    assertThat(packages).hasSizeGreaterThan(80);
    return packages;
  }

  private static String read(Path file) throws IOException {
    return Files.readString(file);
  }

  /**
   * Headings of the troubleshooting page are messages, with an ellipsis for each part that varies.
   */
  @Test
  void messages_ofTroubleshooting_areInTheSource() throws IOException {
    Path root = root();
    String source = sources(root, List.of("kv-api/src/main/java", "kv-core/src/main/java"));
    String messages = JOINED_LITERALS.matcher(source).replaceAll("");
    List<String> quoted =
        MESSAGE
            .matcher(Files.readString(root.resolve("src-docs/troubleshooting.md")))
            .results()
            .flatMap(heading -> Stream.of(heading.group(1).split("…")))
            .map(String::strip)
            .toList();
    assertThat(quoted).hasSizeGreaterThan(30);
    assertThat(quoted.stream().filter(part -> !messages.contains(part)))
        .as("messages that the source does not contain")
        .isEmpty();
  }

  @Test
  void links_ofTheDocuments_leadToFilesAndHeadings() throws IOException {
    Path root = root();
    List<String> broken = new ArrayList<>();
    for (Path document : documents(root)) {
      List<String> targets =
          LINK.matcher(Files.readString(document))
              .results()
              .map(link -> link.group(1))
              .filter(target -> !target.startsWith("http"))
              .toList();
      for (String target : targets) {
        String[] parts = target.split("#", 2);
        Path file = parts[0].isEmpty() ? document : document.resolveSibling(parts[0]);
        if (!Files.exists(file) || (parts.length == 2 && !anchors(file).contains(parts[1]))) {
          broken.add(root.relativize(document) + " -> " + target);
        }
      }
    }
    assertThat(broken).isEmpty();
  }

  @Test
  void testClassesAndProperties_ofTheDocuments_exist() throws IOException {
    Path root = root();
    String sources = sources(root, MODULES);
    List<String> missing = new ArrayList<>();
    for (Path document : documents(root)) {
      String text = Files.readString(document);
      TEST_CLASS
          .matcher(text)
          .results()
          .map(name -> name.group(1))
          .filter(name -> !sources.contains("class " + name + " "))
          .filter(name -> !isAboutOtherLibraries(document))
          .forEach(name -> missing.add(root.relativize(document) + ": " + name));
      PROPERTY
          .matcher(text)
          .results()
          .map(property -> property.group(1))
          .filter(property -> !sources.contains(property))
          .forEach(property -> missing.add(root.relativize(document) + ": -D" + property));
    }
    assertThat(missing).isEmpty();
  }

  /** Returns true if the page names the test classes of other libraries. */
  private static boolean isAboutOtherLibraries(Path page) {
    return page.getFileName().toString().startsWith("migration");
  }

  @Test
  void page_ofTheImplementationNotes_hasAtMost3500Words() throws IOException {
    List<String> tooLong = new ArrayList<>();
    for (Path document : documents(root())) {
      if (document.getFileName().toString().startsWith("implementation")) {
        long words = WITH_A_LETTER.matcher(Files.readString(document)).results().count();
        if (words > 3500) {
          tooLong.add(document.getFileName() + ": " + words);
        }
      }
    }
    assertThat(tooLong).isEmpty();
  }

  @Test
  void classNames_ofTheImplementationNotes_areInTheSource() throws IOException {
    Path root = root();
    Set<String> words =
        WORD.matcher(sources(root, MODULES))
            .results()
            .map(MatchResult::group)
            .collect(Collectors.toSet());
    StringBuilder notes = new StringBuilder();
    for (Path document : documents(root)) {
      if (document.getFileName().toString().startsWith("implementation")) {
        notes.append(Files.readString(document)).append('\n');
      }
    }
    List<String> names =
        CODE.matcher(notes)
            .results()
            .flatMap(code -> CLASS_NAME.matcher(code.group(1)).results().map(MatchResult::group))
            .toList();
    assertThat(names).hasSizeGreaterThan(200);
    assertThat(names.stream().filter(name -> !words.contains(name)))
        .as("classes that the source does not contain")
        .isEmpty();
  }

  /** Returns the Java sources and poms in some directories, and the root pom. */
  private static String sources(Path root, List<String> directories) throws IOException {
    StringBuilder sources = new StringBuilder(Files.readString(root.resolve("pom.xml")));
    for (String directory : directories) {
      try (Stream<Path> files = Files.walk(root.resolve(directory))) {
        for (Path file :
            files.filter(f -> f.toString().endsWith(".java") || f.endsWith("pom.xml")).toList()) {
          sources.append(Files.readString(file)).append('\n');
        }
      }
    }
    return sources.toString();
  }

  /** Returns the names by which links point to the headings of a page, as GitHub makes them. */
  private static List<String> anchors(Path page) throws IOException {
    return HEADING
        .matcher(Files.readString(page))
        .results()
        .map(heading -> heading.group(1).toLowerCase(Locale.ROOT))
        .map(heading -> heading.replaceAll("[^\\p{L}\\p{N} _-]", "").replace(' ', '-'))
        .toList();
  }

  private static Path root() {
    return Path.of("").toAbsolutePath().getParent();
  }

  private static List<Path> documents(Path root) throws IOException {
    try (Stream<Path> pages = Files.walk(root.resolve("src-docs"))) {
      return Stream.concat(
              Stream.of(root.resolve("README.md")),
              pages.filter(page -> page.toString().endsWith(".md")).sorted())
          .toList();
    }
  }

  /** Compiles all blocks together, and returns the errors of each that has some, by its name. */
  private Map<String, List<String>> compile(Map<String, String> blocks) {
    Map<String, List<String>> errors = new TreeMap<>();
    List<String> options =
        List.of(
            "--release",
            "17",
            "-proc:none",
            "-nowarn",
            "-Xmaxerrs",
            "1000",
            "-cp",
            System.getProperty("java.class.path"),
            "-d",
            classes.toString());
    List<Source> sources = new ArrayList<>();
    blocks.forEach((name, block) -> sources.add(new Source(name, sources.size(), block)));
    DiagnosticListener<JavaFileObject> listener =
        found -> {
          if (found.getKind() == Diagnostic.Kind.ERROR) {
            String name = found.getSource() instanceof Source source ? source.block : "";
            errors.computeIfAbsent(name, key -> new ArrayList<>()).add(found.toString());
          }
        };
    boolean compiled =
        ToolProvider.getSystemJavaCompiler()
            .getTask(null, null, listener, options, null, sources)
            .call();
    assertThat(compiled).as("%s", errors).isEqualTo(errors.isEmpty());
    assertThat(errors).doesNotContainKey("");
    return errors;
  }

  /** A block as a compilation unit of its own. */
  private static final class Source extends SimpleJavaFileObject {
    private final String block;
    private final String code;

    Source(String block, int number, String code) {
      super(URI.create("string:///Block" + number + ".java"), JavaFileObject.Kind.SOURCE);
      this.block = block;
      this.code = wrap("Block" + number, code);
    }

    @Override
    public CharSequence getCharContent(boolean ignoreEncodingErrors) {
      return code;
    }
  }

  /** Returns a compilation unit: declarations become members, statements the body of a method. */
  private static String wrap(String name, String block) {
    Matcher declaration = DECLARATION.matcher(block);
    String body =
        declaration.find() && declaration.start() == 0
            ? block
            : "static void run() throws Exception {\n" + block + "\n}";
    return IMPORTS + "class " + name + " {\n" + FIELDS + body + "\n}";
  }
}
