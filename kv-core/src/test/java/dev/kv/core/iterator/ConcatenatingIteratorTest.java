package dev.kv.core.iterator;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.kv.bytes.DBComparator;
import dev.kv.core.key.InternalKeyComparator;
import dev.kv.core.key.KeyComparator;
import dev.kv.core.table.block.CursorModel;
import dev.kv.core.table.block.Entries;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

class ConcatenatingIteratorTest {
  private final KeyComparator order = new InternalKeyComparator(DBComparator.bytewise());

  /** Parts of a sorted list, which may be empty, and the cursors opened over them. */
  private final class Parts {
    final List<List<Entries.Entry>> parts = new ArrayList<>();
    final List<ListCursor> opened = new ArrayList<>();

    Parts(Entries all, Random random) {
      parts.add(new ArrayList<>());
      for (Entries.Entry entry : all.list()) {
        while (random.nextInt(6) == 0) {
          parts.add(new ArrayList<>());
        }
        parts.get(parts.size() - 1).add(entry);
      }
    }

    ConcatenatingIterator cursor() {
      return new ConcatenatingIterator(parts.size(), this::open, this::find);
    }

    private int find(ByteBuffer key, int offset, int length) {
      for (int i = 0; i < parts.size(); i++) {
        ListCursor cursor = new ListCursor(order, parts.get(i));
        cursor.seek(key, offset, length);
        if (cursor.isValid()) {
          return i;
        }
      }
      return parts.size();
    }

    private InternalIterator open(int index) {
      ListCursor cursor = new ListCursor(order, parts.get(index));
      opened.add(cursor);
      return cursor;
    }
  }

  @Test
  void moves_randomParts_followTheModelAndCloseWhatTheyLeave() {
    for (int seed = 0; seed < 100; seed++) {
      Random random = new Random(seed);
      Entries all = Entries.internal(order, random, random.nextInt(50));
      Parts parts = new Parts(all, random);
      ConcatenatingIterator cursor = parts.cursor();
      try {
        new CursorModel(cursor, all, random, true).run(200);
      } catch (AssertionError e) {
        throw new AssertionError("seed " + seed, e);
      }
      long open = parts.opened.stream().filter(c -> c.closes == 0).count();
      assertThat(open).as("seed %d", seed).isLessThanOrEqualTo(1);
      cursor.close();
      cursor.close();
      assertThat(parts.opened).allMatch(c -> c.closes == 1);
    }
  }

  @Test
  void moves_ofNoParts_findNothingAndOpenNothing() {
    Parts none = new Parts(Entries.internal(order, new Random(1), 0), new Random(1));
    none.parts.clear();
    ConcatenatingIterator cursor = none.cursor();
    cursor.seekToFirst();
    assertThat(cursor.isValid()).isFalse();
    cursor.seekToLast();
    assertThat(cursor.isValid()).isFalse();
    cursor.seek(ByteBuffer.allocateDirect(8), 0, 8);
    assertThat(cursor.isValid()).isFalse();
    assertThat(none.opened).isEmpty();
  }

  @Test
  void source_ofAnEntry_isTheCursorThatIsOpen() {
    Parts parts = new Parts(Entries.internal(order, new Random(1), 30), new Random(2));
    assertThat(parts.parts.size()).isGreaterThan(1);
    ConcatenatingIterator cursor = parts.cursor();
    for (cursor.seekToFirst(); cursor.isValid(); cursor.next()) {
      assertThat(cursor.source()).isSameAs(parts.opened.get(parts.opened.size() - 1));
    }
    cursor.close();
  }

  @Test
  void seek_afterClose_throwsAndOpensNothing() {
    Entries all = Entries.internal(order, new Random(1), 9);
    Parts parts = new Parts(all, new Random(2));
    ConcatenatingIterator cursor = parts.cursor();
    cursor.close();
    assertThatThrownBy(cursor::seekToFirst).isInstanceOf(IllegalStateException.class);
    assertThat(parts.opened).isEmpty();
  }
}
