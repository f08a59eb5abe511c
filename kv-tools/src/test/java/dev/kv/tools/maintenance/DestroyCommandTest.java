package dev.kv.tools.maintenance;

import static org.assertj.core.api.Assertions.assertThat;

import dev.kv.DB;
import dev.kv.Options;
import dev.kv.tools.Cli;
import dev.kv.tools.Fixtures;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class DestroyCommandTest {
  @TempDir Path temp;

  @Test
  void destroy_answerIsNotYes_keepsTheDatabase() throws IOException {
    Path dir = Fixtures.copy("plain", temp);
    String before = Fixtures.listing(dir);
    for (String answer : new String[] {"", "\n", "no\n", "yess\n"}) {
      Cli refused = Cli.runWithInput(answer, "destroy", dir.toString());
      assertThat(refused.exitCode()).isEqualTo(1);
      assertThat(refused.err()).contains("nothing was deleted");
      assertThat(Fixtures.listing(dir)).isEqualTo(before);
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"y", "yes", " Y ", "YES"})
  void destroy_answerIsYes_deletesTheDatabase(String answer) throws IOException {
    Path dir = Fixtures.copy("plain", temp);
    assertThat(Cli.runWithInput(answer + "\n", "destroy", dir.toString()).exitCode()).isZero();
    assertThat(dir).doesNotExist();
  }

  @Test
  void destroy_otherFiles_stay() throws IOException {
    Path dir = Fixtures.copy("plain", temp);
    Path mine = Files.writeString(dir.resolve("notes.txt"), "mine");
    assertThat(Cli.run("destroy", dir.toString(), "--yes").exitCode()).isZero();
    assertThat(dir).isDirectoryContaining(file -> file.equals(mine));
    assertThat(Fixtures.listing(dir)).hasLineCount(1);
    Cli again = Cli.run("destroy", dir.toString(), "--yes");
    assertThat(again.exitCode()).isEqualTo(1);
    assertThat(again.err()).contains("not a database");
  }

  /** Logs of other programs may have such names, and a file LOG, too. */
  @Test
  void destroyAndRepair_logsOfAnotherProgram_areNoDatabase() throws IOException {
    Path dir = Files.createDirectory(temp.resolve("logs"));
    Files.writeString(dir.resolve("20241126.log"), "GET /index.html 200\n".repeat(5000));
    Files.writeString(dir.resolve("20241127.log"), "");
    Files.writeString(dir.resolve("LOG"), "started\n");
    Files.writeString(dir.resolve("notes.txt"), "mine");
    String before = Fixtures.listing(dir);
    for (String[] command :
        new String[][] {
          {"destroy", dir.toString(), "--yes"},
          {"repair", dir.toString()},
          {"repair", dir.toString(), "--dry-run"}
        }) {
      Cli refused = Cli.run(command);
      assertThat(refused.exitCode()).isEqualTo(1);
      assertThat(refused.err()).contains("not a database").hasLineCount(1);
      assertThat(Fixtures.listing(dir)).isEqualTo(before);
    }
  }

  @Test
  void destroy_databaseThatLostAllButItsLog_deletesIt() throws IOException {
    Path dir = Fixtures.onlyTheLog(temp);
    assertThat(Cli.run("destroy", dir.toString(), "--yes").exitCode()).isZero();
    assertThat(dir).doesNotExist();
  }

  @Test
  void destroy_lockedDatabase_fails() throws IOException {
    Path dir = Fixtures.copy("plain", temp);
    try (DB held = DB.open(dir, Options.DEFAULT)) {
      Cli destroy = Cli.run("destroy", dir.toString(), "--yes");
      assertThat(destroy.exitCode()).isEqualTo(1);
      assertThat(destroy.err()).contains("is open already");
    }
    assertThat(Cli.run("verify", dir.toString()).exitCode()).isZero();
  }
}
