package dev.kv.tools.report;

import static org.assertj.core.api.Assertions.assertThat;

import dev.kv.DB;
import dev.kv.Options;
import dev.kv.tools.Child;
import dev.kv.tools.Cli;
import dev.kv.tools.Fixtures;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.DisabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class ReportCommandTest {
  @TempDir Path temp;

  private String report(Path dir, int exitCode) throws IOException {
    Path page = temp.resolve("report.html");
    Cli report = Cli.run("report", dir.toString(), "-o", page.toString());
    assertThat(report.exitCode()).as(report.err()).isEqualTo(exitCode);
    String html = Files.readString(page);
    assertThat(html)
        .startsWith("<!DOCTYPE html>")
        .endsWith("</body></html>\n")
        .contains("What to do", "Result of verify", "prefers-color-scheme: dark")
        .doesNotContain("http:", "https:", "<script", "src=");
    return html;
  }

  @ParameterizedTest
  @ValueSource(strings = {"snappy-levels", "plain", "bloom", "extremes"})
  void report_ofADatabaseOfCpp_showsItAndChangesNothing(String fixture) throws IOException {
    Path dir = Fixtures.copy(fixture, temp);
    String before = Fixtures.listing(dir);
    String html = report(dir, 0);
    assertThat(html)
        .contains("verify: whole", "<rect ", "leveldb.BytewiseComparator")
        .contains(dir + ", last written at 2", "shown by kv", "compression: ")
        .doesNotContain("0 to 0 bytes", "INFO_LOG");
    assertThat(Fixtures.listing(dir)).isEqualTo(before);
    assertThat(report(dir, 0)).as("an earlier report is replaced").isEqualTo(html);
  }

  @Test
  void report_toStandardOutput_isTheSamePage() throws IOException {
    Path dir = Fixtures.copy("plain", temp);
    assertThat(Cli.run("report", dir.toString(), "-o", "-").out()).isEqualTo(report(dir, 0));
    assertThat(Path.of("-")).doesNotExist();
  }

  @Test
  void report_ofADamagedDatabase_showsTheDamage() throws IOException {
    Path dir = Fixtures.copy("plain", temp);
    Fixtures.damage(dir.resolve("000005.ldb"), 5000);
    assertThat(report(dir, 1)).contains("verify: damaged", "000005.ldb", "kv repair");
    Files.delete(dir.resolve("CURRENT"));
    assertThat(report(dir, 1)).contains("verify: damaged", "CURRENT");
  }

  @Test
  void report_besideAWriter_showsItsEntriesAndEscapesKeys() throws IOException {
    Path dir = temp.resolve("db");
    try (DB db = DB.open(dir, Options.builder().createIfMissing(true).build())) {
      db.put("a<b>".getBytes(StandardCharsets.UTF_8), new byte[1]);
      for (int round = 0; round < 2; round++) {
        for (int i = 0; i < 20_000; i++) {
          String key = (i % 3 == 0 ? "user:<b>" : "order/") + i;
          db.put(key.getBytes(StandardCharsets.UTF_8), new byte[20 + i % 200]);
        }
        db.admin().flush();
      }
      for (int i = 0; i < 20_000; i += 3) {
        db.delete(("user:<b>" + i).getBytes(StandardCharsets.UTF_8));
      }
      db.admin().flush();
      String html = report(dir, 0);
      assertThat(html)
          .contains("order/", "entries in tables")
          .contains("a&lt;b>")
          .doesNotContain("a<b>", "user:<b>");
      Files.createDirectories(Path.of("target"));
      Files.writeString(Path.of("target", "report-example.html"), html);
    }
  }

  @Test
  void report_inADirectoryThatIsMissing_isRefusedBeforeTheRead() throws IOException {
    Path dir = Fixtures.copy("plain", temp);
    Path page = temp.resolve("missing").resolve("report.html");
    Cli report = Cli.run("report", dir.toString(), "-o", page.toString());
    assertThat(report.exitCode()).isEqualTo(1);
    assertThat(report.err())
        .isEqualTo("kv: " + page.getParent() + ": no such directory" + System.lineSeparator());
  }

  @Test
  void report_thatCannotBeReplaced_keepsTheEarlierOne() throws IOException {
    Path dir = Fixtures.copy("plain", temp);
    String earlier = report(dir, 0);
    Path page = temp.resolve("report.html");
    Path partial = Files.createDirectory(temp.resolve("report.html.partial"));
    Fixtures.damage(dir.resolve("000005.ldb"), 5000);
    Cli report = Cli.run("report", dir.toString(), "-o", page.toString());
    assertThat(report.exitCode()).isEqualTo(1);
    assertThat(report.err()).contains(partial.toString()).hasLineCount(1);
    assertThat(page).hasContent(earlier);
    Files.delete(partial);
    Path link = Files.createSymbolicLink(temp.resolve("link.html"), page);
    assertThat(Cli.run("report", dir.toString(), "-o", link.toString()).exitCode()).isEqualTo(1);
    assertThat(link).isSymbolicLink().content().isEqualTo(report(dir, 1)).contains("damaged");
    assertThat(partial).doesNotExist();
  }

  @Test
  void report_ontoAFileThatIsNone_isRefused() throws IOException {
    Path dir = Fixtures.copy("plain", temp);
    Path mine = Files.writeString(temp.resolve("mine.html"), "<html>");
    for (Path target : new Path[] {mine, dir, dir.resolve("CURRENT")}) {
      Cli report = Cli.run("report", dir.toString(), "-o", target.toString());
      assertThat(report.exitCode()).isEqualTo(1);
      assertThat(report.err()).contains("is no report").hasLineCount(1);
    }
    assertThat(mine).hasContent("<html>");
    assertThat(Cli.run("verify", dir.toString()).exitCode()).isZero();
  }

  /** A limit of the size of files stands for a full disk. */
  @Test
  @DisabledOnOs(OS.WINDOWS)
  void report_fullDisk_namesThePage() throws Exception {
    Fixtures.copy("snappy-levels", temp);
    String line = "ulimit -f 8; " + Cli.inShell() + " report snappy-levels -o report.html";
    ProcessBuilder builder = Child.builder(List.of("sh", "-c", line)).directory(temp.toFile());
    builder.environment().put("LC_ALL", "C.UTF-8"); // the language of the system's messages
    Child report = Child.run(builder, temp);
    assertThat(report.exitCode()).isEqualTo(1);
    assertThat(report.err()).isEqualTo("kv: report.html: File too large\n");
    assertThat(temp.resolve("report.html")).doesNotExist();
  }
}
