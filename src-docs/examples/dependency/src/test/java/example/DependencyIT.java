package example;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.File;
import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * kv as a dependency: what it brings, and how a program with nothing else on its path runs. Each
 * run is a JVM of its own over the built jars, on this JDK, and on a JDK 25 if there is one.
 */
class DependencyIT {
  private static final Path JARS = Path.of("target", "dependencies").toAbsolutePath();
  private static final Path NETTY_41 = Path.of("target", "netty-4.1").toAbsolutePath();
  private static final Path PROGRAM = Path.of("target", "test-classes").toAbsolutePath();
  private static final Path ZSTD = Path.of("target", "zstd").toAbsolutePath();
  private static final String SNAPPY = "org.xerial.snappy.SnappyNative ";
  private static final int VIRTUAL_THREADS_SINCE = 21;

  @TempDir Path temp;

  /** A JDK and its feature release. */
  record Jdk(Path home, int release) {
    Path tool(String name) {
      return home.resolve("bin").resolve(name);
    }
  }

  private record Outcome(int exit, String out, String err) {}

  @Test
  void dependencies_ofTheEngine_areTheseAndNoOther() throws IOException {
    Set<String> found = new TreeSet<>();
    for (Path jar : jars()) {
      found.add(jar.getFileName().toString().replaceFirst("-\\d.*", ""));
    }
    assertEquals(
        new TreeSet<>(
            Set.of(
                "jspecify",
                "kv-api",
                "kv-core",
                "netty-buffer",
                "netty-common",
                "slf4j-api",
                "snappy-java")),
        found);
  }

  @ParameterizedTest
  @MethodSource("jdks")
  void program_withoutFlags_runsInSilence(Jdk jdk) throws Exception {
    assertSilent(run(jdk, List.of(), classPath()));
  }

  @ParameterizedTest
  @MethodSource("jdks")
  void program_withHeapOf64Megabytes_runs(Jdk jdk) throws Exception {
    assertSilent(run(jdk, List.of("-Xmx64m"), classPath()));
  }

  @ParameterizedTest
  @MethodSource("jdks")
  void program_withReadOnlyTemporaryDirectory_runs(Jdk jdk) throws Exception {
    Path readOnly = Path.of("/proc"); // where not even root can create a file
    assumeTrue(Files.isDirectory(readOnly), "no /proc");
    assertSilent(run(jdk, List.of("-Djava.io.tmpdir=" + readOnly), classPath()));
  }

  @ParameterizedTest
  @MethodSource("jdks")
  void program_withoutTemporaryDirectory_runs(Jdk jdk) throws Exception {
    Outcome outcome = run(jdk, List.of("-Djava.io.tmpdir=" + temp.resolve("none")), classPath());
    String ofTheJdk = "WARNING: java.io.tmpdir directory does not exist" + System.lineSeparator();
    assertSilent(new Outcome(outcome.exit(), outcome.out(), outcome.err().replace(ofTheJdk, "")));
  }

  @ParameterizedTest
  @MethodSource("jdks")
  void program_withNoexecTemporaryDirectory_runs(Jdk jdk) throws Exception {
    runsWithMounted(jdk, "-o noexec");
  }

  @ParameterizedTest
  @MethodSource("jdks")
  void program_withFullTemporaryDirectory_runs(Jdk jdk) throws Exception {
    runsWithMounted(jdk, "-o size=8k");
  }

  private void runsWithMounted(Jdk jdk, String options) throws Exception {
    Path mountPoint = Files.createDirectory(temp.resolve("mounted"));
    String mount = "mount -t tmpfs " + options + " tmpfs " + mountPoint;
    List<String> inNamespace =
        List.of("unshare", "--user", "--map-root-user", "--mount", "sh", "-c");
    assumeTrue(
        execute(join(inNamespace, List.of(mount))).exit() == 0, "mounting is not allowed here");
    List<String> flags = join(List.of("-Djava.io.tmpdir=" + mountPoint), nativeAccess(jdk));
    List<String> program = command(jdk, flags, classPath());
    assertSilent(execute(join(inNamespace, List.of(mount + " && exec \"$@\"", "sh"), program)));
  }

  /** Without the flag a newer JDK does not get as far as unpacking a library. */
  private static List<String> nativeAccess(Jdk jdk) {
    return jdk.release() < 24 ? List.of() : List.of("--enable-native-access=ALL-UNNAMED");
  }

  /** Spark 4 and Hadoop have it on their class paths; on newer JDKs it warns. */
  @ParameterizedTest
  @MethodSource("jdks")
  void program_withNetty41InFront_runs(Jdk jdk) throws Exception {
    String older = NETTY_41.resolve("netty-buffer.jar") + File.pathSeparator
        + NETTY_41.resolve("netty-common.jar");
    Outcome outcome = run(jdk, List.of("-verbose:class"), older + File.pathSeparator + classPath());
    assertEquals(0, outcome.exit(), outcome.toString());
    assertTrue(
        outcome.out().lines().anyMatch(
            line -> line.contains("io.netty.buffer.UnpooledDirectByteBuf source:")
                && line.contains(NETTY_41.toString())),
        "the older Netty is not the one that was used");
    assertTrue(outcome.out().endsWith("done" + System.lineSeparator()), outcome.err());
    if (jdk.release() < 24) {
      assertEquals("", outcome.err());
    }
  }

  @ParameterizedTest(allowZeroInvocations = true)
  @MethodSource("jdksWithVirtualThreads")
  void program_onAVirtualThread_runs(Jdk jdk) throws Exception {
    assertSilent(execute(join(command(jdk, List.of(), classPath()), List.of("virtual"))));
  }

  @ParameterizedTest
  @MethodSource("jdks")
  void program_withKvOnTheModulePath_runsInSilence(Jdk jdk) throws Exception {
    assertSilent(run(jdk, modules(), PROGRAM.toString()));
  }

  /** A module that nothing requires is used if the command line names it. */
  @ParameterizedTest
  @MethodSource("jdks")
  void program_withCompressionsOnTheModulePath_usesThoseThatItAdds(Jdk jdk) throws Exception {
    List<String> added = List.of("com.github.luben.zstd_jni", "org.xerial.snappy");
    List<String> flags =
        join(
            List.of("--module-path", JARS + File.pathSeparator + ZSTD),
            List.of("--add-modules", "dev.kv.core," + String.join(",", added)),
            jdk.release() < 24
                ? List.of()
                : List.of("--enable-native-access=" + String.join(",", added)));
    Outcome outcome = run(jdk, join(List.of("-verbose:class"), flags), PROGRAM.toString());
    assertEquals(0, outcome.exit(), outcome.toString());
    assertTrue(outcome.out().contains(SNAPPY), outcome.out());
    assertEquals("", outcome.err());
    assertSilent(execute(join(command(jdk, flags, PROGRAM.toString()), List.of("zstd"))));
  }

  @ParameterizedTest
  @MethodSource("jdks")
  void program_withZstdButNotItsJar_failsBeforeItCreatesAnything(Jdk jdk) throws Exception {
    assertNeedsZstd(command(jdk, List.of(), classPath()), "on the class path");
    assertNeedsZstd(
        command(jdk, modules(), PROGRAM.toString()),
        "on the module path and --add-modules com.github.luben.zstd_jni");
    assertSilent(run(jdk, List.of(), classPath())); // with another compression
  }

  private void assertNeedsZstd(List<String> program, String place) throws Exception {
    Outcome outcome = execute(join(program, List.of("zstd")));
    assertEquals(1, outcome.exit(), outcome.toString());
    assertTrue(
        outcome.err().contains(
            "UnsupportedFormatException: compression(ZSTD) needs the jar com.github.luben:zstd-jni "
                + place),
        outcome.err());
    assertFalse(Files.exists(temp.resolve("db")), "the directory was created");
  }

  /** snappy-java is no real module: the codec in Java takes its place in an image. */
  @ParameterizedTest
  @MethodSource("jdks")
  void image_ofJlink_runsTheProgram(Jdk jdk) throws Exception {
    assumeTrue(canLink(jdk), "a JDK that cannot link");
    Path image = temp.resolve("image");
    Outcome linked =
        execute(
            join(
                List.of(jdk.tool("jlink").toString()),
                modules(),
                List.of("--output", image.toString())));
    assertEquals(0, linked.exit(), linked.toString());
    assertSilent(run(new Jdk(image, jdk.release()), List.of(), PROGRAM.toString()));
  }

  /** From 24 on a JDK may come without jmods and link from itself. */
  private boolean canLink(Jdk jdk) throws Exception {
    Path jlink = jdk.tool("jlink");
    return Files.isExecutable(jlink)
        && (Files.isDirectory(jdk.home().resolve("jmods"))
            || execute(List.of(jlink.toString(), "--help"))
                .out()
                .contains("Linking from run-time image enabled"));
  }

  /** This JDK, and a JDK 25. */
  static List<Jdk> jdks() throws IOException {
    List<Jdk> jdks = new ArrayList<>();
    jdks.add(new Jdk(Path.of(System.getProperty("java.home")), Runtime.version().feature()));
    if (Runtime.version().feature() != 25) {
      newer().map(home -> new Jdk(home, 25)).findFirst().ifPresent(jdks::add);
    }
    return jdks;
  }

  static List<Jdk> jdksWithVirtualThreads() throws IOException {
    return jdks().stream().filter(jdk -> jdk.release() >= VIRTUAL_THREADS_SINCE).toList();
  }

  private static Stream<Path> newer() throws IOException {
    List<Path> homes = new ArrayList<>();
    for (String variable : List.of("JAVA_HOME_25", "JAVA_HOME_25_X64")) {
      String home = System.getenv(variable);
      if (home != null) {
        homes.add(Path.of(home));
      }
    }
    Path installed = Path.of("/usr/lib/jvm");
    if (Files.isDirectory(installed)) {
      try (DirectoryStream<Path> found = Files.newDirectoryStream(installed, "*25*")) {
        found.forEach(homes::add);
      }
    }
    return homes.stream().filter(home -> Files.isExecutable(home.resolve("bin/java")));
  }

  private static List<Path> jars() throws IOException {
    try (Stream<Path> files = Files.list(JARS)) {
      return files.sorted().toList();
    }
  }

  private static String classPath() throws IOException {
    return join(List.of(PROGRAM.toString()), jars().stream().map(Path::toString).toList()).stream()
        .reduce((a, b) -> a + File.pathSeparator + b)
        .orElseThrow();
  }

  private static List<String> modules() {
    return List.of("--module-path", JARS.toString(), "--add-modules", "dev.kv.core");
  }

  private Outcome run(Jdk jdk, List<String> flags, String classPath) throws Exception {
    return execute(command(jdk, flags, classPath));
  }

  private List<String> command(Jdk jdk, List<String> flags, String classPath) {
    return join(
        List.of(jdk.tool("java").toString()),
        flags,
        List.of("-cp", classPath, Program.class.getName(), temp.resolve("db").toString()));
  }

  private Outcome execute(List<String> command) throws IOException, InterruptedException {
    Path out = temp.resolve("out");
    Path err = temp.resolve("err");
    ProcessBuilder builder =
        new ProcessBuilder(command).redirectOutput(out.toFile()).redirectError(err.toFile());
    builder.environment().remove("JAVA_TOOL_OPTIONS"); // the JVM says on stderr that it took them
    builder.environment().remove("JDK_JAVA_OPTIONS");
    Process process = builder.start();
    try {
      assertTrue(process.waitFor(5, TimeUnit.MINUTES), () -> "hangs: " + command);
    } finally {
      process.destroyForcibly();
    }
    return new Outcome(process.exitValue(), Files.readString(out), Files.readString(err));
  }

  private static void assertSilent(Outcome outcome) {
    assertEquals(new Outcome(0, "done" + System.lineSeparator(), ""), outcome);
  }

  @SafeVarargs
  private static List<String> join(List<String>... parts) {
    return Arrays.stream(parts).flatMap(List::stream).toList();
  }
}
