package dev.kv.tools.maintenance;

import static org.assertj.core.api.Assertions.assertThat;

import dev.kv.DB;
import dev.kv.Options;
import dev.kv.tools.Cli;
import dev.kv.tools.Fixtures;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
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

  @Test
  void compact_deletesOfAnAge_removesWhatTheyDeleted() {
    Path dir = temp.resolve("db");
    try (DB db = DB.open(dir, Options.builder().createIfMissing(true).build())) {
      for (int i = 0; i < 100; i++) {
        db.put(new byte[] {(byte) i}, new byte[1000]);
      }
      db.admin().flush();
      db.admin().compactRange(null, null);
      for (int i = 0; i < 100; i++) {
        db.delete(new byte[] {(byte) i});
      }
      db.admin().flush();
    }
    assertThat(files(Cli.run("compact", dir.toString(), "--deletes-older-than", "12h")))
        .isPositive();
    String endless = "99999999999999d";
    assertThat(files(Cli.run("compact", dir.toString(), "--deletes-older-than", endless)))
        .isPositive();
    assertThat(files(Cli.run("compact", dir.toString(), "--deletes-older-than", "0"))).isZero();
  }

  /** Returns the number of tables that the command prints at its end. */
  private static long files(Cli compact) {
    assertThat(compact.exitCode()).as(compact.err()).isZero();
    return compact
        .out()
        .lines()
        .map(String::strip)
        .filter(line -> line.matches("\\d+ .*"))
        .mapToLong(line -> Long.parseLong(line.split(" +")[1]))
        .sum();
  }

  @Test
  void compact_timeThatIsNone_isWrongUsage() {
    for (String wrong : List.of("12", "h", "-1d", "1w", "")) {
      Cli compact = Cli.run("compact", temp.toString(), "--deletes-older-than", wrong);
      assertThat(compact.exitCode()).isEqualTo(2);
      assertThat(compact.err())
          .startsWith(
              "kv: --deletes-older-than: '"
                  + wrong
                  + "' is not a length of time such as 0, 90m, 12h or 30d");
    }
    Cli endless = Cli.run("compact", temp.toString(), "--deletes-older-than", "9".repeat(18) + "d");
    assertThat(endless.exitCode()).isEqualTo(2);
    assertThat(endless.err()).contains("' is too long a time");
  }

  @Test
  void compact_deletesOfARange_isWrongUsage() throws IOException {
    Path dir = Fixtures.copy("snappy-levels", temp);
    Cli compact = Cli.run("compact", dir.toString(), "--from", "a", "--deletes-older-than", "1d");
    assertThat(compact.exitCode()).isEqualTo(2);
    assertThat(compact.err()).startsWith("kv: give a range or --deletes-older-than, not both");
  }
}
