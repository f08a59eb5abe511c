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
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Checks that all POMs and documents have the version, the root POM's addresses and versions. */
class PomTest {
  private static final Path ROOT = Path.of("").toAbsolutePath().getParent();
  private static final List<String> OWN_VERSIONS =
      List.of(
          "<artifactId>kv[\\w-]*</artifactId>\\s*<version>([^<$]+)",
          "<kv\\.version>([^<]*)",
          "dev\\.kv:[\\w-]+:([\\w.-]+)",
          "\\bkv-[a-z0-9_-]+-(\\d[\\w.]*(?:-SNAPSHOT)?)(?=-|\\.jar)");

  /** {@code .ci/set-version} writes these places, and this finds one that it missed. */
  @ParameterizedTest
  @MethodSource("pomsAndDocuments")
  void versions_ofOwnArtifacts_areThoseOfTheBuild(Path file) throws IOException {
    String version =
        first("<artifactId>kv</artifactId>\\s*<version>([^<]*)", read(ROOT.resolve("pom.xml")));
    for (String pattern : OWN_VERSIONS) {
      Matcher matcher = Pattern.compile(pattern).matcher(read(file));
      while (matcher.find()) {
        assertThat(matcher.group(1)).as(matcher.group()).isEqualTo(version);
      }
    }
  }

  /**
   * The POMs, the build files of the examples and the documents; benchmarks.md tells of the past.
   */
  static List<Path> pomsAndDocuments() throws IOException {
    Set<String> skipped = Set.of("target", "src", ".git");
    List<Path> files = new ArrayList<>();
    Files.walkFileTree(
        ROOT,
        new SimpleFileVisitor<>() {
          @Override
          public FileVisitResult preVisitDirectory(Path directory, BasicFileAttributes attributes) {
            return skipped.contains(directory.getFileName().toString())
                ? FileVisitResult.SKIP_SUBTREE
                : FileVisitResult.CONTINUE;
          }

          @Override
          public FileVisitResult visitFile(Path file, BasicFileAttributes attributes) {
            String name = file.getFileName().toString();
            if ((name.equals("pom.xml") || name.equals("build.gradle") || name.endsWith(".md"))
                && !name.equals("benchmarks.md")) {
              files.add(file);
            }
            return FileVisitResult.CONTINUE;
          }
        });
    assertThat(files).hasSizeGreaterThan(30);
    return files;
  }

  @Test
  void bom_addresses_areThoseOfTheBuild() throws IOException {
    String home = first("<kv\\.home>([^<]*)", read(ROOT.resolve("pom.xml")));
    String bom = read(ROOT.resolve("kv-api/bom/pom.xml"));
    assertThat(first("</inceptionYear>\\s*<url>([^<]*)", bom)).isEqualTo(home);
    assertThat(first("<connection>scm:git:([^<]*)", bom)).isEqualTo(home + "/kv.git");
  }

  @Test
  void examples_versions_areThoseOfTheBuild() throws IOException {
    String root = read(ROOT.resolve("pom.xml"));
    String examples = read(ROOT.resolve("src-docs/examples/pom.xml"));
    assertThat(first("<kotlin\\.version>([^<]*)", examples))
        .isEqualTo(first("<kotlin\\.version>([^<]*)", root));
    String scala = read(ROOT.resolve("kv-api/adapters/scala/pom.xml"));
    assertThat(first("<scala\\.version>([^<]*)", examples))
        .isEqualTo(first("<scala\\.version>([^<]*)", scala));
    String redis = read(ROOT.resolve("src-docs/examples/redis/pom.xml"));
    assertThat(first("<netty\\.version>([^<]*)", redis))
        .isEqualTo(first("<netty\\.version>([^<]*)", root));
  }

  /** What is not published has no earlier version to compare with, and needs no SBOM. */
  @Test
  void modules_thatAreNotPublished_skipWhatIsForPublishedOnes() throws IOException {
    List<String> checked = new ArrayList<>();
    for (Path file : pomsAndDocuments()) {
      String text = read(file);
      if (file.endsWith("pom.xml")
          && text.contains("<maven.deploy.skip>true<")
          && text.matches("(?s).*<parent>\\s*<groupId>dev[.]kv</groupId>\\s*<artifactId>kv<.*")) {
        assertThat(text)
            .as(file.toString())
            .contains("<japicmp.skip>true<", "<cyclonedx.skip>true<");
        checked.add(first("</parent>\\s*<artifactId>([^<]*)", text));
      }
    }
    assertThat(checked).contains("kv-jmh", "kv-leveldbjni-hadoop");
  }

  /** The API is compared with that of the last release, without packages that are not API. */
  @Test
  void packages_thatAreNotCompared_exist() throws IOException {
    String comparison =
        first("(?s)<id>compatibility</id>(.*?)</execution>", read(ROOT.resolve("pom.xml")));
    Matcher excluded = Pattern.compile("<exclude>([^<]*)").matcher(comparison);
    int count = 0;
    while (excluded.find()) {
      Path folder = Path.of("src/main/java", excluded.group(1).replace('.', '/'));
      assertThat(
              pomsAndDocuments().stream()
                  .filter(file -> file.endsWith("pom.xml"))
                  .map(file -> file.resolveSibling(folder)))
          .as(excluded.group(1))
          .anyMatch(Files::isDirectory);
      count++;
    }
    assertThat(count).isPositive();
  }

  private static String read(Path file) throws IOException {
    return Files.readString(file);
  }

  private static String first(String pattern, String text) {
    Matcher matcher = Pattern.compile(pattern).matcher(text);
    assertThat(matcher.find()).as(pattern).isTrue();
    return matcher.group(1);
  }
}
