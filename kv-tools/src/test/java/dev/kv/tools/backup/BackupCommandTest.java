package dev.kv.tools.backup;

import static org.assertj.core.api.Assertions.assertThat;

import dev.kv.DB;
import dev.kv.Options;
import dev.kv.tools.Cli;
import dev.kv.tools.Fixtures;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class BackupCommandTest {
  @TempDir Path temp;

  private Cli backup(String command, Object... arguments) {
    List<String> words =
        Stream.concat(
                Stream.of("backup", command), Stream.of(arguments).map(each -> each.toString()))
            .toList();
    return Cli.run(words.toArray(new String[0]));
  }

  private static String good(Cli cli) {
    assertThat(cli.exitCode()).as(cli.err()).isZero();
    return cli.out();
  }

  @ParameterizedTest
  @ValueSource(strings = {"snappy-levels", "plain", "bloom"})
  void createAndRestore_fixture_isEqualAndTheSourceUnchanged(String fixture) throws IOException {
    Path dir = Fixtures.copy(fixture, temp);
    String before = Fixtures.listing(dir);
    Path backups = temp.resolve("backups");
    assertThat(good(backup("create", dir, backups))).startsWith("backup 1: sequence ");
    assertThat(Fixtures.listing(dir)).isEqualTo(before);
    assertThat(good(backup("create", dir, backups))).startsWith("backup 2: sequence ");
    assertThat(good(backup("list", backups)).lines()).hasSize(3);
    assertThat(good(backup("verify", backups))).isEqualTo("backup 1: good\nbackup 2: good\n");
    Path restored = temp.resolve("restored");
    assertThat(good(backup("restore", backups, restored))).startsWith("backup 2 restored: ");
    assertThat(Cli.hex(restored)).isEqualTo(Fixtures.entries(fixture));
    assertThat(Cli.run("verify", restored.toString()).exitCode()).isZero();
    assertThat(good(backup("prune", backups, "--keep", "1"))).isEqualTo("deleted backup 1\n");
    good(backup("restore", backups, temp.resolve("again"), "--backup", "2"));
    assertThat(Cli.hex(temp.resolve("again"))).isEqualTo(Fixtures.entries(fixture));
  }

  @Test
  void create_whileTheDatabaseIsOpen_holdsTheStateOfThatMoment() {
    Path dir = temp.resolve("db");
    Path backups = temp.resolve("backups");
    try (DB db = DB.open(dir, Options.builder().createIfMissing(true).build())) {
      for (int i = 0; i < 100; i++) {
        db.put(("key" + i).getBytes(), new byte[1000]);
      }
      assertThat(good(backup("create", dir, backups))).startsWith("backup 1: sequence 100, ");
      db.admin().flush();
      db.delete("key0".getBytes());
      assertThat(good(backup("create", dir, backups))).startsWith("backup 2: sequence 101, ");
    }
    good(backup("restore", backups, temp.resolve("one"), "--backup=1"));
    good(backup("restore", backups, temp.resolve("two"), "--backup=2"));
    assertThat(Cli.hex(temp.resolve("one"))).hasSize(100);
    assertThat(Cli.hex(temp.resolve("two"))).hasSize(99);
  }

  @Test
  void create_ofAnUnchangedDatabase_storesNothingNew() throws IOException {
    Path dir = Fixtures.copy("snappy-levels", temp);
    Path backups = temp.resolve("backups");
    good(backup("create", dir, backups));
    String second = good(backup("create", dir, backups));
    long tables = Long.parseLong(second.replaceAll("(?s).*bytes, ([0-9]+) of them new.*", "$1"));
    assertThat(tables).as(second).isLessThan(100_000);
  }

  @Test
  void damagedList_isMarkedAndTheOthersSayWhatToDo() throws IOException {
    Path dir = Fixtures.copy("plain", temp);
    Path backups = temp.resolve("backups");
    for (int i = 0; i < 3; i++) {
      good(backup("create", dir, backups));
    }
    Path damaged = backups.resolve("backup-000002");
    Fixtures.damage(damaged, 20);
    Cli list = backup("list", backups);
    assertThat(list.exitCode()).isEqualTo(1);
    List<String> lines = list.out().lines().map(String::strip).toList();
    assertThat(lines).hasSize(4);
    assertThat(lines.get(1)).startsWith("1  ");
    assertThat(lines.get(2)).isEqualTo("2  its list is damaged: " + damaged);
    assertThat(lines.get(3)).startsWith("3  ");
    assertThat(backup("list", backups, "--json").out())
        .contains("\n{\"backup\":2,\"damaged\":\"" + damaged + "\"}\n");
    for (Cli refused :
        List.of(backup("create", dir, backups), backup("prune", backups, "--keep", "1"))) {
      assertThat(refused.exitCode()).isEqualTo(1);
      assertThat(refused.err())
          .contains(damaged.toString(), "kv backup verify", "move the file to another directory")
          .doesNotContain("kv repair");
    }
    Files.move(damaged, temp.resolve("backup-000002"));
    good(backup("list", backups));
    good(backup("create", dir, backups));
  }

  /** The lists of the other backups are not needed to restore one. */
  @Test
  void verifyAndRestore_besideADamagedList_doTheOthers() throws IOException {
    Path dir = Fixtures.copy("plain", temp);
    Path backups = temp.resolve("backups");
    for (int i = 0; i < 3; i++) {
      good(backup("create", dir, backups));
    }
    Path list;
    try (Stream<Path> files = Files.list(backups)) {
      list = files.filter(file -> file.toString().endsWith("3")).findFirst().orElseThrow();
    }
    Fixtures.damage(list, 20);
    good(backup("restore", backups, temp.resolve("restored"), "--backup", "2"));
    assertThat(Cli.hex(temp.resolve("restored"))).isEqualTo(Fixtures.entries("plain"));
    assertThat(good(backup("verify", backups, "--backup", "1"))).isEqualTo("backup 1: good\n");
    Cli verify = backup("verify", backups);
    assertThat(verify.exitCode()).isEqualTo(1);
    assertThat(verify.out().lines())
        .containsExactly(
            "backup 1: good",
            "backup 2: good",
            "backup 3: damaged",
            "  missing or damaged: " + list);
    assertThat(backup("verify", backups, "--json", "--backup", "3").out())
        .isEqualTo("{\"backup\":3,\"good\":false,\"damaged\":[\"" + list + "\"]}\n");
    Cli newest = backup("restore", backups, temp.resolve("newest"));
    assertThat(newest.exitCode()).isEqualTo(1);
    assertThat(newest.err()).contains(list.getFileName().toString(), "kv backup verify");
    assertThat(temp.resolve("newest")).doesNotExist();
    Files.move(list, list.resolveSibling(list.getFileName() + ".old"));
    for (String command : List.of("restore", "verify")) {
      Cli renamed =
          command.equals("verify")
              ? backup(command, backups)
              : backup(command, backups, temp.resolve("older"));
      assertThat(renamed.exitCode()).as(command).isEqualTo(1);
      assertThat(renamed.err())
          .contains("no list of a backup has this name")
          .doesNotContain("kv verify", "kv repair");
    }
    assertThat(temp.resolve("older")).doesNotExist();
  }

  @Test
  void verifyAndRestore_damagedFile_nameIt() throws IOException {
    Path dir = Fixtures.copy("plain", temp);
    Path backups = temp.resolve("backups");
    good(backup("create", dir, backups));
    Path table;
    try (Stream<Path> files = Files.list(backups.resolve("files"))) {
      table = files.filter(file -> file.toString().contains(".ldb.")).findFirst().orElseThrow();
    }
    Fixtures.damage(table, 100);
    Cli verify = backup("verify", backups);
    assertThat(verify.exitCode()).isEqualTo(1);
    assertThat(verify.out()).contains("backup 1: damaged").contains(table.toString());
    Cli restore = backup("restore", backups, temp.resolve("restored"));
    assertThat(restore.exitCode()).isEqualTo(1);
    assertThat(restore.err())
        .contains(table.toString())
        .contains("'kv backup verify'")
        .doesNotContain("kv repair");
    assertThat(temp.resolve("restored")).doesNotExist();
    assertThat(temp.resolve("restored.partial")).doesNotExist();
  }

  @Test
  void mistakes_areAnsweredInOneLine() throws IOException {
    Path dir = Fixtures.copy("plain", temp);
    Path backups = temp.resolve("backups");
    assertThat(failure(backup("list", backups))).contains("does not exist");
    assertThat(failure(backup("create", temp.resolve("nothing"), backups)))
        .contains("no such directory");
    assertThat(backups).doesNotExist();
    assertThat(failure(backup("create", dir, dir))).contains("holds nothing else");
    good(backup("create", dir, backups));
    assertThat(failure(backup("restore", backups, dir))).contains("exists already");
    assertThat(failure(backup("restore", backups, temp.resolve("x"), "--backup", "9")))
        .contains("no backup 9")
        .contains("kv backup list");
    assertThat(failure(backup("restore", backups, temp.resolve("x"), "--backup", "0")))
        .contains("no backup 0");
    assertThat(failure(backup("verify", backups, "--backup", "0"))).contains("no backup 0");
    assertThat(temp.resolve("x")).doesNotExist();
    assertThat(failure(backup("restore", backups, temp.resolve("a").resolve("b"))))
        .contains("no such file or directory");
    Files.delete(backups.resolve("backup-000001"));
    assertThat(failure(backup("restore", backups, temp.resolve("x")))).contains("holds no backup");
    assertThat(failure(backup("list", backups))).contains("holds no backup");
    assertThat(backup("list", backups).out()).isEmpty();
  }

  @Test
  void createAndPrune_ofAnotherDirectory_deleteNothing() throws IOException {
    Path dir = Fixtures.copy("plain", temp);
    Path pictures = Files.createDirectories(temp.resolve("pictures"));
    Path file = Files.createDirectory(pictures.resolve("files")).resolve("holiday.jpg");
    Files.writeString(file, "x");
    assertThat(failure(backup("prune", pictures, "--keep", "1"))).contains("no backups");
    assertThat(failure(backup("create", dir, pictures))).contains("holds nothing else");
    assertThat(file).exists();
    assertThat(pictures.resolve("LOCK")).doesNotExist();
    Path link = Files.createSymbolicLink(temp.resolve("link"), pictures);
    assertThat(failure(backup("prune", link, "--keep", "1"))).contains("no backups");
    assertThat(failure(backup("create", dir, link))).contains("holds nothing else");
    Path backups = Files.createDirectory(temp.resolve("backups"));
    Files.createSymbolicLink(backups.resolve("files"), pictures.resolve("files"));
    assertThat(failure(backup("create", dir, backups))).contains("is a symbolic link");
    assertThat(failure(backup("prune", backups, "--keep", "1"))).contains("is a symbolic link");
    assertThat(file).exists();
  }

  @Test
  void json_ofCreateListAndVerify_isOneObjectForEachBackup() throws IOException {
    Path dir = Fixtures.copy("plain", temp);
    Path backups = temp.resolve("backups");
    assertThat(good(backup("create", dir, backups, "--json"))).startsWith("{\"backup\":1,");
    assertThat(good(backup("list", backups, "--json")))
        .containsPattern("^\\{\"backup\":1,\"created\":\"[^\"]*Z\",\"sequence\":600,.*\\}\\n$");
    assertThat(good(backup("verify", backups, "--json")))
        .endsWith("\"good\":true,\"damaged\":[]}\n")
        .hasLineCount(1);
  }

  private static String failure(Cli cli) {
    assertThat(cli.exitCode()).as(cli.out()).isEqualTo(1);
    assertThat(cli.err().lines()).hasSize(1);
    return cli.err();
  }

  @Test
  void wrongUsage_namesWhatIsMissing() throws IOException {
    Path dir = Fixtures.copy("plain", temp);
    Cli none = Cli.run("backup");
    assertThat(none.exitCode()).isEqualTo(2);
    assertThat(none.err()).contains("Missing command after backup").contains("'kv help backup'");
    Cli keep = backup("prune", dir);
    assertThat(keep.exitCode()).isEqualTo(2);
    assertThat(keep.err()).contains("--keep").contains("'kv help backup prune'");
    assertThat(backup("prune", dir, "--keep", "0").err()).contains("--keep must be at least 1");
    assertThat(backup("create", dir).exitCode()).isEqualTo(2);
  }
}
