package dev.kv.core.background;

import static org.assertj.core.api.Assertions.assertThat;

import dev.kv.Snapshot;
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
    old =
        new OldTombstones(
            parts().versions(),
            parts().context().tables(),
            parts().context().comparator().userComparator());
  }

  @Test
  void writtenUntil_ofATime_hasTheTablesWithTombstonesFromBeforeIt() {
    Instant now = Instant.now();
    assertThat(old.writtenUntil(now.minusSeconds(3600))).isEmpty();
    List<FileMetadata> found = old.writtenUntil(now.plusSeconds(3600));
    assertThat(found).hasSize(1);
    assertThat(s(found.get(0).smallestUserKey())).isEqualTo("x");
    assertThat(old.isLeft(found.get(0), now.plusSeconds(3600))).isTrue();
  }

  @Test
  void writtenUntil_ofTablesFromAfterThePresent_hasThoseWithTombstones() {
    Instant before = Instant.now().minusSeconds(3600);
    List<FileMetadata> found = old.writtenUntil(before.minusSeconds(3600), before);
    assertThat(found).hasSize(1);
    assertThat(s(found.get(0).smallestUserKey())).isEqualTo("x");
  }

  @Test
  void isLeft_ofATableThatWasCompactedAway_isFalse() {
    FileMetadata table = old.writtenUntil(Instant.MAX).get(0);
    db.admin().resumeCompactions();
    db.admin().compactRange(null, null);
    assertThat(old.isLeft(table, Instant.MAX)).isFalse();
    assertThat(old.writtenUntil(Instant.MAX)).isEmpty();
  }

  @Test
  void isLeft_ofATableWhoseTombstonesAreInAnotherOne_isTrue() {
    try (Snapshot before = db.snapshot()) {
      delete("x");
      db.admin().flush();
      List<FileMetadata> tables = old.writtenUntil(Instant.MAX);
      db.admin().resumeCompactions();
      db.admin().compactRange(null, null);
      List<FileMetadata> now = old.writtenUntil(Instant.MAX);
      assertThat(now).hasSize(1).doesNotContainAnyElementsOf(tables);
      assertThat(tables).anyMatch(table -> old.isLeft(table, Instant.MAX));
      assertThat(get("x", before)).isEqualTo("1");
    }
  }
}
