package dev.kv.core.table.block;

import static dev.kv.core.Bytes.direct;

import dev.kv.core.key.InternalKey;
import dev.kv.core.key.KeyComparator;
import dev.kv.core.key.ValueKind;
import dev.kv.core.memory.OffHeapBudget;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.TreeSet;

/**
 * Sorted entries made from a seed, the block of them, and the answers that a cursor over it must
 * give.
 */
public final class Entries {
  /** One entry. */
  public record Entry(byte[] key, byte[] value) {}

  private final KeyComparator comparator;
  private final List<Entry> list = new ArrayList<>();

  private Entries(KeyComparator comparator) {
    this.comparator = comparator;
  }

  /**
   * Returns {@code count} entries of internal keys, several versions of some user keys among them.
   */
  public static Entries internal(KeyComparator comparator, Random random, int count) {
    return of(comparator, random, count, true);
  }

  /** Returns {@code count} entries of user keys. */
  public static Entries user(KeyComparator comparator, Random random, int count) {
    return of(comparator, random, count, false);
  }

  private static Entries of(KeyComparator comparator, Random random, int count, boolean internal) {
    Entries entries = new Entries(comparator);
    TreeSet<byte[]> keys = new TreeSet<>(entries::compare);
    byte[] user = {};
    while (keys.size() < count) {
      if (random.nextInt(4) != 0 || !internal) {
        user = randomKey(random);
      }
      keys.add(internal ? InternalKey.encode(user, randomSequence(random), kind(random)) : user);
    }
    for (byte[] key : keys) {
      byte[] value = new byte[random.nextInt(10) == 0 ? random.nextInt(2000) : random.nextInt(90)];
      random.nextBytes(value);
      entries.list.add(new Entry(key, value));
    }
    return entries;
  }

  private static ValueKind kind(Random random) {
    return random.nextBoolean() ? ValueKind.VALUE : ValueKind.DELETION;
  }

  private static long randomSequence(Random random) {
    return random.nextInt(5) == 0
        ? InternalKey.MAX_SEQUENCE - random.nextInt(3)
        : random.nextInt(70000);
  }

  /** Returns a key that is likely to share a prefix with others, or to begin another. */
  public static byte[] randomKey(Random random) {
    int form = random.nextInt(12);
    int length = form == 0 ? random.nextInt(300) : random.nextInt(12);
    byte[] key = new byte[length];
    for (int i = 0; i < length; i++) {
      key[i] = (byte) (form < 8 ? 'a' + random.nextInt(2) : random.nextInt(256));
    }
    return key;
  }

  /** Returns the entries, sorted. */
  public List<Entry> list() {
    return list;
  }

  /** Returns the index of the first entry at or after {@code key}, or the number of entries. */
  public int ceiling(byte[] key) {
    int at = 0;
    while (at < list.size() && compare(list.get(at).key(), key) < 0) {
      at++;
    }
    return at;
  }

  private int compare(byte[] a, byte[] b) {
    return comparator.compare(direct(a), 0, a.length, direct(b), 0, b.length);
  }

  /** Returns the entries as a block in a buffer of exactly its length. */
  public ByteBuffer block(int restartInterval) {
    try (BlockBuilder builder = new BlockBuilder(restartInterval, new OffHeapBudget(0))) {
      for (Entry entry : list) {
        builder.add(
            direct(entry.key()),
            0,
            entry.key().length,
            direct(entry.value()),
            0,
            entry.value().length);
      }
      long estimate = builder.sizeEstimate();
      int length = builder.finish();
      if (length != estimate) {
        throw new AssertionError("estimated " + estimate + ", made " + length);
      }
      ByteBuffer block = ByteBuffer.allocateDirect(length).order(ByteOrder.LITTLE_ENDIAN);
      return block.put(0, builder.buffer(), 0, length);
    }
  }

  /** Returns a direct buffer that holds {@code bytes} and nothing else. */
}
