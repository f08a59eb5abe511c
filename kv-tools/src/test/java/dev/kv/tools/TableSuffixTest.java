package dev.kv.tools;

import static org.assertj.core.api.Assertions.assertThat;

import dev.kv.DB;
import dev.kv.Options;
import dev.kv.options.TableSuffix;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * Commands leave a database to leveldbjni and iq80's port, which read tables of the suffix .sst
 * only, if it had no others.
 */
class TableSuffixTest {
  @TempDir Path temp;
  private Path dir;

  @BeforeEach
  void createDatabase() {
    dir = temp.resolve("db");
    Options old =
        Options.builder().createIfMissing(true).tables(t -> t.suffix(TableSuffix.SST)).build();
    try (DB db = DB.open(dir, old)) {
      for (int i = 0; i < 100; i++) {
        db.put(("key" + i).getBytes(), new byte[100]);
      }
      db.admin().flush();
      db.put("in".getBytes(), "the log".getBytes());
    }
  }

  private void run(String... args) {
    Cli cli = Cli.run(args);
    assertThat(cli.exitCode()).as(cli.err()).isZero();
  }

  private static long tables(Path directory, String suffix) throws IOException {
    try (Stream<Path> files = Files.list(directory)) {
      return files.filter(file -> file.toString().endsWith(suffix)).count();
    }
  }

  private void assertOnlySst(Path directory) throws IOException {
    assertThat(tables(directory, ".ldb")).isZero();
    assertThat(tables(directory, ".sst")).isPositive();
    assertThat(Cli.run("count", directory.toString()).out()).isEqualTo("101\n");
  }

  @Test
  void put_keepsTheSuffix() throws IOException {
    run("put", dir.toString(), "key1", "new");
    assertOnlySst(dir);
  }

  @Test
  void compact_keepsTheSuffix() throws IOException {
    run("compact", dir.toString());
    assertOnlySst(dir);
  }

  @Test
  void repair_keepsTheSuffix() throws IOException {
    run("repair", dir.toString());
    assertOnlySst(dir);
  }

  @Test
  void copy_takesTheSuffixOfItsSource() throws IOException {
    Path copy = temp.resolve("copy");
    run("copy", dir.toString(), copy.toString());
    assertOnlySst(copy);
  }

  @Test
  void backup_keepsTheSuffix() throws IOException {
    Path backups = temp.resolve("backups");
    Path restored = temp.resolve("restored");
    run("backup", "create", dir.toString(), backups.toString());
    run("backup", "restore", backups.toString(), restored.toString());
    assertOnlySst(restored);
  }

  @Test
  void compact_databaseWithBothSuffixes_usesTheNewOne() throws IOException {
    run("put", dir.toString(), "key1", "new"); // a second table
    Path table = oldTable();
    Files.move(table, Path.of(table.toString().replace(".sst", ".ldb")));
    assertThat(tables(dir, ".sst")).isPositive();
    run("compact", dir.toString());
    assertThat(tables(dir, ".sst")).isZero();
    assertThat(tables(dir, ".ldb")).isPositive();
  }

  /** As a flush leaves it that is killed before another program gives its number to a table. */
  @ParameterizedTest
  @CsvSource({".sst,0", ".sst,100", ".sst,100000", ".ldb,0", ".ldb,100", ".ldb,100000"})
  void secondFileOfATable_isNotTakenForTheTable(String suffix, int size) throws IOException {
    Path table = oldTable();
    Path other = Path.of(table.toString().replace(".sst", ".ldb"));
    if (suffix.equals(".ldb")) {
      Files.move(table, other);
      other = table;
    }
    Files.write(other, new byte[size]);
    Cli verify = Cli.run("verify", dir.toString());
    assertThat(verify.exitCode()).as(verify.out()).isZero();
    assertThat(verify.out())
        .contains("note: " + other.getFileName() + ": is not the table with its number");
    assertThat(Cli.run("count", dir.toString()).out()).isEqualTo("101\n");
    run("backup", "create", dir.toString(), temp.resolve("backups").toString());
    run("backup", "restore", temp.resolve("backups").toString(), temp.resolve("copy").toString());
    assertThat(Cli.run("count", temp.resolve("copy").toString()).out()).isEqualTo("101\n");
    run("repair", dir.toString());
    assertThat(dir.resolve("lost").resolve(other.getFileName())).hasSize(size);
    assertThat(Cli.run("count", dir.toString()).out()).isEqualTo("101\n");
    assertThat(Cli.run("verify", dir.toString()).out()).endsWith("whole\n");
  }

  private Path oldTable() throws IOException {
    try (Stream<Path> files = Files.list(dir)) {
      return files.filter(file -> file.toString().endsWith(".sst")).findFirst().orElseThrow();
    }
  }
}
