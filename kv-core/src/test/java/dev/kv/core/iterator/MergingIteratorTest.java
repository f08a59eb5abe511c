package dev.kv.core.iterator;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.kv.bytes.DBComparator;
import dev.kv.bytes.Slice;
import dev.kv.core.key.InternalKey;
import dev.kv.core.key.InternalKeyComparator;
import dev.kv.core.key.KeyBounds;
import dev.kv.core.key.KeyComparator;
import dev.kv.core.key.ValueKind;
import dev.kv.core.table.block.CursorModel;
import dev.kv.core.table.block.Entries;
import dev.kv.errors.CorruptionException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

class MergingIteratorTest {
  private final KeyComparator order = new InternalKeyComparator(DBComparator.bytewise());

  private ListCursor cursor(String... keys) {
    List<Entries.Entry> entries = new ArrayList<>();
    for (String key : keys) {
      entries.add(entry(key, ""));
    }
    return new ListCursor(order, entries);
  }

  private static Entries.Entry entry(String key, String value) {
    return new Entries.Entry(
        InternalKey.encode(key.getBytes(), 1, ValueKind.VALUE), value.getBytes());
  }

  private static String user(ForwardIterator cursor) {
    return cursor.isValid() ? new String(InternalKey.userKey(CursorModel.key(cursor))) : "end";
  }

  @Test
  void moves_randomChildren_followTheModel() {
    for (int seed = 0; seed < 150; seed++) {
      Random random = new Random(seed);
      Entries all = Entries.internal(order, random, random.nextInt(60));
      int count = random.nextInt(7);
      List<List<Entries.Entry>> parts = new ArrayList<>();
      for (int i = 0; i < Math.max(count, 1); i++) {
        parts.add(new ArrayList<>());
      }
      for (Entries.Entry entry : all.list()) {
        parts.get(random.nextInt(parts.size())).add(entry);
      }
      InternalIterator[] children = new InternalIterator[parts.size()];
      for (int i = 0; i < children.length; i++) {
        children[i] = new ListCursor(order, parts.get(i));
      }
      try {
        new CursorModel(MergingIterator.of(order, children), all, random, true).run(300);
      } catch (AssertionError e) {
        throw new AssertionError("seed " + seed, e);
      }
    }
  }

  @Test
  void forward_randomChildrenWithEqualKeys_showsAllEntriesNewestChildFirst() {
    for (int seed = 0; seed < 150; seed++) {
      Random random = new Random(seed);
      ForwardIterator[] children = new ForwardIterator[random.nextInt(7)];
      List<String> expected = new ArrayList<>();
      for (int i = 0; i < children.length; i++) {
        List<Entries.Entry> part = new ArrayList<>();
        for (char key = 'a'; key < 'i'; key++) {
          if (random.nextBoolean()) {
            part.add(entry("" + key, "" + i));
            expected.add(key + " of " + i);
          }
        }
        children[i] = new ListCursor(order, part);
      }
      Collections.sort(expected);
      try (ForwardIterator merged = MergingIterator.ofForward(order, children)) {
        for (int pass = 0; pass < 2; pass++) {
          List<String> shown = new ArrayList<>();
          for (merged.seekToFirst(); merged.isValid(); merged.next()) {
            String child = new String(CursorModel.value(merged));
            shown.add(user(merged) + " of " + child);
            assertThat(merged.source()).isSameAs(children[Integer.parseInt(child)]);
          }
          assertThat(shown).as("seed %d", seed).isEqualTo(expected);
        }
      }
      assertThat(children).allMatch(child -> ((ListCursor) child).closes == 1);
    }
  }

  @Test
  void of_noChildren_isEmpty() {
    InternalIterator merged = MergingIterator.of(order);
    merged.seekToFirst();
    assertThat(merged.isValid()).isFalse();
  }

  @Test
  void opened_ofSeveralSources_hasTheEntriesOfAll() {
    try (InternalIterator merged =
        MergingIterator.opened(order, List.of("a", "c", "b"), key -> cursor(key, key + "x"))) {
      StringBuilder seen = new StringBuilder();
      for (merged.seekToFirst(); merged.isValid(); merged.next()) {
        seen.append(user(merged)).append(' ');
      }
      assertThat(seen.toString()).isEqualTo("a ax b bx c cx ");
    }
  }

  @Test
  void opened_ofASourceThatCannotBeOpened_closesThoseBeforeIt() {
    List<ListCursor> open = new ArrayList<>();
    assertThatThrownBy(
            () ->
                MergingIterator.opened(
                    order,
                    List.of("a", "b", "bad", "c"),
                    key -> {
                      if (key.equals("bad")) {
                        throw new CorruptionException("damaged", "000005.ldb", 0);
                      }
                      ListCursor cursor = cursor(key);
                      open.add(cursor);
                      return cursor;
                    }))
        .isInstanceOf(CorruptionException.class);
    assertThat(open).hasSize(2).allMatch(cursor -> cursor.closes == 1);
  }

  @Test
  void corruption_ofAnEntryThatIsInNoFile_namesThePlaceThatTheCallerGives() {
    InternalIterator merged = MergingIterator.of(order, cursor("a"), cursor("b"));
    merged.seekToFirst();
    CorruptionException damage = merged.corruption("a bad entry", "a memtable");
    assertThat(damage).hasMessageContaining("a bad entry");
    assertThat(damage.file()).isEqualTo("a memtable");
    assertThat(damage.offset()).isEqualTo(CorruptionException.NO_OFFSET);
  }

  @Test
  void of_oneChild_isThatChild() {
    ListCursor only = cursor("a");
    assertThat(MergingIterator.of(order, only)).isSameAs(only);
  }

  @Test
  void moves_equalKeys_showThemInTheChildrensOrderBothWays() {
    List<Entries.Entry> first = new ArrayList<>(List.of(entry("a", "0"), entry("b", "0")));
    List<Entries.Entry> second = new ArrayList<>(List.of(entry("a", "1"), entry("b", "1")));
    List<Entries.Entry> third = new ArrayList<>(List.of(entry("a", "2"), entry("b", "2")));
    InternalIterator merged =
        MergingIterator.of(
            order,
            new ListCursor(order, first),
            new ListCursor(order, second),
            new ListCursor(order, third));
    String[] values = {"0", "1", "2", "0", "1", "2"};
    for (int turn = 0; turn < 6; turn++) {
      merged.seekToFirst();
      for (int i = 0; i < turn; i++) {
        assertThat(new String(CursorModel.value(merged))).isEqualTo(values[i]);
        merged.next();
      }
      for (int i = turn; i >= 0; i--) {
        assertThat(new String(CursorModel.value(merged))).as("turn %d", turn).isEqualTo(values[i]);
        merged.prev();
      }
      assertThat(merged.isValid()).isFalse();
    }
  }

  @Test
  void prev_entriesAddedMeanwhile_neverGoesForward() {
    ListCursor memtable = cursor("a", "k", "z");
    InternalIterator merged = MergingIterator.of(order, memtable, cursor("c", "m", "p"));
    merged.seekToFirst();
    merged.next();
    assertThat(user(merged)).isEqualTo("c");
    memtable.insert(1, entry("d", ""));
    memtable.insert(2, entry("e", ""));
    merged.prev();
    assertThat(user(merged)).isEqualTo("a");
    assertThat(memtable.seeks).isEqualTo(1);
  }

  @Test
  void next_entriesAddedMeanwhile_neverGoesBack() {
    ListCursor memtable = cursor("a", "z");
    InternalIterator merged = MergingIterator.of(order, memtable, cursor("c", "m", "p"));
    merged.seekToLast();
    merged.prev();
    merged.prev();
    assertThat(user(merged)).isEqualTo("m");
    memtable.insert(1, entry("b", ""));
    memtable.insert(2, entry("d", ""));
    merged.next();
    assertThat(user(merged)).isEqualTo("p");
    assertThat(memtable.seeks).isEqualTo(1);
  }

  /** Of equal keys, the child with the smaller index comes first. */
  @Test
  void next_equalKeyAddedMeanwhileBeforeTheCurrentOne_isPassed() {
    ListCursor memtable = cursor("a", "z");
    InternalIterator merged = MergingIterator.of(order, memtable, cursor("c", "m", "p"));
    merged.seekToLast();
    merged.prev();
    merged.prev();
    memtable.insert(1, entry("b", ""));
    memtable.insert(2, entry("m", "newer"));
    assertThat(user(merged)).isEqualTo("m");
    merged.next();
    assertThat(user(merged)).isEqualTo("p");
  }

  @Test
  void prev_equalKeyAddedMeanwhileAfterTheCurrentOne_isPassed() {
    ListCursor memtable = cursor("a", "z");
    InternalIterator merged = MergingIterator.of(order, cursor("c", "m", "p"), memtable);
    merged.seekToFirst();
    merged.next();
    merged.next();
    assertThat(user(merged)).isEqualTo("m");
    memtable.insert(1, entry("m", "other"));
    memtable.insert(2, entry("n", ""));
    merged.prev();
    assertThat(user(merged)).isEqualTo("c");
    merged.prev();
    assertThat(user(merged)).isEqualTo("a");
  }

  @Test
  void turns_withoutEntriesAddedMeanwhile_seekNoChild() {
    ListCursor a = cursor("a", "d", "g");
    ListCursor b = cursor("b", "e", "h");
    ListCursor c = cursor("c", "f", "i");
    InternalIterator merged = MergingIterator.of(order, a, b, c);
    StringBuilder seen = new StringBuilder();
    merged.seekToFirst();
    for (int i = 0; i < 7; i++) {
      merged.next();
      merged.next();
      seen.append(user(merged));
      merged.prev();
      seen.append(user(merged));
    }
    assertThat(seen.toString()).isEqualTo("cbdcedfegfhgih");
    assertThat(a.seeks + b.seeks + c.seeks).isZero();
  }

  @Test
  void next_whileOneChildIsAhead_comparesOncePerMove() {
    AtomicInteger calls = new AtomicInteger();
    DBComparator counting =
        new DBComparator() {
          @Override
          public String name() {
            return "counting";
          }

          @Override
          public int compare(Slice x, Slice y) {
            calls.incrementAndGet();
            return x.compareTo(y);
          }
        };
    String[] many = new String[100];
    for (int i = 0; i < many.length; i++) {
      many[i] = "a" + (100 + i);
    }
    InternalIterator merged =
        MergingIterator.of(
            new InternalKeyComparator(counting), cursor(many), cursor("x"), cursor("y"));
    merged.seekToFirst();
    int before = calls.get();
    for (int i = 1; i < many.length; i++) {
      merged.next();
      assertThat(user(merged)).isEqualTo(many[i]);
    }
    assertThat(calls.get() - before).isLessThanOrEqualTo(many.length);
  }

  @Test
  void isLastSource_onlyForwardInTheLastChildThatIsLeft_isTrue() {
    MergingIterator merged =
        (MergingIterator) MergingIterator.of(order, cursor("a", "c"), cursor("b", "d", "e"));
    StringBuilder last = new StringBuilder();
    for (merged.seekToFirst(); merged.isValid(); merged.next()) {
      last.append(user(merged)).append(merged.isLastSource() ? "! " : " ");
    }
    assertThat(last.toString()).isEqualTo("a b c d! e! ");
    merged.seekToLast();
    while (!user(merged).equals("a")) {
      merged.prev();
      assertThat(merged.isLastSource()).as(user(merged)).isFalse();
    }
  }

  @Test
  void source_ofAMergeOfMerges_isTheCursorOfTheEntry() {
    ListCursor a = cursor("a", "d");
    ListCursor b = cursor("b");
    ListCursor c = cursor("c");
    InternalIterator merged = MergingIterator.of(order, MergingIterator.of(order, a, b), c);
    List<ForwardIterator> sources = new ArrayList<>();
    for (merged.seekToFirst(); merged.isValid(); merged.next()) {
      sources.add(merged.source());
    }
    assertThat(sources).containsExactly(a, b, c, a);
    assertThat(a.source()).isSameAs(a);
  }

  @Test
  void copies_ofAnEntry_areItsKeyAndValue() {
    ListCursor cursor = new ListCursor(order, List.of(entry("key", "value")));
    cursor.seekToFirst();
    assertThat(cursor.copyKey()).isEqualTo(entry("key", "").key());
    assertThat(new String(cursor.copyValue())).isEqualTo("value");
  }

  @Test
  void seekToStart_ofARange_isAtItsFirstEntryAndTheNewestOfItsKey() {
    List<Entries.Entry> entries = new ArrayList<>();
    for (String key : List.of("a", "c", "e")) {
      for (int sequence = 9; sequence > 7; sequence--) {
        entries.add(
            new Entries.Entry(
                InternalKey.encode(key.getBytes(), sequence, ValueKind.VALUE),
                new byte[] {(byte) sequence}));
      }
    }
    ListCursor cursor = new ListCursor(order, entries);
    String[] bounds = {null, "", "a", "b", "c", "e", "f"};
    String[] expected = {"a", "a", "a", "c", "c", "e", "end"};
    for (int i = 0; i < bounds.length; i++) {
      cursor.seekToLast();
      cursor.seekToStart(new KeyBounds(bounds[i] == null ? null : bounds[i].getBytes(), null));
      assertThat(user(cursor)).as("from " + bounds[i]).isEqualTo(expected[i]);
      if (cursor.isValid()) {
        assertThat(cursor.copyValue()).containsExactly(9);
      }
    }
  }

  @Test
  void moves_sameDirection_seekNoChild() {
    ListCursor a = cursor("a", "d", "e", "f", "h");
    ListCursor b = cursor("b", "c", "g");
    InternalIterator merged = MergingIterator.of(order, a, b);
    StringBuilder seen = new StringBuilder();
    for (merged.seekToFirst(); merged.isValid(); merged.next()) {
      seen.append(user(merged));
    }
    for (merged.seekToLast(); merged.isValid(); merged.prev()) {
      seen.append(user(merged));
    }
    assertThat(seen.toString()).isEqualTo("abcdefgh" + "hgfedcba");
    assertThat(a.seeks + b.seeks).isZero();
  }

  @Test
  void close_always_closesEveryChild() {
    ListCursor a = cursor("a");
    ListCursor b = cursor("b");
    MergingIterator.of(order, a, b).close();
    assertThat(a.closes).isEqualTo(1);
    assertThat(b.closes).isEqualTo(1);
  }
}
