package dev.kv.repository;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/** Checks that poms without a parent have the same versions and addresses as the root pom. */
class PomTest {
  private static final Path ROOT = Path.of("").toAbsolutePath().getParent();

  @Test
  void bom_versions_areThoseOfTheBuild() throws IOException {
    String root = Files.readString(ROOT.resolve("pom.xml"));
    String bom = Files.readString(ROOT.resolve("kv-api/bom/pom.xml"));
    String version = first("<artifactId>kv</artifactId>\\s*<version>([^<]*)", root);
    for (String artifact :
        new String[] {
          "kv-bom",
          "kv-api",
          "kv-core",
          "kv-netty",
          "kv-kafka-streams",
          "kv-kotlin",
          "kv-scala_3",
          "kv-tools"
        }) {
      assertThat(versionOf(artifact, bom)).as(artifact).isEqualTo(version);
    }
  }

  @Test
  void bom_addresses_areThoseOfTheBuild() throws IOException {
    String home = first("<kv\\.home>([^<]*)", Files.readString(ROOT.resolve("pom.xml")));
    String bom = Files.readString(ROOT.resolve("kv-api/bom/pom.xml"));
    assertThat(first("</inceptionYear>\\s*<url>([^<]*)", bom)).isEqualTo(home);
    assertThat(first("<connection>scm:git:([^<]*)", bom)).isEqualTo(home + "/kv.git");
  }

  @Test
  void examples_versions_areThoseOfTheBuild() throws IOException {
    String root = Files.readString(ROOT.resolve("pom.xml"));
    String version = first("<artifactId>kv</artifactId>\\s*<version>([^<]*)", root);
    String examples = Files.readString(ROOT.resolve("src-docs/examples/pom.xml"));
    assertThat(first("<kv\\.version>([^<]*)", examples)).isEqualTo(version);
    assertThat(first("<kotlin\\.version>([^<]*)", examples))
        .isEqualTo(first("<kotlin\\.version>([^<]*)", root));
    String scala = Files.readString(ROOT.resolve("kv-api/adapters/scala/pom.xml"));
    assertThat(first("<scala\\.version>([^<]*)", examples))
        .isEqualTo(first("<scala\\.version>([^<]*)", scala));
    String redis = Files.readString(ROOT.resolve("src-docs/examples/redis/pom.xml"));
    assertThat(first("<netty\\.version>([^<]*)", redis))
        .isEqualTo(first("<netty\\.version>([^<]*)", root));
    String readme = Files.readString(ROOT.resolve("README.md"));
    assertThat(versionOf("kv-core", readme)).isEqualTo(version);
  }

  private static String versionOf(String artifact, String pom) {
    return first("<artifactId>" + artifact + "</artifactId>\\s*<version>([^<]*)", pom);
  }

  private static String first(String pattern, String text) {
    Matcher matcher = Pattern.compile(pattern).matcher(text);
    assertThat(matcher.find()).as(pattern).isTrue();
    return matcher.group(1);
  }
}
