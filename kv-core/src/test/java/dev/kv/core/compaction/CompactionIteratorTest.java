package dev.kv.core.compaction;

import static dev.kv.core.Bytes.bytes;
import static dev.kv.core.Bytes.direct;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.sun.management.ThreadMXBean;
import dev.kv.bytes.DBComparator;
import dev.kv.bytes.Slice;
import dev.kv.core.iterator.ForwardIterator;
import dev.kv.core.key.InternalKey;
import dev.kv.core.key.InternalKeyComparator;
import dev.kv.core.key.KeyBuffer;
import dev.kv.core.key.ValueKind;
import dev.kv.core.memory.OffHeapBudget;
import dev.kv.core.memory.OffHeapBuffer;
import dev.kv.core.version.Version;
import dev.kv.core.version.VersionText;
import dev.kv.errors.CorruptionException;
import java.lang.management.ManagementFactory;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

final class CompactionIteratorTest {
  private record Entry(String user, long sequence, boolean deletion) {
    byte[] key() {
      return InternalKey.encode(
          bytes(user), sequence, deletion ? ValueKind.DELETION : ValueKind.VALUE);
    }
  }

  private static CompactionIterator iterator(
      ForwardIterator input, long[] snapshots, Version version, OffHeapBuffer memory) {
    return new CompactionIterator(
        input,
        snapshots,
        new BaseLevelCheck(version, 2),
        version.comparator().userComparator(),
        new KeyBuffer(memory),
        "inputs",
        () -> false);
  }

  private static OffHeapBuffer memory() {
    return new OffHeapBuffer(new OffHeapBudget(0), 8);
  }

  private static List<Entry> survivors(List<Entry> entries, long[] snapshots, Version version) {
    EntryList input = new EntryList(List.of());
    entries.forEach(entry -> input.add(entry.key(), new byte[0]));
    List<Entry> kept = new ArrayList<>();
    try (OffHeapBuffer memory = memory()) {
      CompactionIterator iterator = iterator(input, snapshots, version, memory);
      while (iterator.next()) {
        kept.add(entries.get((int) iterator.entriesRead() - 1));
      }
    }
    return kept;
  }

  /**
   * Returns what a reader at {@code sequence} finds of a key: the entry's sequence, 0 for none, -1
   * for deleted.
   */
  private static long visible(List<Entry> entries, String user, long sequence) {
    for (Entry entry : entries) {
      if (entry.user().equals(user) && entry.sequence() <= sequence) {
        return entry.deletion() ? -1 : entry.sequence();
      }
    }
    return 0;
  }

  @Test
  void survivors_ofRandomEntries_areWhatReadersSeeAndNothingElse() {
    long seed = 7;
    Random random = new Random(seed);
    Version version = VersionText.version(List.of("L2 1:1 b@0..b@0", "L3 2:1 d@0..e@0"));
    for (int round = 0; round < 3000; round++) {
      String place = "seed " + seed + ", round " + round;
      List<Entry> entries = randomEntries(random);
      long[] snapshots = random.longs(random.nextInt(5), 1, 40).toArray();
      List<Entry> kept = survivors(entries, snapshots, version);
      long[] readers = Arrays.copyOf(snapshots, snapshots.length + 1);
      readers[snapshots.length] = 100;
      for (String user : List.of("a", "b", "c", "d", "e", "f")) {
        boolean deeper = "bde".contains(user);
        for (long reader : readers) {
          long expected = visible(entries, user, reader);
          long found = visible(kept, user, reader);
          // With nothing deeper, no entry reads like a tombstone.
          boolean same = found == expected || (!deeper && expected == -1 && found == 0);
          assertThat(same).as("%s: %s at %d", place, user, reader).isTrue();
        }
      }
      assertThat(kept.size()).as(place).isEqualTo(distinctSeen(kept, readers));
    }
  }

  /** Returns how many of the entries some reader sees: all, if nothing is kept in vain. */
  private static int distinctSeen(List<Entry> entries, long[] readers) {
    int seen = 0;
    for (Entry entry : entries) {
      for (long reader : readers) {
        Entry top =
            entries.stream()
                .filter(e -> e.user().equals(entry.user()) && e.sequence() <= reader)
                .findFirst()
                .orElse(null);
        if (entry.equals(top)) {
          seen++;
          break;
        }
      }
    }
    return seen;
  }

  private static List<Entry> randomEntries(Random random) {
    List<Entry> entries = new ArrayList<>();
    for (String user : List.of("a", "b", "c", "d", "e", "f")) {
      random
          .longs(random.nextInt(6), 1, 40)
          .distinct()
          .boxed()
          .sorted((x, y) -> Long.compare(y, x))
          .forEach(sequence -> entries.add(new Entry(user, sequence, random.nextInt(3) == 0)));
    }
    return entries;
  }

  @Test
  void survivors_underAnOrderThatTakesKeysForEqual_followTheOrder() {
    DBComparator ignoringCase =
        new DBComparator() {
          @Override
          public String name() {
            return "ignoring-case";
          }

          @Override
          public int compare(Slice a, Slice b) {
            return a.toUtf8String().compareToIgnoreCase(b.toUtf8String());
          }
        };
    Version version = Version.empty(new InternalKeyComparator(ignoringCase), v -> {});
    List<Entry> entries =
        List.of(new Entry("A", 9, false), new Entry("a", 8, false), new Entry("b", 7, false));
    assertThat(survivors(entries, new long[0], version))
        .containsExactly(entries.get(0), entries.get(2));
  }

  @Test
  void next_keyThatIsNone_isCorruption() {
    for (byte[] key : List.of(new byte[7], new byte[] {'a', 2, 0, 0, 0, 0, 0, 0, 0})) {
      EntryList input = new EntryList(List.of());
      input.add(key, new byte[0]);
      try (OffHeapBuffer memory = memory()) {
        CompactionIterator iterator =
            iterator(input, new long[0], VersionText.version(List.of()), memory);
        assertThatThrownBy(iterator::next)
            .isInstanceOf(CorruptionException.class)
            .hasMessageContaining("no internal key");
      }
    }
  }

  @Test
  void next_manyEntries_allocatesNothing() {
    Version version = VersionText.version(List.of("L2 1:1 000000000000@0..zzzzzzzzzzzzzz@0"));
    ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
    try (OffHeapBuffer memory = memory()) {
      CompactionIterator iterator = iterator(new Counting(), new long[] {10, 20}, version, memory);
      for (int i = 0; i < 25_000; i++) {
        iterator.next();
      }
      long before = threads.getCurrentThreadAllocatedBytes();
      long readBefore = iterator.entriesRead();
      for (int i = 0; i < 25_000; i++) {
        assertNext(iterator);
      }
      long allocated = threads.getCurrentThreadAllocatedBytes() - before;
      assertThat(iterator.entriesRead() - readBefore).isEqualTo(50_000);
      assertThat(allocated).isLessThan(4096);
    }
  }

  private static void assertNext(CompactionIterator iterator) {
    if (!iterator.next()) {
      throw new AssertionError("no entry");
    }
  }

  /** Endless entries: each key of 16 bytes twice, the first a tombstone. */
  private static final class Counting extends ForwardIterator {
    private final ByteBuffer memory = direct(new byte[24]);
    private long count;

    @Override
    public void seekToFirst() {
      valid = true;
      keyBuffer = memory;
      keyLength = 24;
      valueBuffer = memory;
      next();
    }

    @Override
    public void next() {
      memory.putLong(0, 0x3030303030303030L);
      memory.putLong(8, Long.reverseBytes(count / 2));
      memory.putLong(16, (100 - count % 2) << 8 | count % 2);
      count++;
    }

    @Override
    public void close() {
      valid = false;
    }
  }

  @Test
  void next_entryOutOfOrder_throws() {
    Entry b5 = new Entry("b", 5, false);
    for (Entry wrong : List.of(new Entry("a", 6, false), new Entry("b", 6, false))) {
      assertThatThrownBy(
              () -> survivors(List.of(b5, wrong), new long[0], VersionText.version(List.of())))
          .isInstanceOf(CorruptionException.class)
          .hasMessageContaining("out of order");
    }
    List<Entry> twice = List.of(b5, b5);
    assertThat(survivors(twice, new long[0], VersionText.version(List.of()))).containsExactly(b5);
  }
}
