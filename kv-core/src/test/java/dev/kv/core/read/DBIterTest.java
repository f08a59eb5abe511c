package dev.kv.core.read;

import static dev.kv.core.Bytes.bytes;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.sun.management.ThreadMXBean;
import dev.kv.ReadOptions;
import dev.kv.bytes.DBComparator;
import dev.kv.core.iterator.TombstoneSkipIndex;
import dev.kv.core.key.InternalKey;
import dev.kv.core.key.InternalKeyComparator;
import dev.kv.core.key.KeyBounds;
import dev.kv.core.key.UserKeyComparator;
import dev.kv.core.key.ValueKind;
import dev.kv.core.memory.OffHeapBudget;
import dev.kv.core.read.EntryListCursor.Entry;
import dev.kv.errors.CorruptionException;
import dev.kv.errors.DBClosedException;
import java.lang.management.ManagementFactory;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Random;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

final class DBIterTest {
  private static final DBComparator REVERSE =
      DBComparator.ofArrays("test.Reverse", (a, b) -> Arrays.compareUnsigned(b, a));

  private InternalKeyComparator order = new InternalKeyComparator(DBComparator.bytewise());
  private final List<Entry> entries = new ArrayList<>();
  private int sampled;
  private String lastSample;

  /** The internal cursor of the last cursor made. */
  private EntryListCursor internal;

  /** True if puts are compared with the ranges of tombstones from the first one on. */
  private boolean watching;

  // Which entries are shown.

  @Test
  void cursor_overNothing_isInvalidWhereverItGoes() {
    DBIter cursor = cursor(100);
    assertThat(cursor.isValid()).isFalse();
    cursor.seekToFirst();
    assertThat(cursor.isValid()).isFalse();
    cursor.seekToLast();
    assertThat(cursor.isValid()).isFalse();
    cursor.seek(ByteBuffer.wrap(bytes("a")));
    assertThat(cursor.isValid()).isFalse();
    cursor.seekForPrev(ByteBuffer.wrap(bytes("a")));
    assertThat(cursor.isValid()).isFalse();
  }

  @Test
  void cursor_overVersions_showsTheNewestVisibleOne() {
    put("a", 1, "a1");
    put("a", 5, "a5");
    put("a", 9, "a9");
    put("b", 7, "b7");
    assertThat(forward(cursor(9))).isEqualTo("a=a9 b=b7");
    assertThat(forward(cursor(8))).isEqualTo("a=a5 b=b7");
    assertThat(forward(cursor(5))).isEqualTo("a=a5");
    assertThat(forward(cursor(4))).isEqualTo("a=a1");
    assertThat(forward(cursor(0))).isEmpty();
    assertThat(backward(cursor(9))).isEqualTo("b=b7 a=a9");
    assertThat(backward(cursor(8))).isEqualTo("b=b7 a=a5");
    assertThat(backward(cursor(4))).isEqualTo("a=a1");
    assertThat(backward(cursor(0))).isEmpty();
  }

  @Test
  void cursor_overTombstones_hidesWhatIsOlder() {
    put("a", 1, "a1");
    delete("a", 2);
    put("b", 3, "b3");
    delete("b", 4);
    put("b", 5, "b5");
    delete("c", 6);
    assertThat(forward(cursor(6))).isEqualTo("b=b5");
    assertThat(backward(cursor(6))).isEqualTo("b=b5");
    assertThat(forward(cursor(4))).isEmpty();
    assertThat(backward(cursor(4))).isEmpty();
    assertThat(forward(cursor(3))).isEqualTo("b=b3");
    assertThat(forward(cursor(1))).isEqualTo("a=a1");
  }

  @Test
  void cursor_atTheLargestSequenceNumber_seesIt() {
    put("a", InternalKey.MAX_SEQUENCE - 1, "old");
    put("a", InternalKey.MAX_SEQUENCE, "new");
    assertThat(forward(cursor(InternalKey.MAX_SEQUENCE))).isEqualTo("a=new");
    assertThat(backward(cursor(InternalKey.MAX_SEQUENCE - 1))).isEqualTo("a=old");
  }

  @Test
  void cursor_overAnEmptyKeyAndValue_showsThem() {
    put("", 1, "");
    put("a", 2, "");
    assertThat(forward(cursor(2))).isEqualTo("= a=");
    assertThat(backward(cursor(2))).isEqualTo("a= =");
  }

  @Test
  void seekForPrev_ofAKeyWithSequenceZero_findsIt() {
    put("a", 0, "a0");
    put("b", 0, "b0");
    delete("c", 0);
    DBIter cursor = cursor(9);
    cursor.seekForPrev(ByteBuffer.wrap(bytes("b")));
    assertThat(show(cursor)).isEqualTo("b=b0");
    cursor.seekForPrev(ByteBuffer.wrap(bytes("c")));
    assertThat(show(cursor)).isEqualTo("b=b0");
  }

  @Test
  void directionChanges_amongVersionsAndTombstones_stayOnTheSameEntries() {
    put("a", 1, "a1");
    put("b", 2, "b2");
    put("b", 8, "hidden");
    delete("c", 3);
    put("d", 4, "d4");
    put("d", 9, "hidden");
    DBIter cursor = cursor(5);
    cursor.seek(ByteBuffer.wrap(bytes("b")));
    assertThat(show(cursor)).isEqualTo("b=b2");
    cursor.next();
    assertThat(show(cursor)).isEqualTo("d=d4");
    cursor.prev();
    assertThat(show(cursor)).isEqualTo("b=b2");
    cursor.next();
    assertThat(show(cursor)).isEqualTo("d=d4");
    cursor.prev();
    cursor.prev();
    assertThat(show(cursor)).isEqualTo("a=a1");
    cursor.next();
    assertThat(show(cursor)).isEqualTo("b=b2");
    cursor.prev();
    cursor.prev();
    assertThat(cursor.isValid()).isFalse();
  }

  // Bounds.

  @Test
  void bounds_keepTheCursorBetweenThem() {
    for (String key : List.of("a", "b", "c", "d", "e")) {
      put(key, 1, key);
    }
    ReadOptions options =
        ReadOptions.builder().lowerBound(bytes("b")).upperBound(bytes("d")).build();
    DBIter cursor = cursor(9, options);
    assertThat(forward(cursor)).isEqualTo("b=b c=c");
    assertThat(backward(cursor)).isEqualTo("c=c b=b");
    cursor.seek(ByteBuffer.wrap(bytes("a")));
    assertThat(show(cursor)).isEqualTo("b=b");
    cursor.seek(ByteBuffer.wrap(bytes("d")));
    assertThat(cursor.isValid()).isFalse();
    cursor.seekForPrev(ByteBuffer.wrap(bytes("z")));
    assertThat(show(cursor)).isEqualTo("c=c");
    cursor.seekForPrev(ByteBuffer.wrap(bytes("a")));
    assertThat(cursor.isValid()).isFalse();
  }

  @Test
  void prefix_ofAnything_isAPairOfBounds() {
    for (String key : List.of("a", "ab", "abc", "ac", "b")) {
      put(key, 1, key);
    }
    assertThat(forward(cursor(9, prefix("ab")))).isEqualTo("ab=ab abc=abc");
    assertThat(backward(cursor(9, prefix("a")))).isEqualTo("ac=ac abc=abc ab=ab a=a");
    assertThat(forward(cursor(9, prefix("")))).isEqualTo("a=a ab=ab abc=abc ac=ac b=b");
    ReadOptions both = prefix("a").toBuilder().lowerBound(bytes("abb")).build();
    assertThat(forward(cursor(9, both))).isEqualTo("abc=abc ac=ac");
    ReadOptions upper = prefix("a").toBuilder().upperBound(bytes("ac")).build();
    assertThat(forward(cursor(9, upper))).isEqualTo("a=a ab=ab abc=abc");
  }

  @Test
  void prefix_ofOnlyFFs_hasNoUpperBound() {
    entries.add(entry(new byte[] {(byte) 0xfe}, 1, ValueKind.VALUE, "x"));
    entries.add(entry(new byte[] {(byte) 0xff}, 2, ValueKind.VALUE, "y"));
    entries.add(entry(new byte[] {(byte) 0xff, (byte) 0xff}, 3, ValueKind.VALUE, "z"));
    DBIter cursor = cursor(9, ReadOptions.builder().prefix(new byte[] {(byte) 0xff}).build());
    cursor.seekToFirst();
    assertThat(value(cursor)).isEqualTo("y");
    cursor.seekToLast();
    assertThat(value(cursor)).isEqualTo("z");
  }

  @Test
  void prefix_withAnotherComparator_isRefused() {
    UserKeyComparator reverse = new InternalKeyComparator(REVERSE).userComparator();
    assertThatThrownBy(() -> KeyBounds.of(prefix("a"), reverse))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("test.Reverse");
  }

  // Against a model.

  @ParameterizedTest
  @ValueSource(ints = {1, 2, 3, 4, 5, 6})
  void cursor_movedAtRandom_agreesWithTheModel(int seed) {
    int rounds = Boolean.getBoolean("kv.long") ? 3_000 : 60;
    Random random = new Random(seed);
    for (int round = 0; round < rounds; round++) {
      order = new InternalKeyComparator(seed % 3 == 0 ? REVERSE : DBComparator.bytewise());
      entries.clear();
      int size = random.nextInt(200);
      int keys = 1 + random.nextInt(40);
      List<Integer> numbers = new ArrayList<>();
      for (int i = 1; i <= size; i++) {
        numbers.add(i);
      }
      for (int sequence : numbers) {
        boolean deletion = random.nextInt(4) == 0;
        entries.add(
            entry(
                key(random, keys),
                sequence,
                deletion ? ValueKind.DELETION : ValueKind.VALUE,
                deletion ? "" : "value " + sequence));
      }
      walk(random, random.nextInt(size + 2), keys, "seed " + seed + " round " + round);
    }
  }

  private void walk(Random random, int sequence, int keys, String context) {
    UserKeyComparator user = order.userComparator();
    ReadOptions.Builder options = ReadOptions.builder();
    if (random.nextInt(3) == 0) {
      options.lowerBound(key(random, keys));
    }
    if (random.nextInt(3) == 0) {
      options.upperBound(key(random, keys));
    }
    NavigableMap<byte[], String> model = model(sequence);
    byte[] lower = options.build().lowerBound();
    byte[] upper = options.build().upperBound();
    model.keySet().removeIf(key -> lower != null && user.compare(key, lower) < 0);
    model.keySet().removeIf(key -> upper != null && user.compare(key, upper) >= 0);

    DBIter cursor = cursor(sequence, options.build());
    Map.Entry<byte[], String> at = null;
    StringBuilder trace = new StringBuilder(context);
    for (int step = 0; step < 60; step++) {
      byte[] target = key(random, keys);
      switch (at == null ? random.nextInt(4) : random.nextInt(12)) {
        case 0 -> {
          trace.append(" first");
          cursor.seekToFirst();
          at = model.firstEntry();
        }
        case 1 -> {
          trace.append(" last");
          cursor.seekToLast();
          at = model.lastEntry();
        }
        case 2 -> {
          trace.append(" seek ").append(Arrays.toString(target));
          cursor.seek(ByteBuffer.wrap(target));
          at = model.ceilingEntry(target);
        }
        case 3 -> {
          trace.append(" seekForPrev ").append(Arrays.toString(target));
          cursor.seekForPrev(ByteBuffer.wrap(target));
          at = model.floorEntry(target);
        }
        case 4, 5, 6, 7 -> {
          trace.append(" next");
          cursor.next();
          at = model.higherEntry(at.getKey());
        }
        default -> {
          trace.append(" prev");
          cursor.prev();
          at = model.lowerEntry(at.getKey());
        }
      }
      assertThat(cursor.isValid()).as(trace.toString()).isEqualTo(at != null);
      if (at != null) {
        assertThat(key(cursor)).as(trace.toString()).isEqualTo(at.getKey());
        assertThat(value(cursor)).as(trace.toString()).isEqualTo(at.getValue());
      }
    }
  }

  /** Returns what is visible at {@code sequence}. */
  private NavigableMap<byte[], String> model(int sequence) {
    NavigableMap<byte[], String> model = new TreeMap<>(order.userComparator()::compare);
    for (Entry entry : entries) {
      long tag = InternalKey.tag(entry.key());
      if (InternalKey.sequence(tag) <= sequence) {
        byte[] key = InternalKey.userKey(entry.key());
        if (InternalKey.kindCode(tag) == 0) {
          model.remove(key);
        } else {
          model.put(key, new String(entry.value(), StandardCharsets.UTF_8));
        }
      }
    }
    return model;
  }

  private static byte[] key(Random random, int keys) {
    int number = random.nextInt(keys);
    byte[] key = new byte[number % 13];
    Arrays.fill(key, (byte) (number * 37));
    return key;
  }

  // Everything else.

  @Test
  void cursor_overAMalformedKey_throwsAndIsInvalid() {
    put("a", 1, "a1");
    byte[] unknownKind = InternalKey.encode(bytes("b"), 2, ValueKind.VALUE);
    unknownKind[1] = 2;
    entries.add(new Entry(unknownKind, new byte[0]));
    DBIter cursor = cursor(9);
    cursor.seekToFirst();
    assertThatThrownBy(cursor::next)
        .isInstanceOf(CorruptionException.class)
        .hasMessageContaining("'b'");
    assertThat(cursor.isValid()).isFalse();
    assertThatThrownBy(cursor::seekToLast).isInstanceOf(CorruptionException.class);
    assertThat(cursor.isValid()).isFalse();
    cursor.seekToFirst();
    assertThat(show(cursor)).isEqualTo("a=a1");
  }

  @Test
  void cursor_stoppedWhileItSkips_throws() {
    for (int i = 0; i < 1000; i++) {
      delete("key" + i, i + 1);
    }
    DBIter cursor = cursor(2000);
    cursor.stop();
    assertThatThrownBy(cursor::seekToFirst).isInstanceOf(DBClosedException.class);
    assertThatThrownBy(cursor::seekToLast).isInstanceOf(DBClosedException.class);
  }

  @Test
  void samples_areTakenAboutEveryMiB() {
    for (int i = 0; i < 600; i++) {
      put(String.format(Locale.ROOT, "key%04d", i), i + 1, "v".repeat(50_000));
    }
    DBIter cursor = cursor(2000);
    forward(cursor);
    assertThat(sampled).isBetween(12, 70);
    backward(cursor);
    assertThat(sampled).isBetween(30, 140);
  }

  @Test
  void steps_inBothDirections_allocateNothing() {
    for (int i = 0; i < 1000; i++) {
      put(String.format(Locale.ROOT, "key%04d", i), 2 * i + 1, "value " + i);
      put(String.format(Locale.ROOT, "key%04d", i), 2 * i + 2, "newer " + i);
    }
    DBIter cursor = cursor(5000);
    ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
    long id = Thread.currentThread().getId();
    ByteBuffer target = ByteBuffer.wrap(bytes("key0500"));
    long least = Long.MAX_VALUE;
    for (int round = 0; round < 20; round++) {
      long before = threads.getThreadAllocatedBytes(id);
      for (cursor.seekToFirst(); cursor.isValid(); cursor.next()) {}
      for (cursor.seekToLast(); cursor.isValid(); cursor.prev()) {}
      cursor.seek(target);
      least = Math.min(least, threads.getThreadAllocatedBytes(id) - before);
    }
    assertThat(least).as("bytes for 2000 steps").isLessThan(1000);
  }

  // Ranges of tombstones.

  /** Deletes keys between a and z. */
  private void deleteMany(int count) {
    put("a", 1, "a1");
    for (int i = 0; i < count; i++) {
      delete(String.format(Locale.ROOT, "d%04d", i), 2 + i);
    }
  }

  /** Seeks a key with a new cursor over the same entries; returns the number of steps. */
  private int stepsTo(String target, String expected, long sequence) {
    DBIter cursor = cursor(sequence);
    cursor.seek(ByteBuffer.wrap(bytes(target)));
    assertThat(show(cursor)).isEqualTo(expected);
    return internal.steps;
  }

  @Test
  void seek_overManyTombstones_laterBeginsAfterThem() {
    deleteMany(TombstoneSkipIndex.MANY);
    put("z", 900, "z9");
    watching = true;
    assertThat(stepsTo("c", "z=z9", 1000)).as("offers").isEqualTo(TombstoneSkipIndex.MANY);
    assertThat(stepsTo("c", "z=z9", 1000)).as("proves").isEqualTo(TombstoneSkipIndex.MANY);
    assertThat(stepsTo("c", "z=z9", 1000)).isZero();
    assertThat(stepsTo("d0050", "z=z9", 1000)).isZero();
    assertThat(stepsTo("a", "a=a1", 1000)).as("before the range").isZero();
    assertThat(stepsTo("b", "z=z9", 1000)).isEqualTo(TombstoneSkipIndex.MANY);
    assertThat(stepsTo("z", "z=z9", 1000)).isZero();
    assertThat(stepsTo("c", "z=z9", 999)).as("an older view").isEqualTo(TombstoneSkipIndex.MANY);
  }

  @Test
  void seek_overFewTombstones_offersNoRange() {
    deleteMany(TombstoneSkipIndex.MANY - 1);
    put("z", 900, "z9");
    watching = true;
    for (int i = 0; i < 4; i++) {
      assertThat(stepsTo("c", "z=z9", 1000)).isEqualTo(TombstoneSkipIndex.MANY - 1);
      assertThat(dead.isEmpty()).isTrue();
    }
  }

  @Test
  void seek_overTombstonesToTheEnd_laterFindsNothingWithoutAStep() {
    deleteMany(TombstoneSkipIndex.MANY);
    watching = true;
    stepsTo("c", "nothing", 1000);
    stepsTo("c", "nothing", 1000);
    assertThat(stepsTo("c", "nothing", 1000)).isZero();
    assertThat(stepsTo("zz", "nothing", 1000)).isZero();
    assertThat(stepsTo("a", "a=a1", 1000)).isZero();
  }

  @Test
  void seekToFirst_overTombstonesFromTheBeginning_laterBeginsAfterThem() {
    deleteMany(TombstoneSkipIndex.MANY);
    delete("a", 800);
    put("z", 900, "z9");
    watching = true;
    for (int round = 0; round < 3; round++) {
      assertThat(forward(cursor(1000))).isEqualTo("z=z9");
    }
    DBIter cursor = cursor(1000);
    cursor.seekToFirst();
    assertThat(internal.steps).isZero();
    assertThat(show(cursor)).isEqualTo("z=z9");
    assertThat(forward(cursor(1))).as("a view from before").isEqualTo("a=a1");
  }

  @Test
  void seek_upToABound_offersTheRangeBeforeIt() {
    deleteMany(TombstoneSkipIndex.MANY);
    put("z", 900, "z9");
    watching = true;
    ReadOptions bounded = prefix("d");
    for (int round = 0; round < 3; round++) {
      assertThat(forward(cursor(1000, bounded))).isEmpty();
    }
    assertThat(internal.steps).isZero();
    assertThat(stepsTo("d", "z=z9", 1000)).isZero();
  }

  /** So that the tables with the tombstones are compacted although seeks skip them. */
  @Test
  void seek_thatSkipsARange_samplesItsFirstKeyNowAndThen() {
    deleteMany(TombstoneSkipIndex.MANY);
    put("z", 900, "z9");
    watching = true;
    stepsTo("c", "z=z9", 1000);
    stepsTo("c", "z=z9", 1000);
    DBIter cursor = cursor(1000);
    sampled = 0;
    for (int i = 0; i < 1600; i++) {
      cursor.seek(ByteBuffer.wrap(bytes("c")));
    }
    assertThat(show(cursor)).isEqualTo("z=z9");
    assertThat(lastSample).isEqualTo("d0000");
    assertThat(sampled).as("one in 16, by chance").isBetween(40, 200);
    assertThat(internal.steps).isZero();
  }

  private void put(String key, long sequence, String value) {
    entries.add(entry(bytes(key), sequence, ValueKind.VALUE, value));
  }

  private void delete(String key, long sequence) {
    entries.add(entry(bytes(key), sequence, ValueKind.DELETION, ""));
  }

  private static Entry entry(byte[] key, long sequence, ValueKind kind, String value) {
    return new Entry(InternalKey.encode(key, sequence, kind), bytes(value));
  }

  private final TombstoneSkipIndex dead =
      new TombstoneSkipIndex(
          order.userComparator(),
          ranges -> {
            if (watching) {
              ranges.beginWatches(1);
            }
          });

  private DBIter cursor(long sequence) {
    return cursor(sequence, ReadOptions.DEFAULT);
  }

  private DBIter cursor(long sequence, ReadOptions options) {
    List<Entry> sorted = new ArrayList<>(entries);
    Collections.sort(sorted, (a, b) -> order.compare(a.key(), b.key()));
    internal = new EntryListCursor(order, sorted);
    ReadContext scratch = new ReadContext(new OffHeapBudget(0), new LookupStats());
    scratch.setSequence(sequence);
    return new DBIter(
        internal,
        order.userComparator(),
        0,
        KeyBounds.of(options, order.userComparator()),
        scratch,
        new CursorParts(this::sample, dead, "db"));
  }

  private void sample(ByteBuffer key, int offset, int length) {
    sampled++;
    lastSample =
        new String(
            InternalKey.copy(key, offset, length - InternalKey.TRAILER), StandardCharsets.UTF_8);
  }

  private static ReadOptions prefix(String prefix) {
    return ReadOptions.builder().prefix(bytes(prefix)).build();
  }

  private static String forward(DBIter cursor) {
    List<String> shown = new ArrayList<>();
    for (cursor.seekToFirst(); cursor.isValid(); cursor.next()) {
      shown.add(show(cursor));
    }
    return String.join(" ", shown);
  }

  private static String backward(DBIter cursor) {
    List<String> shown = new ArrayList<>();
    for (cursor.seekToLast(); cursor.isValid(); cursor.prev()) {
      shown.add(show(cursor));
    }
    return String.join(" ", shown);
  }

  private static String show(DBIter cursor) {
    return cursor.isValid()
        ? new String(key(cursor), StandardCharsets.UTF_8) + "=" + value(cursor)
        : "nothing";
  }

  private static byte[] key(DBIter cursor) {
    byte[] key = new byte[cursor.keyLength()];
    cursor.keyBuffer().get(cursor.keyOffset(), key);
    return key;
  }

  private static String value(DBIter cursor) {
    byte[] value = new byte[cursor.valueLength()];
    cursor.valueBuffer().get(cursor.valueOffset(), value);
    return new String(value, StandardCharsets.UTF_8);
  }
}
