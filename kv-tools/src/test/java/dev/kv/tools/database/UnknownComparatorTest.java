package dev.kv.tools.database;

import static org.assertj.core.api.Assertions.assertThat;

import dev.kv.DB;
import dev.kv.Options;
import dev.kv.bytes.DBComparator;
import dev.kv.tools.Cli;
import dev.kv.tools.Fixtures;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Databases whose comparator has a name that kv does not know. */
class UnknownComparatorTest {
  /** Neither bytewise nor reverse. */
  private static final DBComparator BY_LENGTH =
      DBComparator.of(
          "mine.ByLength",
          (a, b) -> a.length() == b.length() ? a.compareTo(b) : a.length() - b.length());

  private static final DBComparator DESCENDING =
      DBComparator.of("mine.Descending", (a, b) -> b.compareTo(a));

  @TempDir Path temp;

  private Path database(DBComparator order, boolean flushed, String... keys) {
    Path dir = temp.resolve("db");
    Options options = Options.builder().createIfMissing(true).comparator(order).build();
    try (DB db = DB.open(dir, options)) {
      for (String key : keys) {
        db.put(key.getBytes(StandardCharsets.UTF_8), new byte[1]);
      }
      if (flushed) {
        db.admin().flush();
      }
    }
    return dir;
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "put DB k v",
        "delete DB k",
        "delete DB --from a",
        "batch DB",
        "load DB",
        "import DB",
        "ingest DB DB/000005.ldb",
        "compact DB",
        "repair DB",
      })
  void writeOrRepair_inAnOrderThatNoTableConfirms_isRefused(String command) throws IOException {
    Path dir = database(BY_LENGTH, true, "a", "bb", "c", "ddd", "ee");
    String before = Fixtures.listing(dir);
    for (String guess : new String[] {"bytewise", "reverse"}) {
      String words = command.replace("DB", dir.toString()) + " --comparator=" + guess;
      Cli run = Cli.runWithInput("", words.split(" "));
      assertThat(run.exitCode()).as(words).isEqualTo(1);
      assertThat(run.err())
          .contains("mine.ByLength", "no table confirms that its order is " + guess)
          .endsWith("if it is neither bytewise nor reverse, use the program that has it\n");
      assertThat(Fixtures.listing(dir)).isEqualTo(before);
    }
    try (DB db = DB.open(dir, Options.builder().comparator(BY_LENGTH).build())) {
      assertThat(db.get("ddd".getBytes(StandardCharsets.UTF_8))).hasSize(1);
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "one"})
  void write_withoutATableOfTwoKeys_isRefused(String inTable) {
    String[] keys = inTable.isEmpty() ? new String[] {"b", "a"} : new String[] {inTable};
    Path dir = database(DESCENDING, !inTable.isEmpty(), keys);
    Cli put = Cli.run("put", dir.toString(), "k", "v", "--comparator=reverse");
    assertThat(put.exitCode()).isEqualTo(1);
    assertThat(put.err()).contains("no table confirms that its order is reverse");
  }

  @Test
  void writeAndRepair_inTheOrderOfATable_work() {
    String dir = database(DESCENDING, true, "a", "b").toString();
    assertThat(Cli.run("put", dir, "c", "v", "--comparator=bytewise").exitCode()).isEqualTo(1);
    assertThat(Cli.run("put", dir, "c", "v", "--comparator=reverse").exitCode()).isZero();
    assertThat(Cli.run("repair", dir, "--comparator=reverse").exitCode()).isZero();
    assertThat(Cli.run("count", dir, "--comparator=reverse").out()).isEqualTo("3\n");
  }

  /** The copy would have the name of an order that its keys are not in. */
  @Test
  void copy_inAnOrderThatATableContradicts_isRefused() throws IOException {
    String dir = database(BY_LENGTH, true, "a", "bb", "c", "ddd", "ee").toString();
    String copy = temp.resolve("copy").toString();
    for (String guess : new String[] {"bytewise", "reverse"}) {
      for (String to : new String[] {"--json", "--to-comparator=bytewise"}) {
        Cli run = Cli.run("copy", dir, copy, "--comparator=" + guess, to);
        assertThat(run.exitCode()).as(run.out()).isEqualTo(1);
        assertThat(run.err())
            .contains("mine.ByLength", "no table confirms that its order is " + guess);
        assertThat(temp.resolve("copy")).doesNotExist();
      }
    }
  }

  /** The range may end after it begins in the order that kv does not know. */
  @ParameterizedTest
  @ValueSource(strings = {"scan", "count", "delete", "compact", "approximate-size"})
  void range_inAnUnknownOrder_asksForTheOrder(String command) {
    String dir = database(DESCENDING, true, "a", "b").toString();
    Cli run = Cli.run(command, dir, "--from", "b", "--to", "a");
    assertThat(run.exitCode()).as(run.err()).isEqualTo(1);
    assertThat(run.err()).contains("mine.Descending: tell by --comparator=reverse");
  }

  @Test
  void levels_inTheOppositeOrder_saysWhatIsWrong() {
    String dir = database(DESCENDING, true, "a", "b").toString();
    for (String command : new String[] {"levels", "count"}) {
      Cli run = Cli.run(command, dir, "--comparator=bytewise");
      assertThat(run.exitCode()).isEqualTo(1);
      assertThat(run.err())
          .containsPattern("table \\d+ ends before it begins")
          .contains("MANIFEST-");
    }
    assertThat(Cli.run("levels", dir, "--comparator=reverse").exitCode()).isZero();
  }

  @Test
  void reads_needNoTable() {
    String dir = database(DESCENDING, false, "a", "b").toString();
    assertThat(Cli.run("count", dir, "--comparator=reverse").out()).isEqualTo("2\n");
    Cli repair = Cli.run("repair", dir, "--dry-run", "--comparator=reverse");
    assertThat(repair.exitCode()).as(repair.err()).isZero();
    Path copy = temp.resolve("copy");
    assertThat(Cli.run("copy", dir, copy.toString(), "--comparator=reverse").exitCode()).isZero();
    assertThat(Files.exists(copy)).isTrue();
  }
}
