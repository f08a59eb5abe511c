package dev.kv.leveldbjni.hadoop;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import javax.tools.ToolProvider;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Hadoop's suites of what it keeps in LevelDB, each on kv and on leveldbjni: on kv no test may fail
 * that passes on leveldbjni. What was found is in {@code target/suites.md}, and the output of each
 * run under {@code target/runs}.
 */
class HadoopSuitesIT {
  private static final Path REPORT = Path.of("suites.md");
  private static final Path COMPILED = Path.of("suite-classes").toAbsolutePath();

  /** Suites that Hadoop publishes as sources, by their files. */
  private static final List<String> SOURCES =
      List.of(
          "org/apache/hadoop/yarn/server/nodemanager/recovery/TestNMLeveldbStateStoreService.java",
          "org/apache/hadoop/mapreduce/v2/hs/TestHistoryServerLeveldbStateStoreService.java",
          "org/apache/hadoop/mapred/TestShuffleHandler.java");

  @BeforeAll
  static void compileSuites() throws IOException {
    Files.createDirectories(COMPILED);
    Path sources = Path.of("suite-sources");
    List<String> arguments =
        new ArrayList<>(
            List.of(
                "-nowarn",
                "-proc:none",
                "-d",
                COMPILED.toString(),
                "-sourcepath",
                sources.toString(),
                "-cp",
                System.getProperty("java.class.path")));
    SOURCES.forEach(source -> arguments.add(sources.resolve(source).toString()));
    int result =
        ToolProvider.getSystemJavaCompiler()
            .run(null, null, null, arguments.toArray(String[]::new));
    assertThat(result).as("the compilation of Hadoop's suites").isZero();
    Files.writeString(
        REPORT, "| suite | tests | fail on kv | fail on leveldbjni |\n|---|---|---|---|\n");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "org.apache.hadoop.yarn.server.timeline.TestLeveldbTimelineStore",
        "org.apache.hadoop.yarn.server.timeline.TestRollingLevelDB",
        "org.apache.hadoop.yarn.server.timeline.TestRollingLevelDBTimelineStore",
        "org.apache.hadoop.yarn.server.timeline.recovery.TestLeveldbTimelineStateStore",
        "org.apache.hadoop.yarn.server.timeline.TestLevelDBCacheTimelineStore",
        "org.apache.hadoop.yarn.server.resourcemanager.recovery.TestLeveldbRMStateStore",
        "org.apache.hadoop.yarn.server.resourcemanager.scheduler.capacity.conf.TestLeveldbConfigurationStore",
        "org.apache.hadoop.yarn.server.nodemanager.recovery.TestNMLeveldbStateStoreService",
        "org.apache.hadoop.mapreduce.v2.hs.TestHistoryServerLeveldbStateStoreService",
        "org.apache.hadoop.mapred.TestShuffleHandler"
      })
  void suite_onKv_failsNowhereThatItPassesOnLeveldbjni(String suite) throws Exception {
    Map<String, String> original = Library.ORIGINAL.run(suite, COMPILED);
    Map<String, String> kv = Library.KV.run(suite, COMPILED);
    Files.writeString(
        REPORT,
        String.format(
            Locale.ROOT,
            "| `%s` | %d | %d | %d |%n",
            suite.substring(suite.lastIndexOf('.') + 1),
            kv.size(),
            failures(kv),
            failures(original)),
        StandardOpenOption.APPEND);
    assertThat(original).as("tests that ran on leveldbjni").isNotEmpty();
    assertThat(kv.keySet()).isEqualTo(original.keySet());
    List<String> worse = new ArrayList<>();
    kv.forEach(
        (test, failure) -> {
          if (!failure.isEmpty() && original.get(test).isEmpty()) {
            worse.add(test + ": " + failure);
          }
        });
    assertThat(worse).isEmpty();
  }

  private static long failures(Map<String, String> results) {
    return results.values().stream().filter(failure -> !failure.isEmpty()).count();
  }

  /** The class path of a run must not hold a database besides the one under test. */
  @Test
  void classPathOfSuites_holdsNoDatabase() {
    assertThat(Library.suiteClassPath())
        .noneMatch(entry -> new File(entry).getName().startsWith("leveldbjni"))
        .noneMatch(entry -> new File(entry).getName().matches("kv-(api|core|iq80|leveldbjni).*"));
  }
}
