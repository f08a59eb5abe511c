package dev.kv.core.recovery;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.kv.core.EnvFiles;
import dev.kv.core.db.DbTestBase;
import dev.kv.core.env.FileName;
import dev.kv.env.Env;
import dev.kv.errors.CorruptionException;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What an open makes of the logs beside small tables of level 0. */
class RecoveredTablesTest extends DbTestBase {
  private Env env;

  @BeforeEach
  void openInMemory() {
    env = Env.inMemory();
    open(defaults().toBuilder().env(env).build());
  }

  /** Leaves a table of level 0 with what the log has. */
  private void leaveTable(String key, String value) {
    put(key, value);
    reopen();
  }

  private List<String> tables() {
    return files(FileName.Kind.TABLE);
  }

  @Test
  void open_withAnEntryInTheLog_makesATableOfLevel0AndCountsIt() {
    leaveTable("a", "1");
    assertThat(filesAt(0)).isEqualTo(1);
    assertThat(db.admin().stats().levels().get(0).compactionBytesWritten()).isPositive();
    assertThat(get("a")).isEqualTo("1");
  }

  @Test
  void open_besideASmallTable_mergesBoth() {
    leaveTable("a", "1");
    put("a", "2");
    delete("b");
    leaveTable("c", "3");
    assertThat(filesAt(0)).isEqualTo(1);
    assertThat(tables()).as("the old one is deleted").hasSize(1);
    assertThat(contents()).isEqualTo("(a->2)(c->3)");
    assertThat(allEntriesFor("a")).isEqualTo("[ 2, 1 ]");
    assertThat(allEntriesFor("b")).as("its tombstone is kept").isEqualTo("[ DEL ]");
  }

  /** The open does not depend on the tables that it would merge. */
  @Test
  void open_besideASmallTableThatIsDamaged_leavesItAndMakesAnother() throws IOException {
    leaveTable("a", "1");
    String damaged = tables().get(0);
    put("c", "3");
    close();
    Path file = directory.resolve(damaged);
    byte[] content = EnvFiles.read(env, file);
    content[1] ^= 1;
    EnvFiles.write(env, file, content);
    open(options);
    assertThat(filesAt(0)).isEqualTo(2);
    assertThat(tables()).hasSize(2).contains(damaged);
    assertThat(get("c")).isEqualTo("3");
    assertThatThrownBy(() -> get("a")).isInstanceOf(CorruptionException.class);
  }
}
