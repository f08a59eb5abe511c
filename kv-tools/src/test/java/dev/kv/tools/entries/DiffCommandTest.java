package dev.kv.tools.entries;

import static org.assertj.core.api.Assertions.assertThat;

import dev.kv.tools.Cli;
import dev.kv.tools.Fixtures;
import java.io.IOException;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class DiffCommandTest {
  @TempDir Path temp;

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
  void diff_ordersThatDiffer_fails() {
    String a = temp.resolve("a").toString();
    String b = temp.resolve("b").toString();
    Cli.runWithInput("a\t1\nb\t2\n", "load", a, "--create");
    Cli.runWithInput("a\t1\nb\t2\n", "load", b, "--create", "--comparator", "reverse");
    for (String[] command :
        new String[][] {
          {"diff", a, b}, {"diff", b, a}, {"diff", a, b, "--comparator", "bytewise"}
        }) {
      Cli diff = Cli.run(command);
      assertThat(diff.exitCode()).isEqualTo(1);
      assertThat(diff.out()).isEmpty();
      assertThat(diff.err())
          .contains("leveldb.BytewiseComparator", "kv.ReverseBytewiseComparator")
          .hasLineCount(1);
    }
    assertThat(Cli.run("diff", b, b).exitCode()).isZero();
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
}
