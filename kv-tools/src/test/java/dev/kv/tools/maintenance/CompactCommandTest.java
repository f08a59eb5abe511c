package dev.kv.tools.maintenance;

import static org.assertj.core.api.Assertions.assertThat;

import dev.kv.DB;
import dev.kv.FilterPolicy;
import dev.kv.Options;
import dev.kv.core.inspect.TableContents;
import dev.kv.env.Env;
import dev.kv.options.CompressionType;
import dev.kv.tools.Child;
import dev.kv.tools.Cli;
import dev.kv.tools.Fixtures;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.assertj.core.api.InstanceOfAssertFactories;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.DisabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class CompactCommandTest {
  @TempDir Path temp;

  @Test
  void compact_database_printsLevels() throws IOException {
    Cli compact = Cli.run("compact", Fixtures.copy("snappy-levels", temp).toString());
    assertThat(compact.exitCode()).as(compact.err()).isZero();
    assertThat(compact.out()).startsWith("level  files");
  }

  /** A limit of the size of files stands for a full disk. */
  @Test
  @DisabledOnOs(OS.WINDOWS)
  void compact_fullDisk_isReportedInLinesWithTheCause() throws Exception {
    Random random = new Random(1);
    try (DB db = DB.open(temp.resolve("db"), Options.builder().createIfMissing(true).build())) {
      for (int i = 0; i < 400; i++) {
        byte[] value = new byte[10_000];
        random.nextBytes(value);
        db.put(new byte[] {(byte) (i % 200)}, value);
        if (i % 200 == 199) {
          db.admin().flush();
        }
      }
    }
    Child limited = compactLimited("");
    assertThat(limited.exitCode()).isEqualTo(1);
    assertThat(limited.err().lines())
        .as(limited.err())
        .noneMatch(line -> line.startsWith("\t") || line.contains("resume()"))
        .allMatch(line -> line.matches("(ERROR|kv:) .*File too large.*"))
        .last(InstanceOfAssertFactories.STRING)
        .matches(
            "kv: the database in \\S+ has been read-only since an earlier failure; remove the cause"
                + " and try again: cannot write the table \\S+\\.ldb: File too large");
    assertThat(compactLimited(" --verbose").err()).contains("\n\tat dev.kv.");
  }

  private Child compactLimited(String more) throws Exception {
    String line = "ulimit -f 1500; " + Cli.inShell() + " compact db" + more;
    ProcessBuilder builder = Child.builder(List.of("sh", "-c", line)).directory(temp.toFile());
    builder.environment().put("LC_ALL", "C.UTF-8"); // the language of the system's messages
    return Child.run(builder, temp);
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

  @ParameterizedTest
  @EnumSource(CompressionType.class)
  void compactAndRepair_tablesOfAnotherForm_keepIt(CompressionType compression) throws IOException {
    Path dir = temp.resolve("db");
    Options options =
        Options.builder()
            .createIfMissing(true)
            .compression(compression)
            .filterPolicy(FilterPolicy.bloom(10))
            .writeBufferSize(32 << 20)
            .maxFileSize(16 << 20)
            .build();
    Random random = new Random(1);
    try (DB db = DB.open(dir, options)) {
      for (int i = 0; i < 3000; i++) {
        byte[] value = new byte[4000];
        random.nextBytes(value);
        db.put(String.format(Locale.ROOT, "key%06d", i).getBytes(), value);
      }
      db.admin().compactRange(null, null);
    }
    Map<String, Long> tables = tables(dir);
    assertThat(tables)
        .hasSize(1)
        .allSatisfy((name, size) -> assertThat(size).isGreaterThan(8 << 20));
    assertThat(files(Cli.run("compact", dir.toString()))).isEqualTo(1);
    assertThat(tables(dir)).isEqualTo(tables);

    assertThat(Cli.run("put", dir.toString(), "key000000", "new").exitCode()).isZero();
    assertThat(files(Cli.run("compact", dir.toString()))).isEqualTo(1);
    expectForm(dir, compression);
    assertThat(Cli.run("repair", dir.toString()).exitCode()).isZero();
    expectForm(dir, compression);
  }

  /** Checks the one table of a database. */
  private static void expectForm(Path dir, CompressionType compression) throws IOException {
    assertThat(tables(dir)).hasSize(1);
    Path file = dir.resolve(tables(dir).keySet().iterator().next());
    List<String> named = new ArrayList<>();
    try (TableContents table = new TableContents(Env.fileSystem(), file)) {
      for (TableContents.Named each : table.readHandles(table.footer().metaindex())) {
        String name = new String(each.key(), StandardCharsets.UTF_8);
        named.add(name);
        table.read(each.handle(), false);
        if (name.equals(TableContents.PROPERTIES_KEY)) {
          assertThat(table.properties().compression()).isEqualTo(compression.code());
        }
      }
    }
    assertThat(named)
        .containsExactly("filter.leveldb.BuiltinBloomFilter2", TableContents.PROPERTIES_KEY);
  }

  private static Map<String, Long> tables(Path dir) throws IOException {
    Map<String, Long> tables = new TreeMap<>();
    try (Stream<Path> files = Files.list(dir)) {
      for (Path file : files.filter(each -> each.toString().endsWith(".ldb")).toList()) {
        tables.put(file.getFileName().toString(), Files.size(file));
      }
    }
    return tables;
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
