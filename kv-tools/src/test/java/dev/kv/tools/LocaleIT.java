package dev.kv.tools;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.condition.DisabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Arguments and output of the runnable jar in locales that have no character but ASCII's; POSIX,
 * which is another name of C, only with {@code -Dkv.long}.
 */
@DisabledOnOs(OS.WINDOWS)
class LocaleIT {
  private static final Path JAR = Path.of("target/kv.jar").toAbsolutePath();

  private static final List<String> LOCALES =
      Boolean.getBoolean("kv.long") ? List.of("C", "POSIX", "C.UTF-8") : List.of("C", "C.UTF-8");

  @TempDir Path temp;

  static List<Arguments> jdksAndLocales() throws IOException {
    List<Arguments> all = new ArrayList<>();
    for (Path jdk : jdks()) {
      for (String locale : LOCALES) {
        all.add(Arguments.of(jdk, locale));
      }
    }
    return all;
  }

  /** Returns the JDK of this test, and a JDK 25 if one is installed. */
  private static List<Path> jdks() throws IOException {
    List<Path> jdks = new ArrayList<>(List.of(Path.of(System.getProperty("java.home"))));
    Path installed = Path.of("/usr/lib/jvm");
    if (Runtime.version().feature() != 25 && Files.isDirectory(installed)) {
      try (Stream<Path> found = Files.list(installed)) {
        found
            .filter(jdk -> jdk.toString().contains("25") && Files.exists(jdk.resolve("bin/java")))
            .findFirst()
            .ifPresent(jdks::add);
      }
    }
    return jdks;
  }

  /** Runs kv with words as sh reads them: printf writes bytes that this JVM may not pass on. */
  private Child run(Path jdk, String locale, String words) throws Exception {
    return runIn(".", jdk, locale, words);
  }

  /** Runs kv in a directory, which is created, of a name as sh reads it. */
  private Child runIn(String directory, Path jdk, String locale, String words) throws Exception {
    String enter = "mkdir -p " + directory + " && cd " + directory;
    ProcessBuilder builder =
        Child.builder(List.of("sh", "-c", enter + " && exec \"$JAVA\" -jar \"$JAR\" " + words))
            .directory(temp.toFile());
    builder.environment().put("JAVA", jdk.resolve("bin/java").toString());
    builder.environment().put("JAR", JAR.toString());
    builder.environment().put("LC_ALL", locale);
    return Child.run(builder, temp);
  }

  private Child succeed(Path jdk, String locale, String words) throws Exception {
    Child run = run(jdk, locale, words);
    assertThat(run.exitCode()).as(words + ": " + run.err()).isZero();
    return run;
  }

  @ParameterizedTest
  @MethodSource("jdksAndLocales")
  void keysAndValues_outsideTheLocale_areTheBytesThatWereTyped(Path jdk, String locale)
      throws Exception {
    succeed(jdk, locale, "put db \"$(printf '\\303\\244')\" 1 --create");
    succeed(jdk, locale, "put db \"$(printf '\\303\\266')\" \"$(printf '\\342\\202\\254')\"");
    assertThat(succeed(jdk, locale, "scan db").out())
        .isEqualTo("\\xc3\\xa4\t1\n\\xc3\\xb6\t\\xe2\\x82\\xac\n");
    assertThat(succeed(jdk, locale, "get db \"$(printf '\\303\\244')\"").out()).isEqualTo("1\n");
  }

  @ParameterizedTest
  @MethodSource("jdksAndLocales")
  void key_bytesOfNoCharacter_isRefused(Path jdk, String locale) throws Exception {
    Child run = run(jdk, locale, "put db \"$(printf '\\377')\" 1 --create");
    assertThat(run.exitCode()).isEqualTo(2);
    assertThat(run.err()).isEqualTo("kv: argument 3 is not UTF-8: write each such byte as \\xNN\n");
    assertThat(temp.resolve("db")).doesNotExist();
    succeed(jdk, locale, "put db '\\xff' 1 --create");
  }

  @ParameterizedTest
  @MethodSource("jdksAndLocales")
  void directory_outsideTheLocale_worksOrIsRefusedInOneLine(Path jdk, String locale)
      throws Exception {
    Child run = run(jdk, locale, "put \"$(printf 'd\\303\\244')\" key 1 --create");
    if (locale.equals("C.UTF-8")) {
      assertThat(run.exitCode()).as(run.err()).isZero();
    } else {
      assertThat(run.exitCode()).isEqualTo(2);
      assertThat(run.err())
          .startsWith("kv: DIR: 'd\\xe4' is not a file name in the character set of this locale")
          .contains("LC_ALL=C.UTF-8");
    }
  }

  @ParameterizedTest
  @MethodSource("jdksAndLocales")
  void workingDirectory_outsideTheLocale_worksOrRefusesRelativePaths(Path jdk, String locale)
      throws Exception {
    String inside = "put db key 1 --create";
    Child run = runIn("\"$(printf 'w\\303\\244')\"", jdk, locale, inside);
    if (locale.equals("C.UTF-8")) {
      assertThat(run.exitCode()).as(run.err()).isZero();
    } else {
      assertThat(run.exitCode()).as(run.out()).isEqualTo(2);
      assertThat(run.err())
          .startsWith("kv: DIR: 'db' is in a working directory whose name is not in the character")
          .contains("LC_ALL=C.UTF-8");
    }
    try (Stream<Path> files = Files.list(temp)) {
      assertThat(files).as("no directory of another name").hasSize(3);
    }
  }
}
