package dev.kv.streams;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/** The bill of materials that the profile {@code release} makes in the phase package. */
class BillOfMaterialsIT {
  private static final Path FILE = Path.of("target", "bom.json");
  private static final Pattern COMPONENT =
      Pattern.compile("\"purl\"\\s*:\\s*\"pkg:maven/([^@\"]+)@([^?\"]+)");

  @Test
  void billOfMaterials_hasWhatAnApplicationGetsWithTheModule() throws IOException {
    assumeThat(FILE).as("made with -Prelease").exists();
    Set<String> names = new TreeSet<>();
    Matcher component = COMPONENT.matcher(Files.readString(FILE));
    while (component.find()) {
      names.add(component.group(1));
      assertThat(component.group(2)).as("version of %s", component.group(1)).isNotBlank();
    }
    assertThat(names)
        .contains(
            "dev.kv/kv-kafka-streams",
            "dev.kv/kv-api",
            "dev.kv/kv-core",
            "org.apache.kafka/kafka-streams",
            "org.apache.kafka/kafka-clients",
            "org.rocksdb/rocksdbjni",
            "org.slf4j/slf4j-api",
            "org.jspecify/jspecify");
    assertThat(names)
        .as("what only tests and the compiler use")
        .noneMatch(
            name ->
                name.startsWith("org.junit")
                    || name.startsWith("org.mockito")
                    || name.startsWith("org.apache.logging")
                    || name.contains("kafka_2.13")
                    || name.contains("leveldbjni")
                    || name.contains("error_prone")
                    || name.contains("assertj"));
  }
}
