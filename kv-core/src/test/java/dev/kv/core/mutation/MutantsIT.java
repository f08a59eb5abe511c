package dev.kv.core.mutation;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;

import dev.kv.core.Children;
import java.io.File;
import java.io.IOException;
import java.io.StringWriter;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import javax.tools.JavaCompiler;
import javax.tools.StandardJavaFileManager;
import javax.tools.ToolProvider;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIf;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Removes the safeguards of the engine, one at a time, and expects a test to fail for each. It
 * compiles the changed source file of a mutant against the engine, and puts it before the engine on
 * the class path of a new JVM, which runs the tests of the mutant. {@code -Pmutation} runs all
 * mutants, and other builds those marked quick.
 */
@Tag("slow")
class MutantsIT {
  private static final Path TABLE = Path.of("..", "src-docs", "mutants.md");
  private static final int MINUTES = 5;

  /** For the killers of all mutants. */
  private static final int ALL_MINUTES = 30;

  /** The name of the only mutant to run; empty for several. */
  private static final String ONLY = System.getProperty("kv.mutant", "");

  @TempDir Path temp;

  private static boolean isAll() {
    return Boolean.getBoolean("kv.mutants") || Boolean.getBoolean("kv.long");
  }

  static boolean hasOthers() {
    return isAll() || !ONLY.isEmpty();
  }

  static Stream<Mutant> mutants() {
    return Mutant.all().stream()
        .filter(mutant -> ONLY.isEmpty() ? isAll() || mutant.quick() : mutant.name().equals(ONLY));
  }

  @ParameterizedTest
  @MethodSource("mutants")
  void mutant_inTheList_isKilled(Mutant mutant) throws IOException, InterruptedException {
    Path source = temp.resolve(Path.of(mutant.file()).getFileName());
    Files.writeString(source, mutant.mutatedSource());
    Path classes = Files.createDirectory(temp.resolve("classes"));
    compile(source, classes);
    Path output = temp.resolve("output");
    String classPath = classes + File.pathSeparator + unmutated();
    int exit = run(classPath, mutant.killers(), MINUTES, output);
    String text = Files.readString(output, StandardCharsets.ISO_8859_1);
    if (exit == TestRun.SKIPPED) {
      assumeThat(run(unmutated(), mutant.killers(), MINUTES, output))
          .as("%s runs here", mutant.killers())
          .isNotEqualTo(TestRun.SKIPPED);
    }
    assertThat(exit)
        .as(
            "exit of %s under mutant %s: 0 passed, 1 did not start, 2 ran nothing, 3 skipped\n%s",
            mutant.killers(), mutant, text)
        .isNotIn(TestRun.PASSED, 1, TestRun.RAN_NOTHING, TestRun.SKIPPED);
    System.out.println("killed " + mutant + ": " + failure(text).orElse("exit " + exit));
  }

  /** A test that fails anyway kills nothing. Those of the quick mutants run in each build. */
  @Test
  @EnabledIf("hasOthers")
  void killers_withoutAMutant_pass() throws IOException, InterruptedException {
    List<String> killers =
        mutants().flatMap(mutant -> mutant.killers().stream()).distinct().toList();
    Path output = temp.resolve("output");
    int exit = run(unmutated(), killers, ALL_MINUTES, output);
    String text = Files.readString(output, StandardCharsets.ISO_8859_1);
    assertThat(exit).as("exit of %s\n%s", killers, text).isEqualTo(TestRun.PASSED);
  }

  @Test
  void table_ofMutants_listsEachMutant() throws IOException {
    String table = Files.readString(TABLE);
    for (Mutant mutant : Mutant.all()) {
      assertThat(table).contains(mutant.row());
      assertThat(mutant.mutatedSource()).isNotEmpty();
    }
    assertThat(table.lines().filter(line -> line.contains(".java`"))).hasSize(Mutant.all().size());
  }

  /** Returns the class path without a mutant. */
  private static String unmutated() {
    return System.getProperty("java.class.path");
  }

  /** Returns the first line about a failed test. */
  private static Optional<String> failure(String output) {
    return output.lines().filter(line -> line.startsWith(TestRun.FAILURE)).findFirst();
  }

  private static void compile(Path source, Path classes) throws IOException {
    JavaCompiler compiler = ToolProvider.getSystemJavaCompiler();
    StringWriter messages = new StringWriter();
    try (StandardJavaFileManager files = compiler.getStandardFileManager(null, null, null)) {
      List<String> options =
          List.of("-proc:none", "-nowarn", "-cp", unmutated(), "-d", classes.toString());
      boolean compiled =
          compiler
              .getTask(messages, files, null, options, null, files.getJavaFileObjects(source))
              .call();
      assertThat(compiled).as("compiles\n%s", messages).isTrue();
    }
  }

  private static int run(String classPath, List<String> tests, int minutes, Path output)
      throws IOException, InterruptedException {
    List<String> flags =
        List.of(
            "-Xmx512m",
            "-ea",
            "-XX:TieredStopAtLevel=1",
            "-Dkv.invariants=true",
            "-XX:+EnableDynamicAgentLoading",
            "-XX:-CreateCoredumpOnCrash",
            "-XX:ErrorFile=" + output.resolveSibling("crash.log"));
    Process process =
        Children.builder(Children.command(flags, classPath, TestRun.class.getName(), tests))
            .redirectErrorStream(true)
            .redirectOutput(output.toFile())
            .start();
    boolean ended;
    try {
      ended = process.waitFor(minutes, TimeUnit.MINUTES);
    } finally {
      process.destroyForcibly();
    }
    assertThat(ended).as("%s end in %d minutes", tests, minutes).isTrue();
    return process.exitValue();
  }
}
