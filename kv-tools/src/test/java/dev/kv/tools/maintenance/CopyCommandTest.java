package dev.kv.tools.maintenance;

import static org.assertj.core.api.Assertions.assertThat;

import dev.kv.tools.Cli;
import dev.kv.tools.Fixtures;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.DisabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class CopyCommandTest {
  @TempDir Path temp;

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
    assertThat(Cli.hex(copy)).isEqualTo(Fixtures.entries("snappy-levels"));
    Cli verify = Cli.run("verify", copy.toString(), "--json");
    assertThat(verify.out())
        .contains("\"whole\":true,\"tables\":1,\"filters\":1")
        .contains("\"entries\":1507,\"tombstones\":0");
    assertThat(temp.resolve("copy.partial")).doesNotExist();
    Cli again = Cli.run("copy", dir.toString(), copy.toString());
    assertThat(again.exitCode()).isEqualTo(1);
    assertThat(again.err()).contains("already exists");
  }

  @ParameterizedTest
  @CsvSource({
    "--bloom-bits=-1, --bloom-bits must be from 0 to 100",
    "--bloom-bits=101, --bloom-bits must be from 0 to 100",
    "--block-size=-1, --block-size: -1 is out of range; the nearest is 1024",
    "--block-size=1023, --block-size: 1023 is out of range; the nearest is 1024",
    "--block-size=4194305, --block-size: 4194305 is out of range; the nearest is 4194304"
  })
  void copy_sizeOutOfRange_isWrongUsageAndLeavesNothing(String option, String message)
      throws IOException {
    Path dir = Fixtures.copy("plain", temp);
    Path copy = temp.resolve("copy");
    Cli cli = Cli.run("copy", dir.toString(), copy.toString(), option);
    assertThat(cli.exitCode()).isEqualTo(2);
    assertThat(cli.err()).startsWith("kv: " + message);
    assertThat(copy).doesNotExist();
    assertThat(temp.resolve("copy.partial")).doesNotExist();
  }

  @Test
  void copy_toAnotherOrder_turnsItRound() throws IOException {
    Path dir = Fixtures.copy("plain", temp);
    Path copy = temp.resolve("copy");
    Cli cli = Cli.run("copy", dir.toString(), copy.toString(), "--to-comparator", "reverse");
    assertThat(cli.exitCode()).as(cli.err()).isZero();
    List<String> turned = new java.util.ArrayList<>(Cli.hex(copy, "--comparator", "reverse"));
    java.util.Collections.reverse(turned);
    assertThat(turned).isEqualTo(Fixtures.entries("plain"));
  }

  @Test
  @DisabledOnOs(value = OS.WINDOWS, disabledReason = "symbolic links need a privilege there")
  void copy_toAParentThatIsALink_isWritten() throws IOException {
    Path dir = Fixtures.copy("plain", temp);
    Path real = Files.createDirectory(temp.resolve("real"));
    Path link = Files.createSymbolicLink(temp.resolve("link"), real);
    Cli cli = Cli.run("copy", dir.toString(), link.resolve("copy").toString());
    assertThat(cli.exitCode()).as(cli.err()).isZero();
    assertThat(Cli.hex(real.resolve("copy"))).isEqualTo(Fixtures.entries("plain"));
    assertThat(real.resolve("copy.partial")).doesNotExist();
  }

  @Test
  void copy_interruptedBefore_beginsAnew() throws IOException {
    Path dir = Fixtures.copy("plain", temp);
    Path partial = Files.createDirectory(temp.resolve("copy.partial"));
    Files.createFile(partial.resolve("LOCK"));
    Files.move(Fixtures.copy("bloom", temp), partial.resolve("files"));
    Path copy = temp.resolve("copy");
    Cli cli = Cli.run("copy", dir.toString(), copy.toString());
    assertThat(cli.exitCode()).as(cli.err()).isZero();
    assertThat(Cli.hex(copy)).isEqualTo(Fixtures.entries("plain"));
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
}
