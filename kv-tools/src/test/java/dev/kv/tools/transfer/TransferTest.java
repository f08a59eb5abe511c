package dev.kv.tools.transfer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;

import dev.kv.FilterPolicy;
import dev.kv.Options;
import dev.kv.table.TableWriter;
import dev.kv.tools.Child;
import dev.kv.tools.Cli;
import dev.kv.tools.Fixtures;
import dev.kv.tools.text.Json;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.SequenceInputStream;
import java.nio.charset.Charset;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.DisabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The commands that carry entries from one database to another, and load. */
class TransferTest {
  @TempDir Path temp;

  @ParameterizedTest
  @EnumSource(TransferFormat.class)
  void exportImport_everyFormat_roundTripsAnyBytes(TransferFormat format) throws IOException {
    Path dir = Fixtures.copy("extremes", temp);
    Cli.run("put", dir.toString(), "\\x00\\xff\\x0a\\x5c\"", "\\x00'\\x1b");
    String name = format.name().toLowerCase(java.util.Locale.ROOT);
    Cli exported = Cli.run("export", dir.toString(), "--format", name);
    assertThat(exported.exitCode()).as(exported.err()).isZero();
    Path file = Files.write(temp.resolve("entries"), exported.bytes());
    Path copy = temp.resolve("copy");
    Cli imported =
        Cli.run("import", copy.toString(), file.toString(), "--create", "--format", name);
    assertThat(imported.exitCode()).as(imported.err()).isZero();
    assertThat(Cli.hex(copy)).isEqualTo(Cli.hex(dir));
    assertThat(imported.out()).isEqualTo(Cli.hex(dir).size() + " entries\n");
    assertThat(Cli.run("diff", dir.toString(), copy.toString()).exitCode()).isZero();
  }

  @Test
  void load_sorted_isWholeOrRefused() throws IOException {
    Path dir = Fixtures.copy("extremes", temp);
    Path copy = temp.resolve("copy");
    String entries = Cli.run("scan", dir.toString(), "--format", "hex").out();
    for (String how : new String[] {"--sorted", "--sort", "--sorted"}) {
      Cli load =
          Cli.runWithInput(entries, "load", copy.toString(), "--create", "--format", "hex", how);
      assertThat(load.exitCode()).as(load.err()).isZero();
      assertThat(Cli.hex(copy)).isEqualTo(Cli.hex(dir));
    }
    String unsorted = "b\t1\nc\t2\na\t3\n";
    String other = temp.resolve("other").toString();
    Cli refused = Cli.runWithInput(unsorted, "load", other, "--create", "--sorted");
    assertThat(refused.exitCode()).isEqualTo(1);
    assertThat(refused.err())
        .contains(
            "entry 3: the key 'a' is not after the key before it, 'c'; --sort takes any order")
        .contains("nothing was put");
    assertThat(temp.resolve("other")).doesNotExist();
    assertThat(Cli.runWithInput(unsorted, "load", other, "--sort", "--create").exitCode()).isZero();
    assertThat(Cli.run("scan", other).out()).isEqualTo("a\t3\nb\t1\nc\t2\n");
    assertThat(Cli.runWithInput("", "load", other, "--sorted").exitCode()).isZero();
    assertThat(Cli.runWithInput("", "load", other, "--sorted", "--sort").exitCode()).isEqualTo(2);
  }

  @Test
  void ingest_tables_addsThemOrNamesTheWrongOne() throws IOException {
    Path dir = temp.resolve("db");
    Path table = temp.resolve("table");
    try (TableWriter writer = TableWriter.forIngest(table, Options.DEFAULT)) {
      writer.put("a".getBytes(), "1".getBytes());
      writer.put("b".getBytes(), "2".getBytes());
      writer.finish();
    }
    Cli missing = Cli.run("ingest", dir.toString(), table.toString());
    assertThat(missing.exitCode()).isEqualTo(1);
    Cli ingest = Cli.run("ingest", dir.toString(), table.toString(), "--create");
    assertThat(ingest.exitCode()).as(ingest.err()).isZero();
    assertThat(ingest.out()).isEqualTo("1 table\n");
    assertThat(Cli.run("scan", dir.toString()).out()).isEqualTo("a\t1\nb\t2\n");
    assertThat(Cli.run("verify", dir.toString()).exitCode()).isZero();
    Path cpp = Fixtures.copy("plain", temp).resolve("000005.ldb");
    Cli refused = Cli.run("ingest", dir.toString(), cpp.toString());
    assertThat(refused.exitCode()).isEqualTo(1);
    assertThat(refused.err()).contains("000005.ldb was not written by").hasLineCount(1);
    assertThat(Cli.run("ingest", dir.toString()).exitCode()).isEqualTo(2);
  }

  @ParameterizedTest
  @ValueSource(strings = {"text", "utf8", "json"})
  void load_bytesThatAreNotUtf8_isRefused(String format) {
    String dir = temp.resolve("new").toString();
    String line = format.equals("json") ? "{\"key\":\"k\",\"value\":\"v~\"}\n" : "k\tv~\n";
    byte[] input = line.getBytes(StandardCharsets.UTF_8);
    input[line.indexOf('~')] = (byte) 0xff;
    Cli load = Cli.runWithInput(input, "load", dir, "--create", "--format", format);
    assertThat(load.exitCode()).isEqualTo(1);
    assertThat(load.err()).contains("line 1", "not UTF-8", "nothing was put").hasLineCount(1);
    assertThat(temp.resolve("new")).doesNotExist();
  }

  @Test
  void load_jsonWithHalfOfASurrogatePair_isRefused() {
    String dir = temp.resolve("new").toString();
    String line = "{\"key\":\"k\",\"value\":\"\\ud800\"}\n";
    Cli load = Cli.runWithInput(line, "load", dir, "--create", "--json");
    assertThat(load.exitCode()).isEqualTo(1);
    assertThat(load.err()).contains("line 1", "half of a character").hasLineCount(1);
    String pair = "{\"key\":\"k\",\"value\":\"\\ud83d\\ude00\"}\n";
    assertThat(Cli.runWithInput(pair, "load", dir, "--create", "--json").exitCode()).isZero();
    assertThat(Cli.run("get", dir, "k", "--utf8").out()).isEqualTo("\ud83d\ude00\n");
  }

  @Test
  void json_ofAnyValue_isDecodedToTheSameBytes() throws IOException {
    String dir = temp.resolve("new").toString();
    String document = "{\"a\\b\":\"\u00e4\\n\"}";
    Cli.run("put", dir, "document", document.replace("\\", "\\\\"), "--create");
    Cli.run("put", dir, "\\xff", "\\xfe\\xff");
    String printed = Cli.run("scan", dir, "--json").out();
    Map<String, String> first = Json.strings(printed.lines().toList().get(0));
    Map<String, String> second = Json.strings(printed.lines().toList().get(1));
    assertThat(first).isEqualTo(Map.of("key", "document", "value", document));
    assertThat(second).isEqualTo(Map.of("keyBase64", "/w==", "valueBase64", "/v8="));
    String copy = temp.resolve("copy").toString();
    Cli load = Cli.runWithInput(printed, "load", copy, "--create", "--format", "json");
    assertThat(load.exitCode()).as(load.err()).isZero();
    assertThat(Cli.hex(Path.of(copy))).isEqualTo(Cli.hex(Path.of(dir)));
    for (String bad :
        List.of(
            "{\"key\":\"a\",\"keyBase64\":\"YQ==\",\"value\":\"\"}",
            "{\"keyBase64\":\"a\",\"value\":\"\"}")) {
      Cli refused = Cli.runWithInput(bad, "load", copy, "--format", "json");
      assertThat(refused.exitCode()).isEqualTo(1);
      assertThat(refused.err()).contains("line 1", "keyBase64");
    }
  }

  @Test
  void ingest_emptyTableWithAFilter_addsNothing() throws IOException {
    String dir = temp.resolve("db").toString();
    Cli.run("put", dir, "k", "v", "--create");
    Path table = temp.resolve("table");
    Options options = Options.builder().filterPolicy(FilterPolicy.bloom(10)).build();
    try (TableWriter writer = TableWriter.forIngest(table, options)) {
      writer.finish();
    }
    Cli ingest = Cli.run("ingest", dir, table.toString());
    assertThat(ingest.exitCode()).as(ingest.err()).isZero();
    assertThat(Cli.run("scan", dir).out()).isEqualTo("k\tv\n");
  }

  @Test
  void export_range_isKept() throws IOException {
    Path dir = Fixtures.copy("snappy-levels", temp);
    assertThat(Cli.run("export", dir.toString(), "--prefix", "key99", "--format=hex").out().lines())
        .isNotEmpty()
        .isEqualTo(Cli.hex(dir, "--prefix", "key99").stream().toList())
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
    Cli cut = Cli.run("import", dir, file.toString(), "--create", "--format", "binary");
    assertThat(cut.exitCode()).isEqualTo(1);
    assertThat(cut.err()).contains("offset 16").hasLineCount(1);
    Files.write(file, new byte[] {-1, -1, -1, -1, 0, 0, 0, 1, 2});
    assertThat(Cli.run("import", dir, file.toString(), "--create", "--format", "binary").err())
        .contains("offset 0");
    Files.write(file, new byte[] {127, -1, -1, -1, 127, 0, 0, 1, 2});
    assertThat(Cli.run("import", dir, file.toString(), "--create", "--format", "binary").err())
        .contains("offset 0");
    assertThat(Cli.run("import", dir, temp.resolve("absent").toString(), "--create").err())
        .contains("no such file");
  }

  @Test
  void import_malformedLine_isNamed() {
    String dir = temp.resolve("new").toString();
    Cli json = Cli.runWithInput("{\"key\":\"a\"}\n", "import", dir, "--create", "--json");
    assertThat(json.exitCode()).isEqualTo(1);
    assertThat(json.err()).contains("line 1").contains("value");
    assertThat(
            Cli.runWithInput("6131 31\n613 31\n", "import", dir, "--create", "--format=hex").err())
        .contains("line 2");
  }

  @ParameterizedTest
  @ValueSource(strings = {"load", "import"})
  void input_brokenFirstLine_createsNoDatabase(String command) {
    Path dir = temp.resolve("new");
    Cli load = Cli.runWithInput("no tab\n", command, dir.toString(), "--create");
    assertThat(load.exitCode()).isEqualTo(1);
    assertThat(load.err()).contains("line 1", "nothing was put").hasLineCount(1);
    assertThat(dir).doesNotExist();
  }

  @ParameterizedTest
  @ValueSource(strings = {"load", "import", "put", "batch"})
  void noDatabase_isCreatedByTheFlagAlone(String command) {
    String dir = temp.resolve("new").toString();
    boolean isPut = command.equals("put");
    String entry = command.equals("batch") ? "put k v\n" : "k\tv\n";
    Cli without = isPut ? Cli.run(command, dir, "k", "v") : Cli.runWithInput(entry, command, dir);
    assertThat(without.exitCode()).isEqualTo(1);
    assertThat(without.err()).contains("--create creates a database there");
    assertThat(temp.resolve("new")).doesNotExist();
    Cli with =
        isPut
            ? Cli.run(command, dir, "k", "v", "--create")
            : Cli.runWithInput(entry, command, dir, "--create");
    assertThat(with.exitCode()).as(with.err()).isZero();
    assertThat(Cli.run("scan", dir).out()).isEqualTo("k\tv\n");
    assertThat(Cli.run("verify", dir).exitCode()).isZero();
  }

  @ParameterizedTest
  @ValueSource(strings = {"--sorted", "--sort"})
  void load_bulkOfMalformedInputWithCreate_createsNoDatabase(String how) throws IOException {
    Path dir = temp.resolve("new");
    Cli refused = Cli.runWithInput("a\t1\nbroken\n", "load", dir.toString(), "--create", how);
    assertThat(refused.exitCode()).isEqualTo(1);
    assertThat(refused.err()).contains("line 2", "nothing was put").hasLineCount(1);
    assertThat(dir).doesNotExist();
    assertThat(Cli.run("put", dir.toString(), "k", "v", "--create").exitCode()).isZero();
    assertThat(Cli.runWithInput("a\t1\nbroken\n", "load", dir.toString(), how).exitCode())
        .isEqualTo(1);
    assertThat(Cli.run("scan", dir.toString()).out()).isEqualTo("k\tv\n");
  }

  /** The log of a database that has lost its other files, or of something else. */
  @ParameterizedTest
  @ValueSource(strings = {"load", "import", "put", "batch", "load --sorted"})
  void create_inADirectoryWithALogAlone_keepsTheLog(String command) throws IOException {
    Path dir = Files.createDirectory(temp.resolve("logs"));
    Path log = Files.writeString(dir.resolve("20241126.log"), "request 1\n");
    List<String> words = new ArrayList<>(List.of(command.split(" ")));
    words.add(1, dir.toString());
    words.addAll(command.equals("put") ? List.of("k", "v", "--create") : List.of("--create"));
    String entry = command.equals("batch") ? "put k v\n" : "k\tv\n";
    Cli refused = Cli.runWithInput(entry, words.toArray(String[]::new));
    assertThat(refused.exitCode()).isEqualTo(1);
    assertThat(refused.err()).contains("a new database would delete the log").hasLineCount(1);
    assertThat(dir).isDirectoryContaining(log::equals);
    assertThat(Fixtures.listing(dir)).hasLineCount(1);
  }

  @ParameterizedTest
  @ValueSource(strings = {"load", "import", "batch", "load --sorted", "load --sort"})
  void emptyInput_withCreate_createsNoDatabase(String command) {
    Path dir = temp.resolve("new");
    List<String> words = new ArrayList<>(List.of(command.split(" ")));
    words.addAll(List.of(dir.toString(), "--create"));
    Cli empty = Cli.runWithInput("", words.toArray(String[]::new));
    assertThat(empty.exitCode()).as(empty.err()).isZero();
    assertThat(dir).doesNotExist();
  }

  @Test
  void ingest_refusedTableWithCreate_createsNoDatabase() throws IOException {
    Path cpp = Fixtures.copy("plain", temp).resolve("000005.ldb");
    Path dir = temp.resolve("new");
    Cli refused = Cli.run("ingest", dir.toString(), cpp.toString(), "--create");
    assertThat(refused.exitCode()).isEqualTo(1);
    assertThat(dir).doesNotExist();
  }

  /** Neither what is left of a database nor a table that is to be ingested is deleted. */
  @Test
  void ingest_refusedInADirectoryWithFilesOfADatabase_deletesNothing() throws IOException {
    Path dir = Fixtures.copy("plain", temp);
    Files.delete(dir.resolve("CURRENT"));
    Path table = dir.resolve("000005.ldb");
    Path log = Fixtures.copy("log-only", temp).resolve("000003.log");
    for (Path left : List.of(dir.resolve("MANIFEST-000002"), log, table)) {
      Path part = Files.createDirectory(temp.resolve("with-" + left.getFileName()));
      Path file = Files.copy(left, part.resolve(left.getFileName()));
      Cli refused = Cli.run("ingest", part.toString(), table.toString(), "--create");
      assertThat(refused.exitCode()).as("%s", left).isEqualTo(1);
      assertThat(file).hasSameBinaryContentAs(left);
    }
    String before = Fixtures.listing(dir);
    Cli refused = Cli.run("ingest", dir.toString(), table.toString(), "--create");
    assertThat(refused.exitCode()).isEqualTo(1);
    assertThat(Fixtures.listing(dir)).isEqualTo(before);
  }

  @Test
  void ingest_refusedInAnEmptyDirectory_keepsTheDirectory() throws IOException {
    Path table = Fixtures.copy("plain", temp).resolve("000005.ldb");
    Path dir = Files.createDirectory(temp.resolve("empty"));
    Cli refused = Cli.run("ingest", dir.toString(), table.toString(), "--create");
    assertThat(refused.exitCode()).isEqualTo(1);
    assertThat(dir).isEmptyDirectory();
  }

  @Test
  void ingest_damagedTable_namesNoRepairOfTheDatabase() throws IOException {
    String dir = temp.resolve("db").toString();
    Cli.run("put", dir, "k", "v", "--create");
    Path table = temp.resolve("table");
    try (TableWriter writer = TableWriter.forIngest(table, Options.DEFAULT)) {
      writer.put("a".getBytes(), "1".getBytes());
      writer.finish();
    }
    Fixtures.damage(table, 3);
    Cli refused = Cli.run("ingest", dir, table.toString());
    assertThat(refused.exitCode()).isEqualTo(1);
    assertThat(refused.err())
        .contains(table.toString(), "nothing was added")
        .doesNotContain("repair")
        .hasLineCount(1);
  }

  /** Messages have such a name escaped. */
  @Test
  void ingest_damagedTableWithANameThatIsNotAscii_namesNoRepairOfTheDatabase() throws IOException {
    assumeThat(
            Charset.forName(System.getProperty("sun.jnu.encoding"))
                .newEncoder()
                .canEncode('\u00e9'))
        .isTrue();
    String dir = temp.resolve("db").toString();
    Path table = temp.resolve("donn\u00e9es");
    try (TableWriter writer = TableWriter.forIngest(table, Options.DEFAULT)) {
      writer.put("a".getBytes(), "1".getBytes());
      writer.finish();
    }
    Fixtures.damage(table, 3);
    Cli refused = Cli.run("ingest", dir, table.toString(), "--create");
    assertThat(refused.exitCode()).isEqualTo(1);
    assertThat(refused.err()).contains("donn\\xe9es", "nothing was added").doesNotContain("repair");
  }

  /** The name of the table is the beginning of that of the database. */
  @Test
  void ingest_intoADamagedDatabase_namesItsRepair() throws IOException {
    Path dir = Fixtures.copy("log-only", temp);
    Fixtures.damage(dir.resolve("000003.log"), 20);
    Path table = temp.resolve("log");
    try (TableWriter writer = TableWriter.forIngest(table, Options.DEFAULT)) {
      writer.put("a".getBytes(), "1".getBytes());
      writer.finish();
    }
    Cli refused = Cli.run("ingest", dir.toString(), table.toString());
    assertThat(refused.exitCode()).isEqualTo(1);
    assertThat(refused.err())
        .contains("000003.log", "'kv repair'")
        .doesNotContain("Options.")
        .hasLineCount(1);
  }

  @Test
  void import_fromAHyphen_readsStandardInput() {
    String dir = temp.resolve("new").toString();
    assertThat(Cli.runWithInput("a\t1\n", "import", dir, "-", "--create").exitCode()).isZero();
    assertThat(Cli.run("scan", dir).out()).isEqualTo("a\t1\n");
  }

  @Test
  void load_malformedLaterLine_saysHowManyEntriesWerePut() {
    String dir = temp.resolve("new").toString();
    String value = "v".repeat(600_000);
    Cli load =
        Cli.runWithInput("a\t" + value + "\nb\t" + value + "\nbroken\n", "load", dir, "--create");
    assertThat(load.exitCode()).isEqualTo(1);
    assertThat(load.err()).contains("line 3", "the first 2 entries were put");
    assertThat(Cli.run("count", dir).out()).isEqualTo("2\n");
  }

  @Test
  void load_inputThatFails_saysHowManyEntriesWerePut() {
    String dir = temp.resolve("new").toString();
    String value = "v".repeat(600_000);
    String lines = "a\t" + value + "\nb\t" + value + "\nc\t1\n";
    InputStream broken =
        new InputStream() {
          @Override
          public int read() throws IOException {
            throw new IOException("Input/output error");
          }
        };
    InputStream input =
        new SequenceInputStream(
            new ByteArrayInputStream(lines.getBytes(StandardCharsets.UTF_8)), broken);
    Cli load = Cli.runWithInput(input, "load", dir, "--create");
    assertThat(load.exitCode()).isEqualTo(1);
    assertThat(load.err())
        .isEqualTo("kv: Input/output error; the first 2 entries were put" + System.lineSeparator());
    assertThat(Cli.run("count", dir).out()).isEqualTo("2\n");
  }

  /** A limit of the size of a file fails the append to the MANIFEST, and no write before it. */
  @Test
  @DisabledOnOs(value = OS.WINDOWS, disabledReason = "it has no such limit")
  void load_thatFailsInTheManifest_doesNotSayThatNothingWasPut() throws Exception {
    String dir = temp.resolve("db").toString();
    for (String first : List.of("a", "b", "c")) {
      Cli load = Cli.runWithInput(twoEntries(first, 30_000), "load", dir, "--sorted", "--create");
      assertThat(load.exitCode()).as(load.err()).isZero();
    }
    Files.writeString(temp.resolve("input"), twoEntries("d", 300_000));
    String line = "ulimit -f 400; " + Cli.inShell() + " load db --sorted < input";
    ProcessBuilder builder = Child.builder(List.of("sh", "-c", line)).directory(temp.toFile());
    Child load = Child.run(builder, temp);
    assertThat(load.exitCode()).isEqualTo(1);
    assertThat(load.err())
        .contains("whether it is there after the database is opened again is unknown")
        .contains("; all entries were put, or none")
        .doesNotContain("nothing was put");
  }

  private static String twoEntries(String first, int keyBytes) {
    String key = first + "x".repeat(keyBytes);
    return key + "1\tv\n" + key + "2\tv\n";
  }
}
