package dev.kv.leveldbjni;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;
import org.junit.jupiter.api.io.TempDir;

/**
 * Loads of Spark and YARN on kv and on leveldbjni, and processes that use a database for a moment,
 * in turn, each run in a JVM of its own. Runs only when asked for, since it wants a quiet machine;
 * writes {@code target/side-by-side.md} and {@code target/short-processes.md}.
 */
@EnabledIfSystemProperty(named = "kv.side.by.side", matches = "[1-9][0-9]*")
class SideBySideIT {
  private static final int ROUNDS = Integer.getInteger("kv.side.by.side", 0);

  @TempDir Path temp;

  /** Each load is one or more programs, which run one after the other on the same directory. */
  private static final List<List<Class<?>>> LOADS =
      List.of(List.of(SparkLoad.class), List.of(NodeManagerLoad.class, NodeManagerRestart.class));

  /** The mean times in microseconds of one timer, a run after the other. */
  private record Times(List<Double> kv, List<Double> leveldbjni) {
    Times() {
      this(new ArrayList<>(), new ArrayList<>());
    }

    static double median(List<Double> times) {
      List<Double> sorted = times.stream().sorted().toList();
      return sorted.get(sorted.size() / 2);
    }
  }

  /** Three times as often as the loads, because each takes less than a second. */
  @Test
  void shortProcesses_onBothLibraries_areReported() throws IOException, InterruptedException {
    Map<String, Times> timers = new LinkedHashMap<>();
    for (int round = 0; round < 3 * ROUNDS; round++) {
      boolean originalFirst = round % 2 == 1;
      for (boolean original : new boolean[] {originalFirst, !originalFirst}) {
        Path directory = Files.createDirectory(temp.resolve(round + "-" + original));
        String jar =
            original ? "replaced/leveldbjni-all.jar" : System.getProperty("kv.all.jar", "");
        String classPath = jar + File.pathSeparator + "test-classes";
        for (String kind : ShortProcess.KINDS) {
          run(ShortProcess.class, classPath, List.of(kind, directory.toString()), original, timers);
        }
      }
    }
    assertThat(timers).hasSizeGreaterThanOrEqualTo(ShortProcess.KINDS.length);
    report(timers, "short-processes.md");
  }

  @Test
  void loads_onBothLibraries_areReported() throws IOException, InterruptedException {
    Map<String, Times> timers = new LinkedHashMap<>();
    for (List<Class<?>> load : LOADS) {
      for (int round = 0; round < ROUNDS; round++) {
        boolean originalFirst = round % 2 == 1; // so that neither has always the quieter moment
        run(load, originalFirst, timers);
        run(load, !originalFirst, timers);
      }
    }
    assertThat(timers).isNotEmpty();
    report(timers, "side-by-side.md");
  }

  private static void report(Map<String, Times> timers, String file) throws IOException {
    StringBuilder report =
        new StringBuilder(
            "| load | kv, us | leveldbjni, us | leveldbjni / kv |\n|---|---|---|---|\n");
    timers.forEach(
        (name, times) -> {
          double kv = Times.median(times.kv);
          double other = Times.median(times.leveldbjni);
          report.append(
              String.format(
                  Locale.ROOT, "| %s | %.2f | %.2f | %.2f |%n", name, kv, other, other / kv));
        });
    Files.writeString(Path.of(file), report);
    System.out.print(report);
  }

  private void run(List<Class<?>> load, boolean original, Map<String, Times> timers)
      throws IOException, InterruptedException {
    for (Class<?> program : load) {
      run(program, original, timers);
    }
  }

  private void run(Class<?> program, boolean original, Map<String, Times> timers)
      throws IOException, InterruptedException {
    String classPath = System.getProperty("java.class.path");
    if (original) { // first, and so every class of it hides kv's
      classPath =
          Path.of("replaced", "leveldbjni-all.jar").toAbsolutePath()
              + File.pathSeparator
              + classPath;
    }
    run(program, classPath, List.of(temp.resolve("db").toString()), original, timers);
  }

  private void run(
      Class<?> program,
      String classPath,
      List<String> arguments,
      boolean original,
      Map<String, Times> timers)
      throws IOException, InterruptedException {
    File output = temp.resolve("output").toFile();
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.addAll(List.of("-Xmx1g", "-cp", classPath, program.getName()));
    command.addAll(arguments);
    Process process =
        new ProcessBuilder(command)
            .redirectOutput(output)
            .redirectError(ProcessBuilder.Redirect.INHERIT)
            .start();
    assertThat(process.waitFor()).isZero();
    for (String line : Files.readAllLines(output.toPath())) {
      String[] columns = line.split("\t");
      if (columns.length == 6 && columns[2].strip().matches("[0-9.]+")) {
        Times times = timers.computeIfAbsent(columns[0].strip(), name -> new Times());
        double mean = Double.parseDouble(columns[2].strip());
        (original ? times.leveldbjni : times.kv).add(mean);
      }
    }
  }
}
