package dev.kv.core.read;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.kv.DB;
import dev.kv.DBIterator;
import dev.kv.Entries;
import dev.kv.Options;
import dev.kv.ReadOnlyDB;
import dev.kv.ReadOptions;
import dev.kv.Snapshot;
import dev.kv.WriteBatch;
import dev.kv.WriteOptions;
import dev.kv.bytes.Entry;
import dev.kv.bytes.Slice;
import dev.kv.core.db.DbTestBase;
import dev.kv.core.logging.CapturedLog;
import dev.kv.errors.DBClosedException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.NoSuchElementException;
import java.util.stream.Stream;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What stands on the cursor and on the lookup: scans, optional reads, and the checks of misuse. */
class ScanTest extends DbTestBase {
  private static final ReadOptions ALL = ReadOptions.DEFAULT;
  private static final ReadOptions DOWN = ReadOptions.builder().descending(true).build();

  @BeforeEach
  void fill() {
    open();
    for (String key : List.of("a1", "b1", "b2", "b3", "c1")) {
      put(key, "v" + key);
    }
    db.admin().flush();
  }

  private static byte[] bytes(String text) {
    return text.getBytes(StandardCharsets.ISO_8859_1);
  }

  private static ReadOptions.Builder down() {
    return DOWN.toBuilder();
  }

  private List<String> keys(ReadOptions read) {
    List<String> keys = new ArrayList<>();
    try (Entries entries = db.entries(read)) {
      for (Entry entry : entries) {
        String key = new String(entry.key(), StandardCharsets.ISO_8859_1);
        assertThat(entry.value()).isEqualTo(bytes("v" + key));
        keys.add(key);
      }
    }
    List<String> visited = new ArrayList<>();
    db.forEach(
        read,
        (key, value) -> {
          assertThat(value.toUtf8String()).isEqualTo("v" + key.toUtf8String());
          visited.add(key.toUtf8String());
        });
    assertThat(visited).isEqualTo(keys);
    try (Stream<Entry> stream = db.stream(read)) {
      assertThat(stream.map(Entry::key).map(String::new)).isEqualTo(keys);
    }
    return keys;
  }

  @Test
  void scan_ofAllEntries_goesInBothDirections() {
    assertThat(keys(ALL)).containsExactly("a1", "b1", "b2", "b3", "c1");
    assertThat(keys(DOWN)).containsExactly("c1", "b3", "b2", "b1", "a1");
  }

  @Test
  void scan_withBoundsOrPrefix_showsTheSameEntriesInBothDirections() {
    assertThat(keys(ReadOptions.withPrefix(bytes("b")))).containsExactly("b1", "b2", "b3");
    assertThat(keys(down().prefix(bytes("b")).build())).containsExactly("b3", "b2", "b1");
    assertThat(keys(down().lowerBound(bytes("b1")).upperBound(bytes("b3")).build()))
        .containsExactly("b2", "b1");
    assertThat(keys(down().prefix(bytes("x")).build())).isEmpty();
    assertThat(keys(down().upperBound(bytes("a")).build())).isEmpty();
  }

  @Test
  void scan_ofASnapshot_showsItsState() {
    try (Snapshot snapshot = db.snapshot()) {
      put("b2", "newer");
      put("d1", "newer");
      assertThat(keys(down().snapshot(snapshot).build()))
          .containsExactly("c1", "b3", "b2", "b1", "a1");
    }
  }

  @Test
  void entries_afterTheLastEntry_areClosed() {
    Entries entries = db.entries(ALL); // not closed here: the loop does it
    Iterator<Entry> all = entries.iterator();
    for (int i = 0; i < 5; i++) {
      all.next();
    }
    assertThat(all.hasNext()).isFalse();
    assertThatThrownBy(all::next).isInstanceOf(NoSuchElementException.class);
    assertThatThrownBy(entries::iterator).isInstanceOf(IllegalStateException.class);
  }

  @Test
  void entries_closedWithinTheLoop_throw() {
    Entries entries = db.entries(ALL);
    Iterator<Entry> all = entries.iterator();
    all.next();
    entries.close();
    entries.close();
    assertThatThrownBy(all::hasNext)
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContaining("closed");
  }

  @Test
  void entries_iteratedTwice_areRefused() {
    try (Entries entries = db.entries(ALL)) {
      entries.iterator();
      assertThatThrownBy(entries::iterator).isInstanceOf(IllegalStateException.class);
      assertThatThrownBy(entries::stream).isInstanceOf(IllegalStateException.class);
    }
  }

  @Test
  void entries_databaseClosed_throw() {
    Iterator<Entry> all = db.entries(ALL).iterator();
    all.next();
    close();
    assertThatThrownBy(all::next).isInstanceOf(DBClosedException.class);
  }

  @Test
  void forEach_actionThrows_closesTheCursorAndThrows() {
    IllegalStateException failure = new IllegalStateException("enough");
    assertThatThrownBy(
            () ->
                db.forEach(
                    ALL,
                    (key, value) -> {
                      throw failure;
                    }))
        .isSameAs(failure);
  }

  @Test
  void forEach_sliceKept_isNotValidAfterwards() {
    List<Slice> kept = new ArrayList<>();
    db.forEach(ALL, (key, value) -> kept.add(key));
    assertThatThrownBy(() -> kept.get(0).length()).isInstanceOf(IllegalStateException.class);
  }

  @Test
  void entry_ofTheDatabase_comparesByContentAndPrints() {
    try (Stream<Entry> stream = db.stream(ALL)) {
      Entry first = stream.findFirst().orElseThrow();
      assertThat(first).isEqualTo(new Entry(bytes("a1"), bytes("va1"))).hasToString("a1=va1");
    }
  }

  @Test
  void find_isEmptyOnlyIfTheKeyDoesNotExist() {
    put("n", "\0\0\0\0\0\0\0\0");
    assertThat(db.find(bytes("n"), value -> value.getLong(0, java.nio.ByteOrder.BIG_ENDIAN)))
        .contains(0L);
    assertThat(db.find(bytes("none"), value -> value.getLong(0, java.nio.ByteOrder.BIG_ENDIAN)))
        .isEmpty();
    assertThatThrownBy(() -> db.find(bytes("n"), value -> null))
        .isInstanceOf(NullPointerException.class)
        .hasMessageContaining("reader's result");
  }

  @Test
  void read_readerThatCallsTheDatabase_readsAndWrites() {
    String seen =
        db.read(
            bytes("a1"),
            value -> {
              db.put(bytes("a1"), bytes("changed"));
              String nested = db.read(bytes("b1"), Slice::toUtf8String);
              db.admin().flush();
              return value.toUtf8String() + nested;
            });
    assertThat(seen).isEqualTo("va1vb1");
    assertThat(db.get(bytes("a1"))).isEqualTo(bytes("changed"));
  }

  @Test
  void read_readerThatClosesTheDatabase_keepsTheValueAndThrows() {
    assertThatThrownBy(
            () ->
                db.read(
                    bytes("a1"),
                    value -> {
                      db.close();
                      assertThat(value.toUtf8String()).isEqualTo("va1");
                      return null;
                    }))
        .isInstanceOf(DBClosedException.class);
  }

  @Test
  void lookup_withTheOptionsOfAScan_isRefused() {
    ByteBuffer buffer = ByteBuffer.allocate(1);
    for (ReadOptions scan :
        List.of(
            DOWN,
            ReadOptions.withPrefix(bytes("a")),
            ReadOptions.builder().lowerBound(bytes("a")).build(),
            ReadOptions.builder().upperBound(bytes("a")).build())) {
      List<ThrowingCallable> lookups =
          List.of(
              () -> db.get(scan, bytes("a1")),
              () -> db.get(scan, buffer, buffer),
              () -> db.read(scan, bytes("a1"), Slice::length),
              () -> db.find(scan, bytes("a1"), Slice::length));
      for (ThrowingCallable lookup : lookups) {
        assertThatThrownBy(lookup)
            .isInstanceOf(IllegalArgumentException.class)
            .hasMessageContaining("for scans");
      }
    }
    assertThatThrownBy(() -> db.iterator(DOWN))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("descending");
  }

  @Test
  void cursor_withoutASeek_isAnErrorAndNotAnEmptyLoop() {
    try (DBIterator cursor = db.iterator()) {
      assertThat(cursor.isPlaced()).isFalse();
      assertThatThrownBy(cursor::isValid)
          .isInstanceOf(IllegalStateException.class)
          .hasMessageContaining("seek");
      assertThatThrownBy(cursor::next).isInstanceOf(IllegalStateException.class);
      assertThatThrownBy(cursor::keySlice).isInstanceOf(IllegalStateException.class);
      cursor.seek(bytes("x"));
      assertThat(cursor.isValid()).isFalse();
    }
  }

  @Test
  void toString_ofADatabase_namesItsDirectory() {
    DB database = db;
    assertThat(database).hasToString("DB[" + directory + "]");
    close();
    assertThat(database).hasToString("DB[" + directory + ", closed]");
    ReadOnlyDB readOnly = DB.openReadOnly(directory, Options.DEFAULT);
    try (readOnly) {
      assertThat(readOnly).hasToString("DB[" + directory + "]");
    }
  }

  @Test
  void nullArgument_isRefusedByItsName() {
    byte[] key = bytes("k");
    ByteBuffer buffer = ByteBuffer.allocate(1);
    WriteOptions write = WriteOptions.DEFAULT;
    expectNull("key", () -> db.get((byte[]) null));
    expectNull("options", () -> db.get(null, key));
    expectNull("key", () -> db.get(ALL, null, buffer));
    expectNull("into", () -> db.get(ALL, buffer, null));
    expectNull("reader", () -> db.read(key, null));
    expectNull("reader", () -> db.find(key, null));
    expectNull("key", () -> db.read(null, Slice::length));
    expectNull("key", () -> db.put(null, key));
    expectNull("value", () -> db.put(key, null));
    expectNull("options", () -> db.put(null, key, key));
    expectNull("key", () -> db.put(write, null, buffer));
    expectNull("value", () -> db.put(write, buffer, null));
    expectNull("key", () -> db.delete((byte[]) null));
    expectNull("key", () -> db.delete(write, (ByteBuffer) null));
    expectNull("batch", () -> db.write(null));
    expectNull("options", () -> db.write(null, WriteBatch.create()));
    expectNull("options", () -> db.iterator(null));
    expectNull("options", () -> db.entries(null));
    expectNull("action", () -> db.forEach(ALL, null));
    expectNull("name", () -> db.admin().property(null));
    expectNull("ranges", () -> db.admin().approximateSizes(null));
    expectNull("key", () -> WriteBatch.create().put(null, key));
    expectNull("value", () -> WriteBatch.create().put(key, null));
    expectNull("key", () -> WriteBatch.create().delete((byte[]) null));
    expectNull("directory", () -> DB.open(null, options));
    expectNull("options", () -> DB.open(directory, null));
    try (DBIterator cursor = db.iterator()) {
      expectNull("key", () -> cursor.seek((byte[]) null));
      expectNull("key", () -> cursor.seekForPrev((ByteBuffer) null));
    }
  }

  private static void expectNull(String name, ThrowingCallable call) {
    assertThatThrownBy(call).isInstanceOf(NullPointerException.class).hasMessageContaining(name);
  }

  @Test
  void open_clippedValues_areLoggedOneByOne() {
    close();
    try (CapturedLog log = new CapturedLog()) {
      open(options.toBuilder().writeBufferSize(1).maxOpenFiles(10).blockSize(4096).build());
      assertThat(log.lines("WARN"))
          .satisfiesExactlyInAnyOrder(
              line -> assertThat(line).endsWith("writeBufferSize=1 is out of range; using 65536"),
              line -> assertThat(line).endsWith("maxOpenFiles=10 is out of range; using 74"));
    }
  }
}
