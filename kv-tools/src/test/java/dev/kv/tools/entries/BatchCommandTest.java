package dev.kv.tools.entries;

import static org.assertj.core.api.Assertions.assertThat;

import dev.kv.tools.Cli;
import dev.kv.tools.Fixtures;
import java.io.IOException;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class BatchCommandTest {
  @TempDir Path temp;

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
    Cli log = Cli.run("scan", dir.toString(), "--all-versions");
    assertThat(log.out()).contains("601\tput\ta\tb c\n").contains("605\tdelete\ttwice\t\n");
  }

  /** After a tab, a tab ends the key; after a space, the first of both does. */
  @Test
  void batch_tabInAValue_isOfTheValue() {
    String dir = temp.resolve("new").toString();
    Cli batch =
        Cli.runWithInput(
            "put ada 18\t15\nput bob\t1 2\nput\tcarl c\t3 4\t5\n", "batch", dir, "--create");
    assertThat(batch.exitCode()).as(batch.err()).isZero();
    assertThat(Cli.run("scan", dir).out())
        .isEqualTo("ada\t18\\x0915\nbob\t1 2\ncarl c\t3 4\\x095\n");
    assertThat(Cli.runWithInput("put\ta b\n", "batch", dir).err())
        .contains("line 1", "'put' needs a key and a value");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      value = {
        "hex | put 6b 76\\ndelete 64",
        "json | {\"type\":\"put\",\"key\":\"k\",\"value\":\"v\"}\\n"
            + "{\"type\":\"delete\",\"key\":\"d\"}"
      })
  void batch_otherFormats_areRead(String format, String lines) {
    Path dir = temp.resolve("new");
    String input = lines.replace("\\n", "\n");
    assertThat(Cli.runWithInput(input, "batch", dir.toString()).exitCode()).isEqualTo(1);
    Cli batch = Cli.runWithInput(input, "batch", dir.toString(), "--create", "--format", format);
    assertThat(batch.exitCode()).as(batch.err()).isZero();
    assertThat(Cli.run("scan", dir.toString(), "--all-versions").out())
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
}
