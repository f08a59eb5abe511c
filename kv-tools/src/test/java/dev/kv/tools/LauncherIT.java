package dev.kv.tools;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.jar.JarFile;
import java.util.zip.ZipEntry;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.DisabledOnOs;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;

/** The runnable jar and its launcher, as a user starts them. */
class LauncherIT {
  private static final Path JAR = Path.of("target/kv.jar").toAbsolutePath();

  private static final double DEFAULT_SECONDS = 4;

  /** The most seconds of a get with the launcher and its archive: 0.35 if nothing else runs. */
  private static final double MOST_SECONDS =
      Double.parseDouble(System.getProperty("kv.start.seconds", "" + DEFAULT_SECONDS));

  private static final int STARTS = Boolean.getBoolean("kv.long") ? 11 : 5;

  @TempDir Path temp;

  private Child run(String... command) throws Exception {
    ProcessBuilder builder = Child.builder(List.of(command));
    builder.environment().put("JAVA_HOME", System.getProperty("java.home"));
    return Child.run(builder, temp);
  }

  private Child jar(String... args) throws Exception {
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.addAll(List.of("-jar", JAR.toString()));
    command.addAll(List.of(args));
    return run(command.toArray(new String[0]));
  }

  @Test
  @EnabledOnOs(OS.WINDOWS)
  void launcherForWindows_putAndGet_passesArgumentsAndExitCode() throws Exception {
    String launcher = Path.of("kv.cmd").toAbsolutePath().toString();
    String dir = temp.resolve("a db").toString();
    Child put = run("cmd", "/c", launcher, "put", dir, "key", "a value", "--create");
    assertThat(put.exitCode()).as(put.err()).isZero();
    assertThat(run("cmd", "/c", launcher, "get", dir, "key").out().strip()).isEqualTo("a value");
    assertThat(run("cmd", "/c", launcher, "get", dir, "none").exitCode()).isEqualTo(1);
  }

  @Test
  void jar_helpAndGet_startSoonAndAreSilentOnStandardError() throws Exception {
    Path dir = Fixtures.copy("plain", temp);
    assertThat(jar("put", dir.toString(), "key", "value").err()).isEmpty();
    double help = Double.MAX_VALUE;
    double get = Double.MAX_VALUE;
    for (int i = 0; i < STARTS / 2; i++) {
      Child helped = jar("--help");
      assertThat(helped.exitCode()).isZero();
      assertThat(helped.err()).isEmpty();
      assertThat(helped.out()).doesNotContain("\u001b");
      help = Math.min(help, helped.seconds());
      Child got = jar("get", dir.toString(), "key");
      assertThat(got.out()).isEqualTo("value" + System.lineSeparator());
      assertThat(got.err()).isEmpty();
      get = Math.min(get, got.seconds());
    }
    System.out.printf("start: --help %.2f s, get %.2f s%n", help, get);
    // 0.4 s where nothing else runs.
    assertThat(help).isLessThan(Math.max(DEFAULT_SECONDS, MOST_SECONDS));
    assertThat(get).isLessThan(Math.max(DEFAULT_SECONDS, MOST_SECONDS));
  }

  @Test
  void jar_notice_namesEveryWorkInIt() throws IOException {
    try (JarFile jar = new JarFile(JAR.toFile())) {
      String notice =
          new String(
              jar.getInputStream(jar.getEntry("META-INF/NOTICE")).readAllBytes(),
              StandardCharsets.UTF_8);
      Set<String> named = new TreeSet<>();
      notice
          .lines()
          .filter(line -> line.matches("[a-zA-Z0-9]+([.][a-zA-Z0-9]+)*"))
          .forEach(named::add);
      List<String> unnamed =
          jar.stream()
              .map(ZipEntry::getName)
              .filter(name -> name.endsWith(".class"))
              .map(name -> name.replaceFirst("META-INF/versions/[0-9]+/", "").replace('/', '.'))
              .filter(name -> !name.startsWith("dev.kv."))
              .filter(name -> named.stream().noneMatch(work -> name.startsWith(work + ".")))
              .toList();
      assertThat(unnamed).isEmpty();
      assertThat(notice).contains("Apache-2.0", "MIT", "WITHOUT WARRANTY");
      assertThat(jar.stream().map(ZipEntry::getName)).doesNotHaveDuplicates();
    }
  }

  @Test
  void jar_version_isTheBuilds() throws Exception {
    assertThat(jar("--version").out()).matches("kv \\d+\\.\\d+\\.\\d+\\S*\\R");
  }

  @Test
  void jar_failureAndUsage_haveTheirExitCodes() throws Exception {
    Child failed = jar("get", temp.resolve("absent").toString(), "key");
    assertThat(failed.exitCode()).isEqualTo(1);
    assertThat(failed.out()).isEmpty();
    assertThat(failed.err()).hasLineCount(1);
    assertThat(jar("nonsense").exitCode()).isEqualTo(2);
  }

  @Test
  @DisabledOnOs(OS.WINDOWS)
  void launcher_withAndWithoutArchive_runsTheJarBesideIt() throws Exception {
    Path home = Files.createDirectory(temp.resolve("with blank"));
    Path script = copy(Path.of("kv"), home.resolve("kv"));
    Child none = run("sh", script.toString(), "--help");
    assertThat(none.exitCode()).isEqualTo(1);
    assertThat(none.err()).contains("no kv.jar");
    copy(JAR, home.resolve("kv.jar"));
    Path dir = Fixtures.copy("plain", temp);
    String key = Cli.run("scan", dir.toString(), "--limit", "1").out().split("\t")[0];
    Child without = run("sh", script.toString(), "get", dir.toString(), key);
    assertThat(without.exitCode()).as(without.err()).isZero();
    assertThat(without.err()).isEmpty();
    Child archive = run("sh", script.toString(), "--archive");
    assertThat(archive.exitCode()).as(archive.err()).isZero();
    assertThat(home.resolve("kv.jsa")).exists();
    Child with = run("sh", script.toString(), "get", dir.toString(), key);
    assertThat(with.out()).isEqualTo(without.out());
    assertThat(with.err()).isEmpty();
    assertThat(run("sh", script.toString(), "get", dir.toString()).exitCode()).isEqualTo(2);
  }

  @Test
  @DisabledOnOs(OS.WINDOWS)
  void launcher_getWithTheArchiveOfTheBuild_startsSoon() throws Exception {
    Path dir = Fixtures.copy("plain", temp);
    jar("put", dir.toString(), "key", "value");
    Path archive = JAR.resolveSibling("kv.jsa");
    if (!Boolean.getBoolean("kv.start.archive")) {
      assumeThat(archive).as("made by the build, where the JDK can").exists();
    }
    assertThat(archive).exists();
    double[] seconds = new double[STARTS];
    for (int i = 0; i < STARTS; i++) {
      Child got = run("sh", Path.of("kv").toString(), "get", dir.toString(), "key");
      assertThat(got.out()).isEqualTo("value" + System.lineSeparator());
      assertThat(got.err()).isEmpty();
      seconds[i] = got.seconds();
    }
    Arrays.sort(seconds);
    double median = seconds[STARTS / 2];
    System.out.printf("launcher: get %.2f s, at best %.2f s%n", median, seconds[0]);
    assertThat(median).isLessThan(MOST_SECONDS);
  }

  @Test
  @DisabledOnOs(OS.WINDOWS)
  void launcher_throughLinks_runsTheJarBesideItself() throws Exception {
    Path home = Files.createDirectories(temp.resolve("opt/kv home"));
    copy(Path.of("kv"), home.resolve("kv"));
    copy(JAR, home.resolve("kv.jar"));
    Path bin = Files.createDirectory(temp.resolve("bin"));
    Path relative = Files.createSymbolicLink(bin.resolve("kv"), Path.of("../opt/kv home/kv"));
    Path linked = Files.createSymbolicLink(temp.resolve("k"), relative);
    for (Path script : List.of(relative, linked)) {
      Child run = run("sh", script.toString(), "--version");
      assertThat(run.exitCode()).as(run.err()).isZero();
      assertThat(run.out()).startsWith("kv ");
    }
  }

  private static Path copy(Path from, Path to) throws IOException {
    return Files.copy(from, to, StandardCopyOption.COPY_ATTRIBUTES);
  }
}
