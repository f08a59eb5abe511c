package dev.kv.tools.maintenance;

import static org.assertj.core.api.Assertions.assertThat;

import dev.kv.tools.Cli;
import dev.kv.tools.Fixtures;
import java.io.IOException;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class CompactCommandTest {
  @TempDir Path temp;

  @Test
  void compact_database_printsLevels() throws IOException {
    Cli compact = Cli.run("compact", Fixtures.copy("snappy-levels", temp).toString());
    assertThat(compact.exitCode()).as(compact.err()).isZero();
    assertThat(compact.out()).startsWith("level  files");
  }
}
