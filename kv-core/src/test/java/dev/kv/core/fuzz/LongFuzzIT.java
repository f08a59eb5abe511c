package dev.kv.core.fuzz;

import static org.assertj.core.api.Assertions.assertThat;

import dev.kv.core.Children;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Runs each target with Jazzer, guided by coverage, in a JVM of its own for {@code
 * -Dkv.fuzz.seconds} seconds. Runs only with {@code -Plong}. The growing corpus is in {@code
 * target/fuzz}, and so is an input that fails.
 */
@EnabledIfSystemProperty(named = "kv.long", matches = "true")
class LongFuzzIT {
  private static final int DEFAULT_SECONDS = 600;

  static Stream<String> targets() {
    return FuzzTargets.all().keySet().stream();
  }

  @ParameterizedTest
  @MethodSource("targets")
  void target_underJazzer_behaves(String name) throws IOException, InterruptedException {
    Path directory = Files.createDirectories(Path.of("target", "fuzz").toAbsolutePath());
    Path log = directory.resolve(name + ".log");
    Process jazzer =
        Children.builder(
                Children.command(
                    List.of(
                        "-Xmx512m",
                        "-XX:MaxDirectMemorySize=1g",
                        "-ea",
                        "-Dkv.invariants=true",
                        "-Djazzer.instrumentation_includes=dev.kv.**",
                        "-Djazzer.disabled_hooks=*"),
                    "com.code_intelligence.jazzer.Jazzer",
                    List.of(
                        "--target_class=" + FuzzIT.class.getName(),
                        "--target_method=" + name,
                        "-max_total_time=" + Integer.getInteger("kv.fuzz.seconds", DEFAULT_SECONDS),
                        "-timeout=60",
                        "-rss_limit_mb=3000",
                        "-artifact_prefix=" + directory.resolve(name + "-"))))
            .directory(directory.toFile())
            .redirectErrorStream(true)
            .redirectOutput(log.toFile())
            .start();
    int exit = jazzer.waitFor();
    List<String> lines = Files.readAllLines(log, StandardCharsets.ISO_8859_1);
    System.out.println(name + ": " + lines.get(lines.size() - 1));
    assertThat(exit).as("exit code of Jazzer for " + name + ", see " + log).isZero();
  }
}
