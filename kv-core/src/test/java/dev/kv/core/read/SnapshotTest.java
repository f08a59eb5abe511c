package dev.kv.core.read;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.kv.DB;
import dev.kv.DBIterator;
import dev.kv.ReadOptions;
import dev.kv.Snapshot;
import dev.kv.core.db.Config;
import dev.kv.core.db.DbTestBase;
import dev.kv.errors.DBClosedException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Snapshots: frozen views, whatever happens to the entries behind them. */
class SnapshotTest extends DbTestBase {

  @ParameterizedTest
  @EnumSource
  void snapshot_overwrittenAndFlushed_keepsTheOldValue(Config config) {
    open(config.options());
    for (int i = 0; i < 2; i++) {
      String key = i == 0 ? "foo" : "x".repeat(200);
      put(key, "v1");
      try (Snapshot snapshot = db.snapshot()) {
        put(key, "v2");
        assertThat(get(key)).isEqualTo("v2");
        assertThat(get(key, snapshot)).isEqualTo("v1");
        db.admin().flush();
        assertThat(get(key)).isEqualTo("v2");
        assertThat(get(key, snapshot)).isEqualTo("v1");
        compact(null, null);
        assertThat(get(key, snapshot)).isEqualTo("v1");
      }
    }
  }

  @ParameterizedTest
  @EnumSource
  void snapshot_identicalOnes_areReleasedIndependently(Config config) {
    open(config.options());
    put("foo", "v1");
    Snapshot s1 = db.snapshot();
    Snapshot s2 = db.snapshot();
    Snapshot s3 = db.snapshot();
    assertThat(s1.sequence()).isEqualTo(s3.sequence());
    put("foo", "v2");
    assertThat(get("foo")).isEqualTo("v2");
    assertThat(get("foo", s1)).isEqualTo("v1");
    assertThat(get("foo", s2)).isEqualTo("v1");
    assertThat(get("foo", s3)).isEqualTo("v1");
    s1.close();
    db.admin().flush();
    assertThat(get("foo")).isEqualTo("v2");
    assertThat(get("foo", s2)).isEqualTo("v1");
    s2.close();
    s2.close();
    assertThat(get("foo", s3)).isEqualTo("v1");
    assertThat(db.admin().stats().views().snapshots()).isEqualTo(1);
    s3.close();
  }

  @ParameterizedTest
  @EnumSource
  void snapshot_ofAnEmptyDatabase_iteratesOverNothing(Config config) {
    open(config.options());
    Snapshot snapshot = db.snapshot();
    put("foo", "v1");
    put("foo", "v2");
    ReadOptions view = ReadOptions.at(snapshot);
    try (DBIterator cursor = db.iterator(view)) {
      cursor.seekToFirst();
      assertThat(cursor.isValid()).isFalse();
    }
    db.admin().flush();
    try (DBIterator cursor = db.iterator(view)) {
      cursor.seekToFirst();
      assertThat(cursor.isValid()).isFalse();
      cursor.seekToLast();
      assertThat(cursor.isValid()).isFalse();
    }
    snapshot.close();
  }

  @ParameterizedTest
  @EnumSource
  void snapshots_releasedOutOfOrder_eachKeepsItsView(Config config) {
    open(config.options());
    put("foo", "0v1");
    put("bar", "0v1");
    Snapshot s1 = db.snapshot();
    put("foo", "0v2");
    put("bar", "0v2");
    Snapshot s2 = db.snapshot();
    put("foo", "0v3");
    put("bar", "0v3");
    Snapshot s3 = db.snapshot();
    put("foo", "0v4");
    put("bar", "0v4");
    assertThat(get("foo", s1)).isEqualTo("0v1");
    assertThat(get("foo", s2)).isEqualTo("0v2");
    assertThat(get("foo", s3)).isEqualTo("0v3");
    assertThat(get("foo")).isEqualTo("0v4");
    s3.close();
    assertThat(get("bar", s1)).isEqualTo("0v1");
    assertThat(get("bar", s2)).isEqualTo("0v2");
    assertThat(get("bar")).isEqualTo("0v4");
    s1.close();
    assertThat(get("foo", s2)).isEqualTo("0v2");
    compact(null, null);
    assertThat(get("foo", s2)).isEqualTo("0v2");
    assertThat(allEntriesFor("foo")).isEqualTo("[ 0v4, 0v2 ]");
    s2.close();
    assertThat(get("foo")).isEqualTo("0v4");
  }

  @Test
  void snapshot_ofAnotherDatabase_isRefused() {
    open();
    DB other = openOther(temp.resolve("other"), defaults());
    Snapshot foreign = other.snapshot();
    assertThatThrownBy(() -> get("foo", foreign)).isInstanceOf(IllegalArgumentException.class);
    Snapshot own = db.snapshot();
    own.close();
    assertThatThrownBy(() -> get("foo", own)).isInstanceOf(IllegalStateException.class);
    foreign.close();
  }

  @Test
  void snapshot_afterTheDatabasesClose_throwsAndStillCloses() {
    open();
    Snapshot snapshot = db.snapshot();
    db.close();
    assertThatThrownBy(snapshot::sequence).isInstanceOf(DBClosedException.class);
    snapshot.close();
  }
}
