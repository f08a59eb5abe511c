package dev.kv.tools;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Instant;
import java.util.List;
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

  @ParameterizedTest
  @CsvSource({
    "'', get, true",
    "-Xmx1g, get, true",
    "-XX:+UseCompressedOops -Dgc=UseGC, get, true",
    "-XX:+UseG1GC, get, false",
    "-Xmx1g -XX:+UseParallelGC -Dx=y, get, false",
    "'', scan, false"
  })
  void collector_ofJavaOpts_takesThePlaceOfTheSmallOne(
      String options, String command, boolean small) throws Exception {
    Path script = Files.copy(Path.of("kv"), temp.resolve("kv"));
    Files.createFile(temp.resolve("kv.jar"));
    Path archive = Files.createFile(temp.resolve("kv.jsa"));
    Files.setLastModifiedTime(archive, FileTime.from(Instant.now().plusSeconds(60)));
    Path java = Files.createDirectories(temp.resolve("jdk/bin")).resolve("java");
    Files.writeString(java, "#!/bin/sh\nprintf '%s\\n' \"$@\"\n");
    Files.setPosixFilePermissions(java, PosixFilePermissions.fromString("rwx------"));
    ProcessBuilder launcher = new ProcessBuilder("sh", script.toString(), command, "a b");
    launcher.environment().put("JAVA_HOME", temp.resolve("jdk").toString());
    launcher.environment().put("JAVA_OPTS", options);
    Child run = Child.run(launcher, temp);
    assertThat(run.exitCode()).as(run.err()).isZero();
    List<String> words = run.out().lines().toList();
    assertThat(words.contains("-XX:+UseSerialGC")).isEqualTo(small);
    assertThat(words.contains("-XX:TieredStopAtLevel=1")).isEqualTo(command.equals("get"));
    assertThat(words)
        .contains("-XX:SharedArchiveFile=" + archive, "-Xlog:disable")
        .endsWith(command, "a b");
    List<String> given = options.lines().flatMap(all -> Stream.of(all.split(" "))).toList();
    assertThat(words.subList(0, words.indexOf("-jar"))).endsWith(given.toArray(String[]::new));
  }

  /** The command interpreter may not find labels in a file with other ends. */
  @Test
  void linesOfTheLauncherForWindows_endAsItWants() throws Exception {
    String text = Files.readString(Path.of("kv.cmd"));
    assertThat(text).endsWith("\r\n").doesNotContainPattern("[^\r]\n");
  }
}
