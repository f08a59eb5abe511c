package dev.kv.core.db;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.DisabledIfSystemProperty;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * Misuse that may cost an exception and never the JVM, so it happens in one of its own: {@link
 * TableFaultInjection} and {@link CloseRace}. {@code -Dkv.seed} repeats a run.
 */
@Tag("slow")
@Timeout(value = 3, unit = TimeUnit.HOURS, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class MisuseTest {
  private static final boolean LONG = Boolean.getBoolean("kv.long");
  private static final int DATABASES = Integer.getInteger("kv.tableFaults", LONG ? 700 : 3);
  private static final int CLOSES = Integer.getInteger("kv.closes", LONG ? 50_000 : 20);
  private static final long SEED = Long.getLong("kv.seed", 20_260_101);

  @TempDir Path temp;

  /** Every way to read the files: mapped, in place, by position, and with invariants on. */
  @ParameterizedTest
  @CsvSource({"MAPPED, false", "MAPPED, true", "IN_PLACE, false", "IN_PLACE, true", "READ, false"})
  @DisabledIfSystemProperty(
      named = "os.arch",
      matches = "aarch64",
      disabledReason = "the JVM ends if a large copy meets a missing page")
  void tables_truncatedUnlinkedOrOverwrittenUnderReaders_costExceptionsOnly(
      String access, boolean invariants) throws IOException, InterruptedException {
    runChild(TableFaultInjection.class, invariants, DATABASES, access);
  }

  @ParameterizedTest
  @CsvSource({"false, false", "true, false", "false, true", "true, true"})
  void close_underUsersOfEveryKind_endsThemWithDBClosedException(
      boolean invariants, boolean inPlace) throws IOException, InterruptedException {
    runChild(CloseRace.class, invariants, CLOSES, String.valueOf(inPlace));
  }

  private void runChild(Class<?> main, boolean invariants, int rounds, String mode)
      throws IOException, InterruptedException {
    Path output = temp.resolve("output");
    Process child =
        new ProcessBuilder(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-Xmx128m",
                "-XX:MaxDirectMemorySize=256m",
                "-XX:-CreateCoredumpOnCrash",
                "-XX:ErrorFile=" + temp.resolve("crash.log"),
                "-ea",
                "-Dkv.invariants=" + invariants,
                "-Dorg.slf4j.simpleLogger.defaultLogLevel=off",
                "-cp",
                System.getProperty("java.class.path"),
                main.getName(),
                temp.toString(),
                String.valueOf(SEED),
                String.valueOf(rounds),
                mode)
            .redirectErrorStream(true)
            .redirectOutput(output.toFile())
            .start();
    try {
      int exit = child.waitFor();
      String text = Files.readString(output, StandardCharsets.ISO_8859_1);
      assertThat(exit).as("exit of %s, seed %d\n%s", main.getSimpleName(), SEED, text).isZero();
      assertThat(text).contains("rounds done: " + rounds);
    } finally {
      child.destroyForcibly();
    }
  }
}
