package dev.kv.core.background;

import static org.assertj.core.api.Assertions.assertThat;

import dev.kv.core.db.DbTestBase;
import dev.kv.core.version.FileMetadata;
import dev.kv.env.Env;
import java.time.Instant;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class OldTombstonesTest extends DbTestBase {
  private OldTombstones old;

  @BeforeEach
  void openWithTwoTables() {
    open(defaults().toBuilder().env(Env.inMemory()).build());
    db.admin().suspendCompactions();
    put("a", "1");
    db.admin().flush();
    put("x", "1");
    delete("y");
    db.admin().flush();
    old = new OldTombstones(parts().versions(), parts().context().tables());
  }

  @Test
  void writtenUntil_ofATime_hasTheTablesWithTombstonesFromBeforeIt() {
    Instant now = Instant.now();
    assertThat(old.writtenUntil(now.minusSeconds(3600))).isEmpty();
    List<FileMetadata> found = old.writtenUntil(now.plusSeconds(3600));
    assertThat(found).hasSize(1);
    assertThat(s(found.get(0).smallestUserKey())).isEqualTo("x");
    assertThat(old.isLive(found.get(0))).isTrue();
  }

  @Test
  void isLive_ofATableThatWasCompactedAway_isFalse() {
    FileMetadata table = old.writtenUntil(Instant.MAX).get(0);
    db.admin().resumeCompactions();
    db.admin().compactRange(null, null);
    assertThat(old.isLive(table)).isFalse();
    assertThat(old.writtenUntil(Instant.MAX)).isEmpty();
  }
}
