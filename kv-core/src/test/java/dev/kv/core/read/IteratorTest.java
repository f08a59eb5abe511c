package dev.kv.core.read;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.kv.DBIterator;
import dev.kv.ReadOptions;
import dev.kv.bytes.Entry;
import dev.kv.core.db.Config;
import dev.kv.core.db.DbTestBase;
import dev.kv.errors.DBClosedException;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Cursors over a database, in both directions. */
class IteratorTest extends DbTestBase {

  @Test
  void iterator_emptyDatabase_isNeverValid() {
    open();
    try (DBIterator cursor = db.iterator()) {
      cursor.seekToFirst();
      assertThat(at(cursor)).isEqualTo("(invalid)");
      cursor.seekToLast();
      assertThat(at(cursor)).isEqualTo("(invalid)");
      cursor.seek(b("foo"));
      assertThat(at(cursor)).isEqualTo("(invalid)");
      cursor.seekForPrev(b("foo"));
      assertThat(at(cursor)).isEqualTo("(invalid)");
    }
  }

  @Test
  void iterator_singleEntry_hasTwoEnds() {
    open();
    put("a", "va");
    try (DBIterator cursor = db.iterator()) {
      cursor.seekToFirst();
      assertThat(at(cursor)).isEqualTo("a->va");
      cursor.next();
      assertThat(at(cursor)).isEqualTo("(invalid)");
      cursor.seekToFirst();
      cursor.prev();
      assertThat(at(cursor)).isEqualTo("(invalid)");
      cursor.seekToLast();
      assertThat(at(cursor)).isEqualTo("a->va");
      cursor.next();
      assertThat(at(cursor)).isEqualTo("(invalid)");
      cursor.seekToLast();
      cursor.prev();
      assertThat(at(cursor)).isEqualTo("(invalid)");
      cursor.seek(b(""));
      assertThat(at(cursor)).isEqualTo("a->va");
      cursor.seek(b("a"));
      assertThat(at(cursor)).isEqualTo("a->va");
      cursor.seek(b("b"));
      assertThat(at(cursor)).isEqualTo("(invalid)");
      assertThatThrownBy(cursor::next).isInstanceOf(IllegalStateException.class);
    }
  }

  @ParameterizedTest
  @EnumSource
  void iterator_severalEntries_turnsRound(Config config) {
    open(config.options());
    put("a", "va");
    put("b", "vb");
    put("c", "vc");
    try (DBIterator cursor = db.iterator()) {
      cursor.seekToFirst();
      assertThat(at(cursor)).isEqualTo("a->va");
      cursor.next();
      assertThat(at(cursor)).isEqualTo("b->vb");
      cursor.next();
      assertThat(at(cursor)).isEqualTo("c->vc");
      cursor.next();
      assertThat(at(cursor)).isEqualTo("(invalid)");
      cursor.seekToFirst();
      cursor.prev();
      assertThat(at(cursor)).isEqualTo("(invalid)");
      cursor.seekToLast();
      assertThat(at(cursor)).isEqualTo("c->vc");
      cursor.prev();
      assertThat(at(cursor)).isEqualTo("b->vb");
      cursor.prev();
      assertThat(at(cursor)).isEqualTo("a->va");
      cursor.prev();
      assertThat(at(cursor)).isEqualTo("(invalid)");
      cursor.seek(b(""));
      assertThat(at(cursor)).isEqualTo("a->va");
      cursor.seek(b("ax"));
      assertThat(at(cursor)).isEqualTo("b->vb");
      cursor.seek(b("b"));
      assertThat(at(cursor)).isEqualTo("b->vb");
      cursor.seek(b("z"));
      assertThat(at(cursor)).isEqualTo("(invalid)");
      cursor.seekForPrev(b("bx"));
      assertThat(at(cursor)).isEqualTo("b->vb");
      cursor.seekForPrev(b("b"));
      assertThat(at(cursor)).isEqualTo("b->vb");
      // Turns round in the middle.
      cursor.seekToLast();
      cursor.prev();
      cursor.prev();
      cursor.next();
      assertThat(at(cursor)).isEqualTo("b->vb");
      cursor.seekToFirst();
      cursor.next();
      cursor.next();
      cursor.prev();
      assertThat(at(cursor)).isEqualTo("b->vb");
      // Does not see what is written behind its back.
      put("a", "va2");
      put("a2", "va3");
      put("b", "vb2");
      put("c", "vc2");
      delete("b");
      cursor.seekToFirst();
      assertThat(at(cursor)).isEqualTo("a->va");
      cursor.next();
      assertThat(at(cursor)).isEqualTo("b->vb");
      cursor.next();
      assertThat(at(cursor)).isEqualTo("c->vc");
      cursor.next();
      assertThat(at(cursor)).isEqualTo("(invalid)");
      cursor.seekToLast();
      assertThat(at(cursor)).isEqualTo("c->vc");
      cursor.prev();
      assertThat(at(cursor)).isEqualTo("b->vb");
      cursor.prev();
      assertThat(at(cursor)).isEqualTo("a->va");
      cursor.prev();
      assertThat(at(cursor)).isEqualTo("(invalid)");
    }
  }

  @Test
  void iterator_smallAndLargeEntries_showsEachWhole() {
    open();
    String large = "b".repeat(100_000);
    put("a", "va");
    put("b", large);
    put("c", "vc");
    put("d", "d".repeat(100_000));
    put("e", "e".repeat(100_000));
    String all =
        "(a->va)(b->"
            + large
            + ")(c->vc)(d->"
            + "d".repeat(100_000)
            + ")(e->"
            + "e".repeat(100_000)
            + ")";
    assertThat(contents()).isEqualTo(all);
    db.admin().flush();
    assertThat(contents()).isEqualTo(all);
  }

  @ParameterizedTest
  @EnumSource
  void iterator_deletedEntries_arePassedOver(Config config) {
    open(config.options());
    put("ka", "va");
    put("kb", "vb");
    put("kc", "vc");
    delete("kb");
    assertThat(get("kb")).isEqualTo(NOT_FOUND);
    try (DBIterator cursor = db.iterator()) {
      cursor.seek(b("kc"));
      assertThat(at(cursor)).isEqualTo("kc->vc");
      cursor.prev();
      assertThat(at(cursor)).isEqualTo("ka->va");
      cursor.next();
      assertThat(at(cursor)).isEqualTo("kc->vc");
    }
  }

  @ParameterizedTest
  @EnumSource
  void iterator_deletedAcrossTables_arePassedOver(Config config) {
    open(config.options());
    put("kb", "vb");
    put("kc", "vc");
    put("ka", "va");
    db.admin().flush();
    put("ka", "va2");
    delete("kb");
    db.admin().flush();
    try (DBIterator cursor = db.iterator()) {
      cursor.seek(b("kb"));
      assertThat(at(cursor)).isEqualTo("kc->vc");
      cursor.prev();
      assertThat(at(cursor)).isEqualTo("ka->va2");
      cursor.seek(b("kc"));
      cursor.prev();
      assertThat(at(cursor)).isEqualTo("ka->va2");
      compact(null, null);
      cursor.seekToFirst();
      assertThat(at(cursor)).isEqualTo("ka->va2");
      cursor.next();
      assertThat(at(cursor)).isEqualTo("kc->vc");
    }
    assertThat(contents()).isEqualTo("(ka->va2)(kc->vc)");
  }

  @Test
  void iterator_whileTheDatabaseIsRewritten_keepsItsView() {
    open(defaults().toBuilder().writeBufferSize(64 << 10).build());
    put("foo", "hello");
    try (DBIterator cursor = db.iterator()) {
      cursor.seekToFirst();
      put("foo", "newvalue1");
      for (int i = 0; i < 100; i++) {
        put(key(i), key(i) + "v".repeat(10_000));
      }
      put("foo", "newvalue2");
      compact(null, null);
      assertThat(at(cursor)).isEqualTo("foo->hello");
      cursor.next();
      assertThat(at(cursor)).isEqualTo("(invalid)");
      cursor.seekToFirst();
      assertThat(at(cursor)).isEqualTo("foo->hello");
    }
    assertThat(get("foo")).isEqualTo("newvalue2");
  }

  @Test
  void iterator_bounds_showOnlyWhatLiesWithin() {
    open();
    for (String key : new String[] {"a", "aa", "ab", "abc", "b", "ba", "c"}) {
      put(key, "v");
      if (key.equals("ab")) {
        db.admin().flush();
      }
    }
    assertThat(keys(ReadOptions.builder().lowerBound(b("ab")).upperBound(b("ba")).build()))
        .isEqualTo("ab abc b | b abc ab");
    assertThat(keys(ReadOptions.builder().prefix(b("ab")).build())).isEqualTo("ab abc | abc ab");
    assertThat(keys(ReadOptions.builder().prefix(b("x")).build())).isEqualTo(" | ");
    assertThat(keys(ReadOptions.builder().prefix(b("a")).lowerBound(b("ab")).build()))
        .isEqualTo("ab abc | abc ab");
  }

  private String keys(ReadOptions read) {
    StringBuilder forward = new StringBuilder();
    StringBuilder backward = new StringBuilder();
    try (DBIterator cursor = db.iterator(read)) {
      for (cursor.seekToFirst(); cursor.isValid(); cursor.next()) {
        forward.append(forward.length() == 0 ? "" : " ").append(s(cursor.key()));
      }
      for (cursor.seekToLast(); cursor.isValid(); cursor.prev()) {
        backward.append(backward.length() == 0 ? "" : " ").append(s(cursor.key()));
      }
    }
    return forward + " | " + backward;
  }

  @Test
  void iterator_afterTheDatabasesClose_throwsAndStillCloses() {
    open();
    put("a", "va");
    DBIterator cursor = db.iterator();
    cursor.seekToFirst();
    db.close();
    assertThatThrownBy(cursor::isValid).isInstanceOf(DBClosedException.class);
    assertThatThrownBy(cursor::next).isInstanceOf(DBClosedException.class);
    assertThatThrownBy(cursor::key).isInstanceOf(DBClosedException.class);
    assertThatThrownBy(cursor::seekToFirst).isInstanceOf(DBClosedException.class);
    cursor.close();
    cursor.close();
  }

  @Test
  void asIterator_ofACursor_goesOnFromWhereItStands() {
    open();
    put("a", "va");
    put("b", "vb");
    put("c", "vc");
    try (DBIterator cursor = db.iterator()) {
      assertThat(cursor.isPlaced()).isFalse();
      assertThat(drained(cursor)).containsExactly("a->va", "b->vb", "c->vc");
      assertThat(cursor.isPlaced()).isTrue();
      assertThat(drained(cursor)).as("a cursor at its end").isEmpty();
      cursor.seek(b("b"));
      assertThat(drained(cursor)).containsExactly("b->vb", "c->vc");
      cursor.seek(b("d"));
      assertThat(drained(cursor)).as("behind the last entry").isEmpty();
    }
  }

  private static List<String> drained(DBIterator cursor) {
    List<String> entries = new ArrayList<>();
    for (var left = cursor.asIterator(); left.hasNext(); ) {
      Entry entry = left.next();
      entries.add(new String(entry.key()) + "->" + new String(entry.value()));
    }
    return entries;
  }
}
