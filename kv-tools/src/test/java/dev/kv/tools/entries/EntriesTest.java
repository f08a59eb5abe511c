package dev.kv.tools.entries;

import static org.assertj.core.api.Assertions.assertThat;

import dev.kv.tools.Cli;
import dev.kv.tools.Fixtures;
import java.io.IOException;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The commands that read and write entries where they are. */
class EntriesTest {
  @TempDir Path temp;

  private String database() {
    String dir = temp.resolve("db").toString();
    Cli load =
        Cli.runWithInput(
            "6131 7631\n6132 7632\n62 \n 7a\nff00 0a\n", "load", dir, "--format", "hex");
    assertThat(load.exitCode()).as(load.err()).isZero();
    return dir;
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
        .isEqualTo("{\"key\":\"\\\\xff\\\\x00\",\"value\":\"\\\\x0a\"}\n");
  }

  @Test
  void reverseComparator_needsItsFlag() {
    String dir = temp.resolve("reverse").toString();
    Cli load = Cli.runWithInput("61 31\n62 32\n", "load", dir, "--comparator", "reverse");
    assertThat(load.exitCode()).as(load.err()).isZero();
    Cli without = Cli.run("scan", dir);
    assertThat(without.exitCode()).isEqualTo(1);
    assertThat(without.err()).contains("kv.ReverseBytewiseComparator");
    assertThat(Cli.run("scan", dir, "--comparator", "reverse").out()).isEqualTo("b\t2\na\t1\n");
    assertThat(Cli.run("scan", dir, "--raw").out()).contains("put\ta\t1").contains("put\tb\t2");
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
}
