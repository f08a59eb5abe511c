package dev.kv.leveldbjni;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.jar.JarFile;
import java.util.jar.JarInputStream;
import java.util.zip.ZipEntry;
import org.fusesource.leveldbjni.DBTestOnKvTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.runner.JUnitCore;

/** The jar with everything, whose lambda expressions have classes since the build. */
class LambdaClassesIT {
  private static final String JAR = System.getProperty("kv.all.jar");

  @TempDir Path temp;

  @Test
  void shortProcesses_makeNoClassesOfKvAtRunTime() throws Exception {
    String classPath = JAR + File.pathSeparator + "test-classes";
    for (String kind : ShortProcess.KINDS) {
      List<String> loaded =
          run(
              "-Xlog:class+load",
              "-cp",
              classPath,
              ShortProcess.class.getName(),
              kind,
              temp.toString());
      List<String> ofKv = loaded.stream().filter(line -> line.contains(" dev.kv.")).toList();
      assertThat(ofKv).as(kind).anyMatch(line -> line.contains(" dev.kv.core.db.DBImpl "));
      assertThat(ofKv)
          .as(kind)
          .filteredOn(line -> !line.contains(" dev.kv.shaded."))
          .noneMatch(line -> line.contains("$$Lambda"));
    }
  }

  @Test
  void jar_passesTheTestsOfLeveldbjni() throws Exception {
    List<String> output =
        run(
            "-ea",
            "-cp",
            JAR + File.pathSeparator + System.getProperty("java.class.path"),
            JUnitCore.class.getName(),
            DBTestOnKvTest.class.getName());
    assertThat(output).contains("OK (15 tests)");
  }

  @Test
  void jar_isNotCompressed_andReadAsAStreamHasItsManifest() throws IOException {
    try (JarFile jar = new JarFile(JAR);
        JarInputStream stream = new JarInputStream(Files.newInputStream(Path.of(JAR)))) {
      assertThat(jar.stream()).allMatch(entry -> entry.getMethod() == ZipEntry.STORED);
      assertThat(stream.getManifest()).isEqualTo(jar.getManifest());
    }
  }

  private List<String> run(String... arguments) throws IOException, InterruptedException {
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.addAll(List.of(arguments));
    Path output = temp.resolve("output");
    Process process =
        new ProcessBuilder(command)
            .redirectErrorStream(true)
            .redirectOutput(output.toFile())
            .start();
    int status = process.waitFor();
    List<String> lines = Files.readAllLines(output);
    assertThat(status).as(() -> String.join("\n", lines)).isZero();
    return lines;
  }
}
