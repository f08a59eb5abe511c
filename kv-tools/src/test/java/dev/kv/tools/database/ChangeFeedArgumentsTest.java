package dev.kv.tools.database;

import static org.assertj.core.api.Assertions.assertThat;

import dev.kv.DB;
import dev.kv.Options;
import dev.kv.options.LogRetention;
import dev.kv.table.TableWriter;
import dev.kv.tools.Cli;
import dev.kv.tools.Fixtures;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class ChangeFeedArgumentsTest {
  @TempDir Path temp;

  /** Returns a database with a kept log that it does not need itself. */
  private Path followed() {
    Path dir = temp.resolve("db");
    Options options =
        Options.builder()
            .createIfMissing(true)
            .logRetention(LogRetention.ofBytes(1L << 30))
            .build();
    try (DB db = DB.open(dir, options)) {
      db.put(new byte[] {'a'}, new byte[] {'1'});
      db.admin().flush();
      db.put(new byte[] {'b'}, new byte[] {'2'});
    }
    return dir;
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "put DIR c 3",
        "put DIR c 3 --create",
        "delete DIR a",
        "delete DIR --prefix a",
        "delete DIR --all",
        "batch DIR",
        "load DIR",
        "load DIR --sort",
        "import DIR",
        "ingest DIR TABLE",
        "compact DIR",
        "compact DIR --deletes-older-than 0"
      })
  void write_databaseWithAChangeFeed_isRefusedUnlessToldToEndIt(String line) throws IOException {
    Path dir = followed();
    Path table = temp.resolve("000001.ldb");
    try (TableWriter writer = TableWriter.forIngest(table, Options.DEFAULT)) {
      writer.put(new byte[] {'x'}, new byte[] {'1'});
      writer.finish();
    }
    List<String> words = new ArrayList<>();
    for (String word : line.split(" ")) {
      words.add(word.replace("DIR", dir.toString()).replace("TABLE", table.toString()));
    }
    String input = line.startsWith("batch") ? "put c 3\n" : "c\t3\n";
    String before = Fixtures.listing(dir);
    Cli refused = Cli.runWithInput(input, words.toArray(String[]::new));
    assertThat(refused.exitCode()).isEqualTo(1);
    assertThat(refused.err())
        .startsWith("kv: " + dir + ": has a file CHANGES: its program keeps logs for readers")
        .endsWith("or give --end-change-feed" + System.lineSeparator())
        .hasLineCount(1);
    assertThat(Fixtures.listing(dir)).isEqualTo(before);
    words.add("--end-change-feed");
    Cli told =
        Cli.runWithInput(line.endsWith("--all") ? "yes\n" : input, words.toArray(String[]::new));
    assertThat(told.exitCode()).as(told.err()).isZero();
    assertThat(dir.resolve("CHANGES")).doesNotExist();
  }

  @Test
  void verify_keptLogs_areNotCalledUnused() throws IOException {
    Path dir = followed();
    Cli verify = Cli.run("verify", dir.toString());
    assertThat(verify.exitCode()).as(verify.out()).isZero();
    assertThat(verify.out()).doesNotContain("is not in use");
    Files.delete(dir.resolve("CHANGES"));
    assertThat(Cli.run("verify", dir.toString()).out()).contains(".log: is not in use");
  }
}
