package dev.kv.tools.stats;

import static org.assertj.core.api.Assertions.assertThat;

import dev.kv.DB;
import dev.kv.Options;
import dev.kv.bytes.DBComparator;
import dev.kv.tools.Cli;
import dev.kv.tools.Fixtures;
import dev.kv.tools.console.Cancellation;
import dev.kv.tools.console.Output;
import dev.kv.tools.verify.Verifier;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class StatsCommandTest {
  @TempDir Path temp;

  @Test
  void stats_entries_countTombstonesAndSizes() throws IOException {
    String dir = Fixtures.copy("snappy-levels", temp).toString();
    Cli stats = Cli.run("stats", dir, "--entries");
    assertThat(stats.exitCode()).as(stats.err()).isZero();
    assertThat(stats.out())
        .startsWith("level  files        MiB\n")
        .contains("entries         4660 in tables")
        .contains("compression     ")
        .containsPattern(" 4- 7 +[0-9]+  ####");
    Cli json = Cli.run("stats", dir, "--entries", "--json");
    assertThat(json.out())
        .startsWith("{\"levels\":[{\"files\":")
        .contains("\"tablesDeletedMeanwhile\":0,", "\"entries\":4660,")
        .contains("\"keySizes\":[{\"from\":4,\"to\":7,\"entries\":")
        .hasLineCount(1);
    long tombstones =
        Cli.run("scan", dir, "--all-versions")
            .out()
            .lines()
            .filter(l -> l.contains("\tdelete\t"))
            .count();
    assertThat(tombstones).isPositive();
    assertThat(json.out()).contains("\"tombstones\":");
    assertThat(Cli.run("stats", dir).out()).doesNotContain("tombstones");
  }

  @Test
  void stats_damagedTable_saysSo() throws IOException {
    Path dir = Fixtures.copy("plain", temp);
    Fixtures.damage(dir.resolve("000005.ldb"), 5000);
    Cli stats = Cli.run("stats", dir.toString(), "--entries");
    assertThat(stats.exitCode()).isEqualTo(1);
    assertThat(stats.err()).contains("damaged: 000005.ldb, offset ").hasLineCount(1);
  }

  @Test
  void warnings_besideAWriterThatDeletesTables_sayHowMany() throws IOException {
    Path dir = temp.resolve("deleted");
    DB db = DB.open(dir, Options.builder().createIfMissing(true).build());
    for (int i = 0; i < 3; i++) {
      db.put(new byte[] {1}, new byte[] {(byte) i});
      db.admin().flush();
    }
    AtomicBoolean merged = new AtomicBoolean();
    Verifier tables =
        new Verifier(
            dir,
            DBComparator.bytewise(),
            (key, value) -> {
              if (merged.compareAndSet(false, true)) {
                db.admin().compactRange(null, null);
                db.close();
              }
            });
    tables.run();
    assertThat(StatsCommand.warnings(tables))
        .singleElement()
        .satisfies(
            note ->
                assertThat(note.line())
                    .startsWith("note: ")
                    .contains("2 of 3 tables were deleted by the process that writes"));
    assertThat(tables.counts()).containsEntry("tablesDeletedMeanwhile", 2L);
  }

  @Test
  void watch_ofADatabaseInUse_showsItsTreeAndTakesNothing() throws IOException {
    Path dir = temp.resolve("db");
    Options options =
        Options.builder().createIfMissing(true).monitoring(m -> m.infoLog(true)).build();
    try (DB db = DB.open(dir, options)) {
      db.put(new byte[] {1}, new byte[1000]);
      db.admin().flush();
      assertThat(Cli.run("stats", dir.toString()).out())
          .contains("amplification   1.00 in space")
          .contains("keys            1, estimated\n");
      assertThat(Cli.run("stats", dir.toString(), "--json").out())
          .contains("\"spaceAmplification\":1.0")
          .contains("\"estimatedKeys\":1");
      Cli watch = Cli.run("stats", dir.toString(), "--watch", "--interval", "0.01", "--count", "3");
      assertThat(watch.exitCode()).as(watch.err()).isZero();
      assertThat(watch.out())
          .hasLineCount(3)
          .contains("levels 0 0 1 0 0 0 0, ")
          .contains("flushed to sequence 1, ")
          .doesNotContain("\u001b");
      db.put(new byte[] {2}, new byte[1000]);
      db.admin().flush();
      Cli json = Cli.run("stats", dir.toString(), "--watch", "--json", "--count", "1");
      assertThat(json.out())
          .hasLineCount(1)
          .containsPattern("^\\{\"time\":\"20\\d\\d-[-0-9T:]+Z\",")
          .contains("\"levels\":[{\"files\":")
          .contains("\"tableFiles\":2,")
          .contains("\"lastSequence\":2,");
    }
  }

  @Test
  void watch_duringWrites_alwaysFindsAWholeTree() throws Exception {
    Path dir = temp.resolve("db");
    Options options = Options.builder().createIfMissing(true).writeBufferSize(64 << 10).build();
    AtomicBoolean done = new AtomicBoolean();
    AtomicBoolean wroteToTheEnd = new AtomicBoolean();
    DB.open(dir, options).close();
    Thread writer =
        new Thread(
            () -> {
              for (int open = 0; open < 10 || !done.get(); open++) {
                try (DB db = DB.open(dir, options)) {
                  for (int i = 0; i < 500; i++) {
                    db.put(new byte[] {(byte) i, (byte) (i >> 8)}, new byte[1000]);
                  }
                }
              }
              wroteToTheEnd.set(true);
            });
    writer.start();
    Cli watch = Cli.run("stats", dir.toString(), "--watch", "--interval", "0.01", "--count", "100");
    done.set(true);
    writer.join();
    assertThat(wroteToTheEnd).isTrue();
    assertThat(watch.exitCode()).as(watch.err()).isZero();
    assertThat(watch.out()).hasLineCount(100);
  }

  @Test
  void watch_logThatIsNoFile_showsTheRest() throws IOException {
    Path dir = temp.resolve("db");
    DB.open(dir, Options.builder().createIfMissing(true).build()).close();
    Files.createDirectory(dir.resolve("LOG"));
    try (Output out = new Output()) {
      new StatsWatch(dir, StatsWatch.Style.SCREEN, out).run(1, 1);
    }
    assertThat(dir.resolve("LOG")).isEmptyDirectory();
  }

  @Test
  void watch_cancelledInTheShell_ends() throws IOException {
    Path dir = Fixtures.copy("plain", temp);
    Thread.currentThread().interrupt();
    Cli watch = Cli.runInShell("stats", dir.toString(), "--watch");
    Cancellation.clear();
    assertThat(watch.exitCode()).isEqualTo(1);
    assertThat(watch.err()).contains("cancelled");
  }

  @Test
  void watch_wrongArguments_areUsageErrors() throws IOException {
    String dir = Fixtures.copy("plain", temp).toString();
    assertThat(Cli.run("stats", dir, "--watch", "--entries").exitCode()).isEqualTo(2);
    assertThat(Cli.run("stats", dir, "--watch", "--interval", "0").exitCode()).isEqualTo(2);
    assertThat(Cli.run("stats", dir, "--watch", "--interval", "NaN").exitCode()).isEqualTo(2);
    assertThat(Cli.run("stats", dir, "--watch", "--count", "-1").exitCode()).isEqualTo(2);
    assertThat(Cli.run("stats", temp.toString(), "--watch").exitCode()).isEqualTo(1);
    for (String option : List.of("--interval=1", "--count=1")) {
      Cli without = Cli.run("stats", dir, option);
      assertThat(without.exitCode()).as(option).isEqualTo(2);
      assertThat(without.err()).startsWith("kv: --interval and --count need --watch\n");
    }
  }
}
