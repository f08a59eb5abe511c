package dev.kv.tools.maintenance;

import static org.assertj.core.api.Assertions.assertThat;

import dev.kv.DB;
import dev.kv.Options;
import dev.kv.tools.Child;
import dev.kv.tools.Cli;
import dev.kv.tools.Fixtures;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.DisabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class RepairCommandTest {
  @TempDir Path temp;

  /**
   * Repairs a database, once without a change and once for good, and returns the report of both.
   */
  private static String repairAsTheDryRunSays(Path dir) throws IOException {
    String before = Fixtures.listing(dir);
    Cli dry = Cli.run("repair", dir.toString(), "--dry-run", "--json");
    assertThat(dry.exitCode()).as(dry.err()).isZero();
    assertThat(Fixtures.listing(dir)).isEqualTo(before);
    Cli repair = Cli.run("repair", dir.toString(), "--json");
    assertThat(repair.exitCode()).as(repair.err()).isZero();
    assertThat(dry.out()).endsWith(",\"whole\":false}\n");
    assertThat(repair.out()).isEqualTo(dry.out().replace(",\"whole\":false", ""));
    return repair.out();
  }

  @Test
  void repair_damagedTable_keepsTheRestAndDryRunChangesNothing() throws IOException {
    Path dir = Fixtures.copy("snappy-levels", temp);
    Fixtures.damage(dir.resolve("000017.ldb"), 5000);
    assertThat(repairAsTheDryRunSays(dir))
        .contains("\"tablesRewritten\":1", "\"filesReplaced\":2,\"filesLost\":1,");
    assertThat(Cli.run("verify", dir.toString()).exitCode()).isZero();
    List<String> left = Cli.run("scan", dir.toString(), "--format", "hex").out().lines().toList();
    assertThat(left).hasSizeGreaterThan(1400);
  }

  @Test
  void repair_tableWithoutFooter_bringsEverythingBackAsTheDryRunSays() throws IOException {
    Path dir = Fixtures.copy("snappy-levels", temp);
    Path table = dir.resolve("000017.ldb");
    byte[] bytes = Files.readAllBytes(table);
    Files.write(table, Arrays.copyOf(bytes, bytes.length - 48));
    assertThat(repairAsTheDryRunSays(dir)).contains("\"tablesRewritten\":1", "\"bytesLost\":0");
    assertThat(Cli.run("scan", dir.toString(), "--format", "hex").out().lines())
        .containsExactlyElementsOf(Fixtures.entries("snappy-levels"));
  }

  @Test
  void dryRun_wholeDatabase_saysSoAndCallsNothingLost() throws IOException {
    Path dir = Fixtures.copy("snappy-levels", temp);
    Cli dry = Cli.run("repair", dir.toString(), "--dry-run");
    assertThat(dry.exitCode()).as(dry.err()).isZero();
    assertThat(dry.out())
        .startsWith("the database is whole and needs no repair\na repair would give\n")
        .containsPattern("filesReplaced +2\n")
        .containsPattern("filesLost +0\n");
    assertThat(Cli.run("repair", dir.toString(), "--dry-run", "--json").out())
        .contains("\"filesReplaced\":2,\"filesLost\":0,", "\"whole\":true");
  }

  /** A compaction that a crash ended leaves such a table. */
  @Test
  void dryRun_wholeDatabaseWithAnUnusedTable_callsNothingLost() throws IOException {
    Path dir = Fixtures.copy("snappy-levels", temp);
    Files.createFile(dir.resolve("000999.ldb"));
    assertThat(Cli.run("repair", dir.toString(), "--dry-run", "--json").out())
        .contains("\"filesReplaced\":3,\"filesLost\":0,", "\"bytesLost\":0,\"whole\":true");
  }

  @Test
  void repair_twice_countsTheFilesOfEachRepair() throws IOException {
    Path dir = Fixtures.copy("snappy-levels", temp);
    for (int i = 0; i < 2; i++) {
      Cli repair = Cli.run("repair", dir.toString(), "--json");
      assertThat(repair.out()).contains("\"filesReplaced\":2,\"filesLost\":0,");
    }
  }

  @Test
  void repair_damagedLog_isLostAndNotReplaced() throws IOException {
    Path dir = Fixtures.copy("log-only", temp);
    Fixtures.damage(dir.resolve("000003.log"), 20);
    assertThat(repairAsTheDryRunSays(dir)).contains("\"filesReplaced\":1,\"filesLost\":1,");
  }

  @Test
  @DisabledOnOs(OS.WINDOWS)
  void repair_logThatIsALinkToNothing_movesItAsTheDryRunSays() throws IOException {
    Path dir = Fixtures.copy("reused-logs", temp);
    Path log = newestLog(dir);
    Files.delete(log);
    Files.createSymbolicLink(log, Path.of("nowhere"));
    Cli dry = Cli.run("repair", dir.toString(), "--dry-run", "--json");
    assertThat(dry.exitCode()).as(dry.err()).isZero();
    assertThat(log).isSymbolicLink();
    Cli repair = Cli.run("repair", dir.toString(), "--json");
    assertThat(repair.out()).contains("\"filesLost\":1,");
    assertThat(dry.out()).isEqualTo(repair.out().replace("}", ",\"whole\":false}"));
    assertThat(dir.resolve("lost").resolve(log.getFileName())).isSymbolicLink();
  }

  private static Path newestLog(Path dir) throws IOException {
    try (Stream<Path> files = Files.list(dir)) {
      return files
          .filter(file -> file.toString().endsWith(".log"))
          .max(Comparator.naturalOrder())
          .orElseThrow();
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"file", "link", "pipe"})
  @DisabledOnOs(OS.WINDOWS)
  @Timeout(value = 60, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
  void repair_withoutAPlaceForOldFiles_failsAsTheDryRun(String kind) throws Exception {
    Path dir = Fixtures.copy("plain", temp);
    Path lost = dir.resolve("lost");
    Path elsewhere = Files.createDirectory(temp.resolve("elsewhere"));
    switch (kind) {
      case "file" -> Files.writeString(lost, "found");
      case "link" -> Files.createSymbolicLink(lost, elsewhere);
      default ->
          assertThat(new ProcessBuilder("mkfifo", lost.toString()).start().waitFor()).isZero();
    }
    Files.createFile(dir.resolve("LOCK"));
    List<String> before = sizes(dir);
    for (String how : List.of("--dry-run", "--json")) {
      Cli run = Cli.run("repair", dir.toString(), how);
      assertThat(run.exitCode()).as(how).isEqualTo(1);
      assertThat(run.err())
          .as(how)
          .contains("cannot repair the database in " + dir + ": " + lost + ": is ")
          .contains(": nothing is moved ", "; no file was changed");
      assertThat(sizes(dir)).as(how).isEqualTo(before);
    }
    assertThat(elsewhere).isEmptyDirectory();
  }

  /** Returns the names, sizes and times of the files of a directory, and opens none. */
  private static List<String> sizes(Path dir) throws IOException {
    List<String> sizes = new ArrayList<>();
    try (Stream<Path> files = Files.list(dir)) {
      for (Path file : files.sorted().toList()) {
        sizes.add(file + " " + Files.size(file) + " " + Files.getLastModifiedTime(file));
      }
    }
    return sizes;
  }

  /** The name in lost/ is that of a link that leads to itself. */
  @Test
  @DisabledOnOs(OS.WINDOWS)
  void dryRun_thatCannotMoveOldFiles_doesNotSayThatItRepaired() throws IOException {
    Path dir = Fixtures.copy("plain", temp);
    Path lost = Files.createDirectory(dir.resolve("lost"));
    Path name = newestLog(dir).getFileName();
    Files.createSymbolicLink(lost.resolve(name), name);
    Cli dry = Cli.run("repair", dir.toString(), "--dry-run");
    assertThat(dry.exitCode()).isEqualTo(1);
    assertThat(dry.err())
        .contains("can be repaired, but its old files cannot all be deleted or moved to lost/: ")
        .contains("nothing was changed")
        .doesNotContain("is repaired", "repair it again");
  }

  /** A limit of the size of files stands for a full disk. */
  @Test
  @DisabledOnOs(OS.WINDOWS)
  void repair_fullDisk_namesTheFileOrTheTemporaryDirectory() throws Exception {
    Path dir = Fixtures.copy("plain", temp);
    String before = Fixtures.listing(dir);
    assertThat(failureOfALimited("repair plain --dry-run"))
        .matches("kv: cannot write to \\S*kv-dry-run\\d+: File too large; .*-Djava.io.tmpdir=.*");
    assertThat(Fixtures.listing(dir)).isEqualTo(before);
    assertThat(failureOfALimited("repair plain"))
        .matches("kv: cannot repair .*\\.ldb: File too large; no file was changed.*")
        .doesNotContain("Exception");
  }

  private String failureOfALimited(String command) throws Exception {
    String line = "ulimit -f 8; " + Cli.inShell() + " " + command;
    ProcessBuilder builder = Child.builder(List.of("sh", "-c", line)).directory(temp.toFile());
    builder.environment().put("LC_ALL", "C.UTF-8"); // the language of the system's messages
    Child child = Child.run(builder, temp);
    assertThat(child.exitCode()).isEqualTo(1);
    return child.err().lines().reduce((before, last) -> last).orElse("");
  }

  @Test
  void repair_lostCurrent_bringsEverythingBack() throws IOException {
    Path dir = Fixtures.copy("plain", temp);
    Files.delete(dir.resolve("CURRENT"));
    Cli repair = Cli.run("repair", dir.toString());
    assertThat(repair.exitCode()).as(repair.err()).isZero();
    assertThat(repair.out()).startsWith("repaired").contains("tablesKept");
    assertThat(Cli.run("scan", dir.toString(), "--format", "hex").out().lines())
        .containsExactlyElementsOf(Fixtures.entries("plain"));
  }

  /**
   * The order is in the properties of tables; if only a log is left, it is a guess, and said so.
   */
  @Test
  void repair_withoutAManifestThatCanBeRead_takesTheOrderFromATable() throws IOException {
    Path dir = temp.resolve("reverse");
    Cli.run("put", dir.toString(), "b", "1", "--create", "--comparator", "reverse");
    Cli.run("put", dir.toString(), "c", "1");
    Path log = temp.resolve("log");
    Cli.run("put", log.toString(), "b", "1", "--create", "--comparator", "reverse");
    Cli.run("compact", dir.toString());
    for (Path each : List.of(dir, log)) {
      try (Stream<Path> files = Files.list(each)) {
        for (Path file : files.filter(f -> f.toString().contains("MANIFEST")).toList()) {
          Files.write(file, new byte[] {1, 2, 3});
        }
      }
    }
    Cli repair = Cli.run("repair", dir.toString());
    assertThat(repair.exitCode()).as(repair.err()).isZero();
    assertThat(repair.err()).doesNotContain("nothing tells");
    assertThat(Cli.run("scan", dir.toString()).out()).isEqualTo("c\t1\nb\t1\n");
    assertThat(Cli.run("repair", log.toString()).err())
        .contains("nothing tells the order of the keys");
  }

  /** The MANIFEST names the order, whether CURRENT names the MANIFEST or not. */
  @ParameterizedTest
  @ValueSource(strings = {"missing", "damaged", "names no file"})
  void repair_lostCurrentOfAnotherOrder_keepsTheOrder(String how) throws IOException {
    Path dir = temp.resolve("reverse");
    Cli.run("put", dir.toString(), "b", "1", "--create", "--comparator", "reverse");
    Cli.run("put", dir.toString(), "c", "1");
    Path other = Fixtures.copy("reverse-comparator", temp);
    for (Path current : List.of(dir.resolve("CURRENT"), other.resolve("CURRENT"))) {
      switch (how) {
        case "missing" -> Files.delete(current);
        case "damaged" -> Files.writeString(current, "nonsense");
        default -> Files.writeString(current, "MANIFEST-000999\n");
      }
    }
    Files.writeString(dir.resolve("MANIFEST-000998"), "not a MANIFEST");
    Cli repair = Cli.run("repair", dir.toString());
    assertThat(repair.exitCode()).as(repair.err()).isZero();
    assertThat(Cli.run("scan", dir.toString()).out()).isEqualTo("c\t1\nb\t1\n");
    assertThat(Cli.run("verify", dir.toString()).exitCode()).isZero();
    String before = Fixtures.listing(other);
    Cli unknown = Cli.run("repair", other.toString());
    assertThat(unknown.exitCode()).isEqualTo(1);
    assertThat(unknown.err()).contains("fixture.ReverseBytewise", "--comparator");
    assertThat(Fixtures.listing(other)).isEqualTo(before);
    assertThat(Cli.run("repair", other.toString(), "--comparator", "reverse").exitCode()).isZero();
    Cli scan = Cli.run("scan", other.toString());
    assertThat(scan.err()).contains("fixture.ReverseBytewise");
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void comparatorThatContradictsTheManifest_isRefused(boolean lostCurrent) throws IOException {
    Path dir = temp.resolve("reverse");
    Cli.run("put", dir.toString(), "b", "1", "--create", "--comparator", "reverse");
    if (lostCurrent) {
      Files.delete(dir.resolve("CURRENT"));
    }
    String before = Fixtures.listing(dir);
    for (String command : lostCurrent ? List.of("repair") : List.of("repair", "verify", "stats")) {
      Cli refused = Cli.run(command, dir.toString(), "--comparator", "bytewise");
      assertThat(refused.exitCode()).as(command).isEqualTo(1);
      assertThat(refused.err()).contains("kv.ReverseBytewiseComparator", "leave it out");
    }
    assertThat(Fixtures.listing(dir)).isEqualTo(before);
  }

  @Test
  void repair_lostAllButTheLog_bringsItsEntriesBack() throws IOException {
    Path dir = Fixtures.onlyTheLog(temp);
    Cli repair = Cli.run("repair", dir.toString());
    assertThat(repair.exitCode()).as(repair.err()).isZero();
    assertThat(Cli.hex(dir)).containsExactlyElementsOf(Fixtures.entries("log-only"));
  }

  @Test
  void repair_missingTable_namesTheCause() throws IOException {
    Path dir = Fixtures.copy("snappy-levels", temp);
    Files.delete(dir.resolve("000017.ldb"));
    Cli repair = Cli.run("repair", dir.toString());
    assertThat(repair.exitCode()).as(repair.err()).isZero();
    assertThat(repair.err()).contains("the MANIFEST names tables that are missing");
  }

  @Test
  void repair_lockedOrNoDatabase_fails() throws IOException {
    Path dir = Fixtures.copy("plain", temp);
    try (DB held = DB.open(dir, Options.DEFAULT)) {
      Cli repair = Cli.run("repair", dir.toString());
      assertThat(repair.exitCode()).isEqualTo(1);
      assertThat(repair.err()).contains("is open already");
    }
    Cli none = Cli.run("repair", Files.createDirectory(temp.resolve("none")).toString());
    assertThat(none.exitCode()).isEqualTo(1);
    assertThat(none.err()).contains("not a database");
    assertThat(Cli.run("repair", temp.resolve("absent").toString()).exitCode()).isEqualTo(1);
  }
}
