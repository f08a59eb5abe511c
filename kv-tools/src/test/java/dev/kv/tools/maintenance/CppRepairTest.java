package dev.kv.tools.maintenance;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;

import dev.kv.DB;
import dev.kv.DBIterator;
import dev.kv.Options;
import dev.kv.tools.Cli;
import dev.kv.tools.Fixtures;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.util.HexFormat;
import java.util.List;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Directories that C++ LevelDB's RepairDB left: all tables at level 0, their numbers not in the
 * order of their sequence numbers. {@code make.py} beside them makes them.
 */
class CppRepairTest {
  private static final Path GOLDEN = Path.of("src/test/resources/repaired");

  @TempDir Path temp;

  /** Returns the lines of entries.txt: name, number of entries, SHA-256 of the entries. */
  static List<String> golden() throws IOException {
    return Files.readAllLines(GOLDEN.resolve("entries.txt"));
  }

  private Path copy(String line) throws IOException {
    return Fixtures.copy(GOLDEN.resolve(line.split(" ")[0]), temp);
  }

  private static void assertEntries(Path dir, String line) throws Exception {
    byte[] entries = Cli.run("scan", dir.toString(), "--format", "hex").bytes();
    assertThat(new String(entries, US_ASCII).lines().count() + " " + sha256(entries))
        .isEqualTo(line.substring(line.indexOf(' ') + 1));
  }

  private static String sha256(byte[] bytes) throws Exception {
    return HexFormat.of().formatHex(MessageDigest.getInstance("SHA-256").digest(bytes));
  }

  @ParameterizedTest
  @MethodSource("golden")
  void verify_repairedByCpp_isWholeAndUntouched(String line) throws IOException {
    Path dir = copy(line);
    String before = Fixtures.listing(dir);
    Cli verify = Cli.run("verify", dir.toString());
    assertThat(verify.exitCode()).as(verify.out() + verify.err()).isZero();
    assertThat(verify.out()).endsWith("whole\n");
    assertThat(Fixtures.listing(dir)).isEqualTo(before);
  }

  @ParameterizedTest
  @MethodSource("golden")
  void open_repairedByCpp_readsWhatCppReads(String line) throws Exception {
    Path dir = copy(line);
    assertEntries(dir, line);
    try (DB db = DB.open(dir, Options.DEFAULT);
        DBIterator entries = db.iterator()) {
      for (entries.seekToFirst(); entries.isValid(); entries.next()) {
        assertThat(db.get(entries.key())).isEqualTo(entries.value());
      }
      db.admin().compactRange(null, null);
    }
    assertEntries(dir, line);
    assertThat(Cli.run("verify", dir.toString()).exitCode()).isZero();
  }

  @ParameterizedTest
  @MethodSource("golden")
  void repair_repairedByCpp_keepsEveryEntry(String line) throws Exception {
    Path dir = copy(line);
    Cli repair = Cli.run("repair", dir.toString(), "--json");
    assertThat(repair.exitCode()).as(repair.err()).isZero();
    assertEntries(dir, line);
    assertThat(Cli.run("verify", dir.toString()).exitCode()).isZero();
  }
}
