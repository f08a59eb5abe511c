package dev.kv.tools.stats;

import static org.assertj.core.api.Assertions.assertThat;

import dev.kv.tools.Cli;
import dev.kv.tools.Fixtures;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ApproximateSizeCommandTest {
  @TempDir Path temp;

  @Test
  void approximateSize_parts_addUpToTheTables() throws IOException {
    Path dir = Fixtures.copy("plain", temp);
    long all = Long.parseLong(Cli.run("approximate-size", dir.toString()).out().trim());
    assertThat(all).isEqualTo(Files.size(dir.resolve("000005.ldb")));
    long low = size(dir, "--to", "\\x80");
    long high = size(dir, "--from", "\\x80");
    assertThat(low).isPositive();
    assertThat(high).isPositive();
    assertThat(low + high).isEqualTo(all);
    assertThat(Cli.run("approximate-size", dir.toString(), "--json").out())
        .isEqualTo("{\"bytes\":" + all + "}\n");
  }

  private static long size(Path dir, String... range) {
    Cli cli = Cli.run("approximate-size", dir.toString(), range[0], range[1]);
    assertThat(cli.exitCode()).as(cli.err()).isZero();
    return Long.parseLong(cli.out().trim());
  }
}
