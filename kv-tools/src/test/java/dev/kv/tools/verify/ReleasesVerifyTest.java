package dev.kv.tools.verify;

import static org.assertj.core.api.Assertions.assertThat;

import dev.kv.tools.Cli;
import dev.kv.tools.Fixtures;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** What each release of kv wrote has no finding; kv-core's ReleasesTest reads it. */
class ReleasesVerifyTest {
  private static final Path RELEASES = Path.of("../kv-core/src/test/resources/releases");

  @TempDir Path temp;

  static List<Path> databases() throws IOException {
    try (Stream<Path> files = Files.walk(RELEASES)) {
      return new ArrayList<>(
          files
              .filter(file -> file.endsWith("CURRENT"))
              .map(Path::getParent)
              .filter(directory -> !directory.endsWith("reverse")) // an order of a program's own
              .sorted()
              .toList());
    }
  }

  @ParameterizedTest
  @MethodSource("databases")
  void verify_databaseOfARelease_findsNothing(Path database) throws IOException {
    Cli verified = Cli.run("verify", Fixtures.copy(database, temp).toString());
    assertThat(verified.exitCode()).as(verified.out() + verified.err()).isZero();
    assertThat(verified.err()).isEmpty();
  }
}
