package dev.kv.tools;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.DisabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The flags that the launcher gives to java. */
@DisabledOnOs(OS.WINDOWS)
class LauncherTest {
  @TempDir Path temp;

  /** Runs a copy of the launcher whose java prints its arguments. */
  private Child launch(Map<String, String> variables, String... command) throws Exception {
    Child run = run(variables, command);
    assertThat(run.exitCode()).as(run.err()).isZero();
    return run;
  }

  private Child run(Map<String, String> variables, String... command) throws Exception {
    Files.copy(Path.of("kv"), temp.resolve("kv"));
    Path java = Files.createDirectories(temp.resolve("jdk/bin")).resolve("java");
    Files.writeString(java, "#!/bin/sh\nprintf '%s\\n' \"$@\"\n");
    Files.setPosixFilePermissions(java, PosixFilePermissions.fromString("rwx------"));
    ProcessBuilder launcher = Child.builder(List.of(command)).directory(temp.getParent().toFile());
    launcher.environment().put("JAVA_HOME", temp.resolve("jdk").toString());
    launcher.environment().putAll(variables);
    return Child.run(launcher, temp);
  }

  @ParameterizedTest
  @CsvSource({
    "JAVA_OPTS, '', get, true",
    "JAVA_OPTS, -Xmx1g, get, true",
    "JAVA_OPTS, -XX:+UseCompressedOops -Dgc=UseGC -Dmail=a@b, get, true",
    "JAVA_OPTS, -XX:+UseG1GC, get, false",
    "JAVA_OPTS, -Xmx1g -XX:+UseParallelGC -Dx=y, get, false",
    "JAVA_OPTS, -Xmx1g @flags, get, false",
    "JAVA_OPTS, '', scan, false",
    "JAVA_TOOL_OPTIONS, -Xmx1g, get, true",
    "JAVA_TOOL_OPTIONS, -Xmx1g -XX:+UseG1GC, get, false",
    "JDK_JAVA_OPTIONS, -XX:+UseG1GC -Xmx1g, get, false",
    "JAVA_TOOL_OPTIONS, -XX:VMOptionsFile=flags, get, false",
    "JDK_JAVA_OPTIONS, @flags, get, false",
    "JDK_JAVA_OPTIONS, '\"-XX:+UseG1GC\"', get, false",
    "_JAVA_OPTIONS, -XX:+UseG1GC, get, false"
  })
  void collector_ofTheOptions_takesThePlaceOfTheSmallOne(
      String variable, String options, String command, boolean small) throws Exception {
    Files.createFile(temp.resolve("kv.jar"));
    Path archive = Files.createFile(temp.resolve("kv.jsa"));
    Files.setLastModifiedTime(archive, FileTime.from(Instant.now().plusSeconds(60)));
    String script = temp.resolve("kv").toString();
    Child run = launch(Map.of(variable, options), "sh", script, command, "a b");
    List<String> words = run.out().lines().toList();
    assertThat(words.contains("-XX:+UseSerialGC")).isEqualTo(small);
    assertThat(words.contains("-XX:TieredStopAtLevel=1")).isEqualTo(command.equals("get"));
    assertThat(words)
        .contains("-XX:SharedArchiveFile=" + archive, "-Xlog:disable")
        .endsWith(command, "a b");
    List<String> given =
        variable.equals("JAVA_OPTS")
            ? options.lines().flatMap(all -> Stream.of(all.split(" "))).toList()
            : List.of();
    assertThat(words.subList(0, words.indexOf("-jar"))).endsWith(given.toArray(String[]::new));
  }

  @ParameterizedTest
  @CsvSource({
    "kv-tools-1.0.0-all.jar, kv-tools-1.0.0-all.jar",
    "kv-tools-1.0.0-all.jar target/kv.jar, target/kv.jar",
    "kv-tools-1.9.0-all.jar kv-tools-1.10.0-all.jar kv.jar, kv.jar"
  })
  void jar_ofARelease_runsIfThereIsNoOther(String jars, String runs) throws Exception {
    Files.createDirectory(temp.resolve("target"));
    for (String jar : jars.split(" ")) {
      Files.createFile(temp.resolve(jar));
    }
    Child run = launch(Map.of(), "sh", temp.resolve("kv").toString(), "scan");
    assertThat(run.out().lines()).containsExactly("-jar", temp.resolve(runs).toString(), "scan");
  }

  /** The last one by name would be the older. */
  @Test
  void jars_ofSeveralReleases_areRefused() throws Exception {
    Files.createFile(temp.resolve("kv-tools-1.9.0-all.jar"));
    Files.createFile(temp.resolve("kv-tools-1.10.0-all.jar"));
    Child run = run(Map.of(), "sh", temp.resolve("kv").toString(), "scan");
    assertThat(run.exitCode()).isEqualTo(1);
    assertThat(run.out()).isEmpty();
    assertThat(run.err())
        .contains("kv-tools-1.9.0-all.jar", "kv-tools-1.10.0-all.jar", "keep one")
        .hasLineCount(1);
  }

  @Test
  void jar_thatIsMissing_isTold() throws Exception {
    Child run = run(Map.of(), "sh", temp.resolve("kv").toString(), "scan");
    assertThat(run.exitCode()).isEqualTo(1);
    assertThat(run.err()).startsWith("kv: no kv.jar in ").hasLineCount(1);
  }

  /** With it, cd prints the directory that it found. */
  @Test
  void launcher_withCdpath_findsItsJar() throws Exception {
    Path jar = Files.createFile(temp.resolve("kv.jar"));
    String script = temp.getFileName() + "/kv";
    Child run = launch(Map.of("CDPATH", "."), "sh", script, "scan");
    assertThat(run.out().lines()).containsExactly("-jar", jar.toString(), "scan");
  }

  /** The command interpreter may not find labels in a file with other ends. */
  @Test
  void linesOfTheLauncherForWindows_endAsItWants() throws Exception {
    String text = Files.readString(Path.of("kv.cmd"));
    assertThat(text).endsWith("\r\n").doesNotContainPattern("[^\r]\n");
  }
}
