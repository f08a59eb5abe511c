package dev.kv.tools.entries;

import static org.assertj.core.api.Assertions.assertThat;

import dev.kv.DB;
import dev.kv.Options;
import dev.kv.ReadOnlyDB;
import dev.kv.tools.Cli;
import dev.kv.tools.Fixtures;
import dev.kv.tools.console.Progress;
import dev.kv.tools.database.KeyBounds;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import picocli.CommandLine;

/** The commands that read and write entries where they are. */
class EntriesTest {
  @TempDir Path temp;

  private String database() {
    String dir = temp.resolve("db").toString();
    Cli load =
        Cli.runWithInput(
            "6131 7631\n6132 7632\n62 \n 7a\nff00 0a\n",
            "load",
            dir,
            "--create",
            "--format",
            "hex");
    assertThat(load.exitCode()).as(load.err()).isZero();
    return dir;
  }

  /** An open for writing would drop the records; a reader is told of them. */
  @Test
  void commands_onALogWithWholeRecordsAfterADamagedOne_writeNothingAndSaySo() throws IOException {
    Path dir = Fixtures.copy("log-only", temp);
    Path log = dir.resolve("000003.log");
    byte[] bytes = Files.readAllBytes(log);
    bytes[5] |= (byte) 0x80; // of the length of the first record
    Files.write(log, bytes);
    Files.createFile(dir.resolve("LOCK")); // an open makes it
    String before = Fixtures.listing(dir);
    for (List<String> words :
        List.of(
            List.of("put", dir.toString(), "k", "v"),
            List.of("delete", dir.toString(), "k"),
            List.of("compact", dir.toString()))) {
      Cli cli = Cli.run(words.toArray(String[]::new));
      assertThat(cli.exitCode()).as("%s %s", words, cli.err()).isEqualTo(1);
      assertThat(cli.err()).contains("000003.log", "kv repair");
      assertThat(Fixtures.listing(dir)).as("%s", words).isEqualTo(before);
    }
    Cli count = Cli.run("count", dir.toString());
    assertThat(count.exitCode()).isZero();
    assertThat(count.err()).contains(" bytes are left out: ", "kv verify");
    assertThat(Cli.run("get", dir.toString(), "k").err()).contains(" bytes are left out: ");
  }

  @Test
  void scan_hex_isTheInverseOfLoad() {
    Cli scan = Cli.run("scan", database(), "--format", "hex");
    assertThat(scan.exitCode()).as(scan.err()).isZero();
    assertThat(scan.out()).isEqualTo(" 7a\n6131 7631\n6132 7632\n62 \nff00 0a\n");
    assertThat(scan.err()).isEmpty();
  }

  @Test
  void scan_boundsReverseAndLimit_areKept() {
    String dir = database();
    assertThat(Cli.run("scan", dir, "--from", "a2", "--to", "c").out()).isEqualTo("a2\tv2\nb\t\n");
    assertThat(Cli.run("scan", dir, "--prefix", "a", "--reverse").out())
        .isEqualTo("a2\tv2\na1\tv1\n");
    assertThat(Cli.run("scan", dir, "--limit", "1", "--reverse", "--format", "json").out())
        .isEqualTo("{\"keyBase64\":\"/wA=\",\"value\":\"\\n\"}\n");
  }

  @Test
  void hexAndKeysOnly_ofGetPutAndScan_areKept() throws IOException {
    String dir = temp.resolve("hex").toString();
    assertThat(Cli.run("put", dir, "00ff", "0a0B", "--hex", "--create").exitCode()).isZero();
    assertThat(Cli.run("get", dir, "00FF", "--hex").out()).isEqualTo("0a0b\n");
    assertThat(Cli.run("scan", dir, "--hex").out()).isEqualTo("00ff 0a0b\n");
    assertThat(Cli.run("scan", dir, "--hex", "--keys-only").out()).isEqualTo("00ff\n");
    assertThat(Cli.run("scan", dir, "--keys-only").out()).isEqualTo("\\x00\\xff\n");
    assertThat(Cli.run("scan", dir, "--keys-only", "--json").out())
        .isEqualTo("{\"keyBase64\":\"AP8=\"}\n");
    for (List<String> wrong :
        List.of(
            List.of("put", dir, "0", "00", "--hex"),
            List.of("put", dir, "00", "xx", "--hex"),
            List.of("put", dir, "a\\q", "1"),
            List.of("put", dir, "a"),
            List.of("put", dir, "a", "1", "--file", "x"),
            List.of("delete", dir, "0", "--hex"),
            List.of("delete", dir, "--hex", "--prefix", "00"),
            List.of("get", dir, "00", "--hex", "--raw"))) {
      assertThat(Cli.run(wrong.toArray(String[]::new)).exitCode()).as("%s", wrong).isEqualTo(2);
    }
    assertThat(Cli.run("put", dir, "00", "xx", "--hex").err())
        .startsWith("kv: 'xx': expected two hexadecimal digits for each byte\n");
    assertThat(Cli.run("count", dir).out()).isEqualTo("1\n");
    assertThat(Cli.run("delete", dir, "00Ff", "--hex").exitCode()).isZero();
    assertThat(Cli.run("count", dir).out()).isEqualTo("0\n");
  }

  /** Without the two dashes, -h and the like ask for help. */
  @ParameterizedTest
  @ValueSource(strings = {"-h", "--help", "-V", "--version", "--hex"})
  void put_keyThatBeginsWithADash_isStoredAfterTwoDashes(String key) {
    String dir = temp.resolve("dashes").toString();
    assertThat(Cli.run("put", "--create", dir, "--", key, "v" + key).exitCode()).isZero();
    assertThat(Cli.run("put", dir, "--", "k" + key, "-v").exitCode()).isZero();
    assertThat(Cli.run("put", dir, "\\x2d" + key, "\\x2dv").exitCode()).isZero();
    assertThat(Cli.run("scan", dir).out())
        .isEqualTo("-" + key + "\t-v\n" + key + "\tv" + key + "\nk" + key + "\t-v\n");
    assertThat(Cli.run("get", dir, "--", key).out()).isEqualTo("v" + key + "\n");
    assertThat(Cli.run("delete", dir, "--", key).exitCode()).isZero();
    assertThat(Cli.run("count", dir).out()).isEqualTo("2\n");
  }

  @Test
  void put_valueFromStandardInputOrAFile_takesItsBytes() throws IOException {
    String dir = temp.resolve("bytes").toString();
    byte[] value = {0, -1, '\\', '\n'};
    assertThat(Cli.runWithInput(value, "put", dir, "in", "-", "--create").exitCode()).isZero();
    Path file = Files.write(temp.resolve("value"), value);
    assertThat(Cli.run("put", dir, "file", "--file", file.toString()).exitCode()).isZero();
    assertThat(Cli.run("get", dir, "in", "--raw").bytes()).isEqualTo(value);
    assertThat(Cli.run("get", dir, "file", "--raw").bytes()).isEqualTo(value);
    String other = temp.resolve("other").toString();
    assertThat(Cli.run("put", other, "k", "--file", file + "x", "--create").exitCode())
        .isEqualTo(1);
    Cli directory = Cli.run("put", other, "k", "--file", temp.toString(), "--create");
    assertThat(directory.exitCode()).isEqualTo(1);
    assertThat(directory.err()).contains(temp + ": is a directory");
    assertThat(temp.resolve("other")).doesNotExist();
  }

  @ParameterizedTest
  @ValueSource(strings = {"scan", "count", "export", "approximate-size", "compact", "delete"})
  void prefix_ofEveryCommandWithARange_isTakenAndExcludesBounds(String command) {
    String dir = database();
    Cli both = Cli.run(command, dir, "--prefix", "a", "--from", "a");
    assertThat(both.exitCode()).isEqualTo(2);
    assertThat(both.err()).startsWith("kv: give --prefix, or --from and --to, not both");
    Cli prefix = Cli.run(command, dir, "--prefix", "a");
    assertThat(prefix.exitCode()).as(prefix.err()).isZero();
    String reverse = temp.resolve("reverse").toString();
    Cli.runWithInput("a1\t1\n", "load", reverse, "--create", "--comparator=reverse");
    Cli wrong = Cli.run(command, reverse, "--prefix", "a");
    assertThat(wrong.exitCode()).as(wrong.err()).isEqualTo(2);
    assertThat(wrong.err()).startsWith("kv: --prefix needs the bytewise order");
    Cli missing = Cli.run(command, temp.resolve("missing").toString(), "--prefix", "a");
    assertThat(missing.exitCode()).as(missing.err()).isEqualTo(1);
    assertThat(missing.err()).contains("no such directory");
  }

  @Test
  void delete_ofARangeOrAPrefix_deletesItsKeysOnly() {
    String dir = temp.resolve("ranges").toString();
    Cli.runWithInput("a1\t1\na2\t2\nb\t3\nc\t4\nd\t5\n", "load", dir, "--create");
    assertThat(Cli.run("delete", dir, "--from", "b", "--to", "d").exitCode()).isZero();
    assertThat(Cli.run("scan", dir).out()).isEqualTo("a1\t1\na2\t2\nd\t5\n");
    assertThat(Cli.run("delete", dir, "--prefix", "a").exitCode()).isZero();
    assertThat(Cli.run("scan", dir).out()).isEqualTo("d\t5\n");
    Cli verify = Cli.run("verify", dir);
    assertThat(verify.exitCode()).as(verify.out() + verify.err()).isZero();
    assertThat(Cli.run("delete", dir, "--from", "d").exitCode()).isZero();
    assertThat(Cli.run("scan", dir).out()).isEmpty();
  }

  @Test
  void delete_withoutOrWithTwoSelections_deletesNothing() {
    String dir = database();
    String before = Cli.run("scan", dir).out();
    for (List<String> wrong :
        List.of(
            List.<String>of(),
            List.of("a1", "--from", "a"),
            List.of("--prefix", "a", "--to", "b"),
            List.of("--from", "b", "--to", "a"),
            List.of("--from", ""),
            List.of("--to", ""),
            List.of("--prefix", ""),
            List.of("--from", "", "--to", "b"),
            List.of("--from", "a", "--to", ""),
            List.of("--all", "a1", "--yes"),
            List.of("--all", "--from", "a", "--yes"),
            List.of("--all", "--hex", "--yes"),
            List.of("a1", "--yes"))) {
      List<String> line = new ArrayList<>(List.of("delete", dir));
      line.addAll(wrong);
      Cli delete = Cli.run(line.toArray(String[]::new));
      assertThat(delete.exitCode()).as("%s: %s", wrong, delete.err()).isEqualTo(2);
    }
    assertThat(Cli.run("scan", dir).out()).isEqualTo(before);
  }

  @Test
  void delete_all_asksFirst() {
    String dir = database();
    String before = Cli.run("scan", dir).out();
    for (String answer : List.of("", "\n", "no\n")) {
      Cli refused = Cli.runWithInput(answer, "delete", dir, "--all");
      assertThat(refused.exitCode()).isEqualTo(1);
      assertThat(refused.err())
          .contains("kv: delete all entries of the database in " + dir + "? (yes/no)")
          .contains("nothing was deleted");
    }
    Cli shell = Cli.runInShell("delete", dir, "--all");
    assertThat(shell.exitCode()).isEqualTo(2);
    assertThat(shell.err()).startsWith("kv: in the shell, --all needs --yes");
    assertThat(Cli.run("scan", dir).out()).isEqualTo(before);
    Cli answered = Cli.runWithInput("yes\n", "delete", dir, "--all");
    assertThat(answered.exitCode()).as(answered.err()).isZero();
    assertThat(Cli.run("scan", dir).out()).isEmpty();
    assertThat(Cli.run("put", dir, "k", "v").exitCode()).isZero();
    assertThat(Cli.runInShell("delete", dir, "--all", "--yes").exitCode()).isZero();
    assertThat(Cli.run("scan", dir).out()).isEmpty();
  }

  @Test
  void reverseComparatorOfKv_isKnownByItsName() {
    String dir = temp.resolve("reverse").toString();
    Cli load =
        Cli.runWithInput(
            "61 31\n62 32\n", "load", dir, "--create", "--format=hex", "--comparator=reverse");
    assertThat(load.exitCode()).as(load.err()).isZero();
    for (String command : List.of("scan", "count", "verify", "levels", "compact", "repair")) {
      Cli without = Cli.run(command, dir);
      assertThat(without.exitCode()).as(command + without.err()).isZero();
    }
    assertThat(Cli.run("scan", dir).out()).isEqualTo("b\t2\na\t1\n");
    assertThat(Cli.run("put", dir, "c", "3").exitCode()).isZero();
    assertThat(Cli.run("delete", dir, "c").exitCode()).isZero();
    assertThat(Cli.run("scan", dir, "--comparator", "reverse").out()).isEqualTo("b\t2\na\t1\n");
    Cli wrong = Cli.run("put", dir, "c", "3", "--comparator", "bytewise");
    assertThat(wrong.exitCode()).isEqualTo(1);
    assertThat(wrong.err()).contains("kv.ReverseBytewiseComparator").contains("leave it out");
    assertThat(Cli.run("scan", dir, "--all-versions").out())
        .contains("put\ta\t1", "put\tb\t2", "delete\tc\t");
  }

  @ParameterizedTest
  @ValueSource(strings = {"text", "utf8", "hex", "json"})
  void scan_pipedIntoLoad_copiesAnyBytes(String format) throws IOException {
    Path dir = Fixtures.copy("extremes", temp);
    for (String text :
        List.of(
            "\u00e4\ud83d\ude00\u4e2d", "\u202e\u009b\u200b\t\\\\x41\\x0a", "\\xc3\\x28\\x80")) {
      assertThat(Cli.run("put", dir.toString(), text, text).exitCode()).isZero();
    }
    String copy = temp.resolve("copy").toString();
    Cli scan = Cli.run("scan", dir.toString(), "--format", format);
    Cli load = Cli.runWithInput(scan.out(), "load", copy, "--create", "--format", format);
    assertThat(load.exitCode()).as(load.err()).isZero();
    assertThat(Cli.hex(Path.of(copy))).isEqualTo(Cli.hex(dir)).hasSizeGreaterThan(3);
  }

  @ParameterizedTest
  @ValueSource(strings = {"text", "utf8", "hex", "json"})
  void scan_allVersionsPipedIntoLoad_isRefused(String format) {
    String dir = database();
    Path copy = temp.resolve("copy");
    String versions = Cli.run("scan", dir, "--all-versions", "--format", format).out();
    Cli load = Cli.runWithInput(versions, "load", copy.toString(), "--create", "--format", format);
    assertThat(load.exitCode()).isEqualTo(1);
    assertThat(load.err()).contains("line 1 of the input").hasLineCount(1);
    assertThat(copy).doesNotExist();
  }

  @Test
  void scan_defaultFormat_isTheDefaultOfLoadAndImport() throws IOException {
    Path dir = Fixtures.copy("extremes", temp);
    for (String reader : List.of("load", "import")) {
      for (String writer : List.of("scan", "export")) {
        Path copy = temp.resolve(writer + reader);
        String entries = Cli.run(writer, dir.toString()).out();
        Cli read = Cli.runWithInput(entries, reader, copy.toString(), "--create");
        assertThat(read.exitCode()).as(read.err()).isZero();
        assertThat(Cli.hex(copy)).isEqualTo(Cli.hex(dir));
      }
    }
  }

  @Test
  void utf8AndJson_textKeys_printRealCharacters() {
    String dir = temp.resolve("db").toString();
    assertThat(Cli.run("put", dir, "\u00e4 \\\\", "\u4e2d\\xff\u009b", "--create").exitCode())
        .isZero();
    assertThat(Cli.run("get", dir, "\u00e4 \\\\", "--utf8").out())
        .isEqualTo("\u4e2d\\xff\\xc2\\x9b\n");
    assertThat(Cli.run("scan", dir, "--utf8").out())
        .isEqualTo("\u00e4 \\x5c\t\u4e2d\\xff\\xc2\\x9b\n");
    String json = "{\"key\":\"\u00e4 \\\\\",\"valueBase64\":\"5Lit/8Kb\"}\n";
    assertThat(Cli.run("scan", dir, "--json").out()).isEqualTo(json);
    assertThat(Cli.run("get", dir, "\u00e4 \\\\", "--json").out()).isEqualTo(json);
    String other = temp.resolve("other").toString();
    assertThat(Cli.runWithInput("a\t1\n", "load", other, "--create").exitCode()).isZero();
    assertThat(Cli.run("diff", dir, other, "--utf8").out())
        .isEqualTo("+\ta\t1\n" + "-\t\u00e4 \\x5c\t\u4e2d\\xff\\xc2\\x9b\n");
  }

  @ParameterizedTest
  @ValueSource(strings = {"scan", "count", "export", "approximate-size", "compact"})
  void range_thatEndsBeforeItBegins_isWrongUsage(String command) {
    String dir = database();
    Cli wrong = Cli.run(command, dir, "--from", "z", "--to", "a");
    assertThat(wrong.exitCode()).isEqualTo(2);
    assertThat(wrong.err()).startsWith("kv: --from lies after --to in the order of the database");
    assertThat(Cli.run(command, dir, "--from", "a", "--to", "a").exitCode()).isZero();
  }

  @ParameterizedTest
  @ValueSource(strings = {"scan", "count", "export", "diff"})
  void range_besideADamagedBlock_isRead(String command) throws IOException {
    Path dir = Fixtures.copy("bloom", temp);
    List<String> line = new ArrayList<>(List.of(command, dir.toString()));
    if (command.equals("diff")) {
      line.add(dir.toString());
    }
    line.addAll(List.of("--from", "user:9"));
    Cli whole = Cli.run(line.toArray(String[]::new));
    Fixtures.damage(dir.resolve("000011.ldb"), 20);
    Cli damaged = Cli.run(line.toArray(String[]::new));
    assertThat(damaged.exitCode()).as(damaged.err()).isZero();
    assertThat(damaged.out()).isEqualTo(whole.out());
    KeyBounds bounds = CommandLine.populateCommand(new KeyBounds(), "--from", "user:9");
    try (ReadOnlyDB db = DB.openReadOnly(dir, Options.DEFAULT)) {
      assertThat(bounds.approximateSize(db)).isEqualTo(Progress.UNKNOWN);
    }
  }

  @Test
  void limit_notANumber_saysSo() {
    Cli wrong = Cli.run("scan", "dir", "--limit", "x");
    assertThat(wrong.exitCode()).isEqualTo(2);
    assertThat(wrong.err()).startsWith("kv: --limit: 'x' is not a number\n");
    assertThat(Cli.run("scan", "dir", "--limit", "99999999999999999999").err())
        .startsWith("kv: --limit: '99999999999999999999' is too large a number\n");
  }

  @Test
  void putGetDelete_oneKey_roundTrip() {
    String dir = database();
    assertThat(Cli.run("put", dir, "k\\x00", "v\\xff").exitCode()).isZero();
    assertThat(Cli.run("get", dir, "k\\x00").out()).isEqualTo("v\\xff" + System.lineSeparator());
    assertThat(Cli.run("delete", dir, "k\\x00").exitCode()).isZero();
    Cli gone = Cli.run("get", dir, "k\\x00");
    assertThat(gone.exitCode()).isEqualTo(1);
    assertThat(gone.err()).isEqualTo("kv: no such key: k\\x00" + System.lineSeparator());
    assertThat(Cli.run("delete", dir, "").exitCode()).isZero();
    assertThat(Cli.run("get", dir, "").err())
        .isEqualTo("kv: no such key: the empty key" + System.lineSeparator());
  }

  @Test
  void argument_thatBeginsWithAnAt_isNoFileOfArguments() throws IOException {
    String dir = temp.resolve("at").toString();
    Path file = Files.writeString(temp.resolve("file"), "--all --yes");
    String name = "@" + file;
    assertThat(Cli.run("put", dir, "k", name, "--create").exitCode()).isZero();
    assertThat(Cli.run("get", dir, "k").out()).isEqualTo(name + "\n");
    assertThat(Cli.run("put", dir, name, "1").exitCode()).isZero();
    assertThat(Cli.run("delete", dir, name).exitCode()).isZero();
    assertThat(Cli.run("scan", dir).out()).isEqualTo("k\t" + name + "\n");
    Cli shell =
        Cli.runWithInput("delete %1$s\nput %1$s %1$s\nput k2 @@x\n".formatted(name), "shell", dir);
    assertThat(shell.exitCode()).as(shell.err()).isZero();
    assertThat(Cli.run("scan", dir).out())
        .isEqualTo("%1$s\t%1$s\nk\t%1$s\nk2\t@@x\n".formatted(name));
  }

  @Test
  void count_rangesAndAll_countKeys() throws IOException {
    String dir = Fixtures.copy("snappy-levels", temp).toString();
    assertThat(Cli.run("count", dir).out())
        .isEqualTo(Fixtures.entries("snappy-levels").size() + "\n");
    assertThat(Cli.run("count", dir, "--prefix", "key9").out()).isEqualTo(count("key9") + "\n");
    assertThat(Cli.run("count", dir, "--from", "key9", "--to", "key9").out()).isEqualTo("0\n");
    assertThat(Cli.run("count", dir, "--json").out())
        .isEqualTo("{\"count\":1507,\"keyBytes\":9704,\"valueBytes\":140663}\n");
  }

  private long count(String prefix) throws IOException {
    String hex = java.util.HexFormat.of().formatHex(prefix.getBytes());
    return Fixtures.entries("snappy-levels").stream().filter(line -> line.startsWith(hex)).count();
  }

  @Test
  void put_thirtyTimes_leavesNoMoreThanTwoTables() throws IOException {
    Path dir = temp.resolve("many");
    for (int i = 0; i < 30; i++) {
      Cli put = Cli.run("put", dir.toString(), "key" + i, "value" + i, "--create");
      assertThat(put.exitCode()).as(put.err()).isZero();
    }
    assertThat(Cli.hex(dir)).hasSize(30);
    try (Stream<Path> files = Files.list(dir)) {
      assertThat(files.filter(file -> file.toString().endsWith(".ldb"))).hasSizeLessThan(3);
    }
  }
}
