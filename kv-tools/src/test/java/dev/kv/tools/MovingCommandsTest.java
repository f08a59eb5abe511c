package dev.kv.tools;

import static org.assertj.core.api.Assertions.assertThat;

import dev.kv.DB;
import dev.kv.Options;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The commands that bring entries into databases and from one to another. */
class MovingCommandsTest {
  @TempDir Path temp;

  private static List<String> hex(Path dir, String... more) {
    String[] args = new String[4 + more.length];
    System.arraycopy(new String[] {"scan", dir.toString(), "--format", "hex"}, 0, args, 0, 4);
    System.arraycopy(more, 0, args, 4, more.length);
    Cli scan = Cli.run(args);
    assertThat(scan.exitCode()).as(scan.err()).isZero();
    return scan.out().lines().toList();
  }

  @Test
  void batch_text_appliesAllInOrder() throws IOException {
    Path dir = Fixtures.copy("plain", temp);
    Cli batch =
        Cli.runWithInput(
            "put a b c\nput\ta\\x20b\tv 1\n\ndelete gone\nput twice 1\ndelete twice\nput e \n",
            "batch",
            dir.toString());
    assertThat(batch.exitCode()).as(batch.err()).isZero();
    assertThat(Cli.run("get", dir.toString(), "a").out().trim()).isEqualTo("b c");
    assertThat(Cli.run("get", dir.toString(), "a b").out().trim()).isEqualTo("v 1");
    assertThat(Cli.run("get", dir.toString(), "e").out().trim()).isEmpty();
    assertThat(Cli.run("get", dir.toString(), "twice").exitCode()).isEqualTo(1);
    Cli log = Cli.run("scan", dir.toString(), "--raw");
    assertThat(log.out()).contains("601\tput\ta\tb c\n").contains("605\tdelete\ttwice\t\n");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      value = {
        "hex | put 6b 76\\ndelete 64",
        "json | {\"type\":\"put\",\"key\":\"k\",\"value\":\"v\"}\\n{\"type\":\"delete\",\"key\":\"d\"}"
      })
  void batch_otherFormats_areRead(String format, String lines) {
    Path dir = temp.resolve("new");
    String input = lines.replace("\\n", "\n");
    assertThat(Cli.runWithInput(input, "batch", dir.toString()).exitCode()).isEqualTo(1);
    Cli batch = Cli.runWithInput(input, "batch", dir.toString(), "--create", "--format", format);
    assertThat(batch.exitCode()).as(batch.err()).isZero();
    assertThat(Cli.run("scan", dir.toString(), "--raw").out())
        .isEqualTo("1\tput\tk\tv\n2\tdelete\td\t\n");
  }

  @ParameterizedTest
  @ValueSource(strings = {"put k", "delete", "merge a b", "put", "put k\\x1 v", " put a b"})
  void batch_malformedLine_writesNothing(String bad) throws IOException {
    Path dir = Fixtures.copy("plain", temp);
    String before = Fixtures.listing(dir);
    Cli batch = Cli.runWithInput("put good 1\n" + bad + "\n", "batch", dir.toString());
    assertThat(batch.exitCode()).isEqualTo(1);
    assertThat(batch.err()).contains("line 2").contains("nothing was written").hasLineCount(1);
    assertThat(Fixtures.listing(dir)).isEqualTo(before);
  }

  @ParameterizedTest
  @EnumSource(TransferFormat.class)
  void exportImport_everyFormat_roundTripsAnyBytes(TransferFormat format) throws IOException {
    Path dir = Fixtures.copy("extremes", temp);
    Cli.run("put", dir.toString(), "\\x00\\xff\\x0a\\x5c\"", "\\x00'\\x1b");
    String name = format.name().toLowerCase(java.util.Locale.ROOT);
    byte[] exported = export(dir, name);
    Path file = Files.write(temp.resolve("entries"), exported);
    Path copy = temp.resolve("copy");
    Cli imported = Cli.run("import", copy.toString(), file.toString(), "--format", name);
    assertThat(imported.exitCode()).as(imported.err()).isZero();
    assertThat(hex(copy)).isEqualTo(hex(dir));
    assertThat(imported.out()).isEqualTo(hex(dir).size() + " entries\n");
    assertThat(Cli.run("diff", dir.toString(), copy.toString()).exitCode()).isZero();
  }

  private static byte[] export(Path dir, String format) {
    java.io.PrintStream out = System.out;
    var bytes = new java.io.ByteArrayOutputStream();
    try {
      System.setOut(new java.io.PrintStream(bytes, true));
      assertThat(Main.run("export", dir.toString(), "--format", format)).isZero();
    } finally {
      System.setOut(out);
    }
    return bytes.toByteArray();
  }

  @Test
  void export_range_isKept() throws IOException {
    Path dir = Fixtures.copy("snappy-levels", temp);
    assertThat(Cli.run("export", dir.toString(), "--prefix", "key99").out().lines())
        .isNotEmpty()
        .isEqualTo(hex(dir, "--prefix", "key99").stream().toList())
        .allMatch(line -> line.startsWith("6b65793939"));
  }

  @Test
  void import_cutBinary_namesTheOffset() throws IOException {
    Path file = temp.resolve("cut");
    byte[] entry = TransferFormat.BINARY.encode("key".getBytes(), "value".getBytes());
    byte[] bytes = new byte[2 * entry.length - 1];
    System.arraycopy(entry, 0, bytes, 0, entry.length);
    System.arraycopy(entry, 0, bytes, entry.length, entry.length - 1);
    Files.write(file, bytes);
    String dir = temp.resolve("new").toString();
    Cli cut = Cli.run("import", dir, file.toString(), "--format", "binary");
    assertThat(cut.exitCode()).isEqualTo(1);
    assertThat(cut.err()).contains("offset 16").hasLineCount(1);
    Files.write(file, new byte[] {-1, -1, -1, -1, 0, 0, 0, 1, 2});
    assertThat(Cli.run("import", dir, file.toString(), "--format", "binary").err())
        .contains("offset 0");
    Files.write(file, new byte[] {127, -1, -1, -1, 127, 0, 0, 1, 2});
    assertThat(Cli.run("import", dir, file.toString(), "--format", "binary").err())
        .contains("offset 0");
    assertThat(Cli.run("import", dir, temp.resolve("absent").toString()).err())
        .contains("no such file");
  }

  @Test
  void import_malformedLine_isNamed() {
    String dir = temp.resolve("new").toString();
    Cli jsonl = Cli.runWithInput("{\"key\":\"a\"}\n", "import", dir, "--format", "jsonl");
    assertThat(jsonl.exitCode()).isEqualTo(1);
    assertThat(jsonl.err()).contains("line 1").contains("value");
    assertThat(Cli.runWithInput("6131 31\n613 31\n", "import", dir).err()).contains("line 2");
  }

  @Test
  void copy_fixture_isCompactAndEqual() throws IOException {
    Path dir = Fixtures.copy("snappy-levels", temp);
    String before = Fixtures.listing(dir);
    Path copy = temp.resolve("copy");
    Cli cli =
        Cli.run(
            "copy",
            dir.toString(),
            copy.toString(),
            "--compression",
            "zstd",
            "--bloom-bits",
            "10",
            "--block-size",
            "8192");
    assertThat(cli.exitCode()).as(cli.err()).isZero();
    assertThat(cli.out()).isEqualTo("1507 entries\n");
    assertThat(Fixtures.listing(dir)).isEqualTo(before);
    assertThat(hex(copy)).isEqualTo(Fixtures.entries("snappy-levels"));
    Cli verify = Cli.run("verify", copy.toString(), "--json");
    assertThat(verify.out())
        .contains("\"whole\":true,\"tables\":1,\"filters\":1")
        .contains("\"entries\":1507,\"tombstones\":0");
    assertThat(temp.resolve("copy.partial")).doesNotExist();
    Cli again = Cli.run("copy", dir.toString(), copy.toString());
    assertThat(again.exitCode()).isEqualTo(1);
    assertThat(again.err()).contains("exists already");
  }

  @Test
  void copy_toAnotherOrder_turnsItRound() throws IOException {
    Path dir = Fixtures.copy("plain", temp);
    Path copy = temp.resolve("copy");
    Cli cli = Cli.run("copy", dir.toString(), copy.toString(), "--to-comparator", "reverse");
    assertThat(cli.exitCode()).as(cli.err()).isZero();
    List<String> turned = new java.util.ArrayList<>(hex(copy, "--comparator", "reverse"));
    java.util.Collections.reverse(turned);
    assertThat(turned).isEqualTo(Fixtures.entries("plain"));
  }

  @Test
  void copy_interruptedBefore_beginsAnew() throws IOException {
    Path dir = Fixtures.copy("plain", temp);
    Files.createDirectory(temp.resolve("half"));
    Path partial = Fixtures.copy("bloom", temp.resolve("half"));
    Files.move(partial, temp.resolve("copy.partial"));
    Path copy = temp.resolve("copy");
    Cli cli = Cli.run("copy", dir.toString(), copy.toString());
    assertThat(cli.exitCode()).as(cli.err()).isZero();
    assertThat(hex(copy)).isEqualTo(Fixtures.entries("plain"));
  }

  @Test
  void copy_damagedSource_failsAndLeavesNoCopy() throws IOException {
    Path dir = Fixtures.copy("plain", temp);
    Fixtures.damage(dir.resolve("000005.ldb"), 5000);
    Path copy = temp.resolve("copy");
    Cli cli = Cli.run("copy", dir.toString(), copy.toString());
    assertThat(cli.exitCode()).isEqualTo(1);
    assertThat(cli.err()).contains("000005.ldb");
    assertThat(copy).doesNotExist();
  }

  @Test
  void diff_changes_areListed() throws IOException {
    Path a = Fixtures.copy("plain", temp);
    Path b = temp.resolve("b");
    assertThat(Cli.run("copy", a.toString(), b.toString()).exitCode()).isZero();
    Cli.runWithInput("put onlyA 1\nput both x\nput same s\n", "batch", a.toString());
    Cli.runWithInput("put onlyB 2\nput both y\nput same s\n", "batch", b.toString());
    Cli diff = Cli.run("diff", a.toString(), b.toString());
    assertThat(diff.exitCode()).isEqualTo(1);
    assertThat(diff.out()).isEqualTo("-\tboth\tx\n+\tboth\ty\n-\tonlyA\t1\n+\tonlyB\t2\n");
    assertThat(Cli.run("diff", a.toString(), b.toString(), "--json").out())
        .isEqualTo(
            """
            {"key":"both","first":"x","second":"y"}
            {"key":"onlyA","first":"1"}
            {"key":"onlyB","second":"2"}
            """);
    Cli quiet = Cli.run("diff", a.toString(), b.toString(), "--quiet");
    assertThat(quiet.exitCode()).isEqualTo(1);
    assertThat(quiet.out()).isEmpty();
    assertThat(Cli.run("diff", a.toString(), b.toString(), "--from", "onlyC").exitCode()).isZero();
  }

  @Test
  void diff_otherOrderOrNoDatabase_fails() throws IOException {
    Path a = Fixtures.copy("plain", temp);
    Path b = Fixtures.copy("reverse-comparator", temp);
    Cli orders = Cli.run("diff", a.toString(), b.toString());
    assertThat(orders.exitCode()).isEqualTo(1);
    assertThat(orders.err()).contains("--comparator");
    Cli none = Cli.run("diff", a.toString(), temp.resolve("none").toString());
    assertThat(none.exitCode()).isEqualTo(1);
    assertThat(none.err()).contains("no such directory");
  }

  @Test
  void writingCommands_lockedDatabase_fail() throws IOException {
    Path dir = Fixtures.copy("plain", temp);
    try (DB held = DB.open(dir, Options.DEFAULT)) {
      for (String command : new String[] {"batch", "import"}) {
        Cli cli = Cli.runWithInput("", command, dir.toString());
        assertThat(cli.exitCode()).isEqualTo(1);
        assertThat(cli.err()).contains("is open already");
      }
    }
  }

  @Test
  void generateCompletion_isAScriptThatKnowsTheCommands() {
    Cli script = Cli.run("generate-completion");
    assertThat(script.exitCode()).as(script.err()).isZero();
    assertThat(script.out()).contains("complete -F").contains("approximate-size");
  }
}
