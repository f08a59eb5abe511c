package dev.kv.repository;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/**
 * Checks the Java sources for what no tool does. The formatter wraps code, Javadoc and strings; the
 * width is that of what it leaves alone: block comments, preformatted text and text blocks.
 */
class SourceLinesTest {
  private static final int WIDTH = 100;

  /** An import, or a string without a space: neither can be wrapped. */
  private static final Pattern UNBREAKABLE =
      Pattern.compile("import .*|\\s*(\\+ )?\"[^\" ]*\"[;,)]*");

  /** A format of text, with the locale that the system is set to. */
  private static final Pattern LOCALE_OF_THE_SYSTEM =
      Pattern.compile(
          "String\\s*\\.format\\(\\s*+(?!Locale\\.).*|%[0-9,]*d[^\"]*\"\\s*\\.formatted\\(");

  @Test
  void javaSources_ofAllModules_fitTheWidth() throws IOException {
    List<String> tooLong = new ArrayList<>();
    int files = 0;
    for (Path source : sources(Path.of("").toAbsolutePath().getParent())) {
      files++;
      int number = 0;
      for (String line : Files.readAllLines(source)) {
        number++;
        if (line.codePointCount(0, line.length()) > WIDTH && !UNBREAKABLE.matcher(line).matches()) {
          tooLong.add(source + ":" + number + ": " + line);
        }
      }
    }
    assertThat(files).isGreaterThan(300);
    assertThat(tooLong).isEmpty();
  }

  /**
   * Code of the program in Kotlin or Scala may throw checked exceptions anywhere, so what the
   * engine does after a failure, it does after any Throwable. What calls method handles is no such
   * code.
   */
  @Test
  void catches_ofTheEngine_omitNoCheckedException() throws IOException {
    List<String> found = new ArrayList<>();
    for (Path source : sources(Path.of("src/main/java").toAbsolutePath())) {
      String name = source.getFileName().toString();
      if (Files.readString(source).contains("RuntimeException | Error ")
          && !List.of("Mapper.java", "Uninterrupted.java").contains(name)) {
        found.add(name);
      }
    }
    assertThat(found).isEmpty();
  }

  /** The digits of the default locale may be others: text made of them is equal to no constant. */
  @Test
  void formats_ofAllSources_nameTheirLocale() throws IOException {
    List<String> found = new ArrayList<>();
    for (Path source : sources(Path.of("").toAbsolutePath().getParent())) {
      Matcher format = LOCALE_OF_THE_SYSTEM.matcher(Files.readString(source));
      if (format.find()) {
        found.add(source + ": " + format.group());
      }
    }
    assertThat(found).isEmpty();
  }

  private static List<Path> sources(Path root) throws IOException {
    List<Path> sources = new ArrayList<>();
    Files.walkFileTree(
        root,
        new SimpleFileVisitor<>() {
          @Override
          public FileVisitResult preVisitDirectory(Path directory, BasicFileAttributes attributes) {
            String name = directory.getFileName().toString();
            return name.equals("target") || (name.startsWith(".") && !directory.equals(root))
                ? FileVisitResult.SKIP_SUBTREE
                : FileVisitResult.CONTINUE;
          }

          @Override
          public FileVisitResult visitFile(Path file, BasicFileAttributes attributes) {
            if (file.toString().endsWith(".java")) {
              sources.add(file);
            }
            return FileVisitResult.CONTINUE;
          }
        });
    return sources;
  }
}
