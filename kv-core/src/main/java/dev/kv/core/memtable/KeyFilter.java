package dev.kv.core.memtable;

import dev.kv.core.key.KeyHash;
import dev.kv.core.memory.NativeArena;
import java.nio.ByteBuffer;

/**
 * A Bloom filter of the user keys of one memtable, in its arena. A lookup of a key that the
 * memtable does not have reads one word of it, and none of the nodes on the way through the list.
 * Each key has {@value #PROBES} bits in one word. With 18 bits of the filter for each key, fewer
 * than one in a hundred of the keys that the memtable does not have pass the filter.
 *
 * <p>One thread adds keys, each before its entry is in the list. A reader sees the bits of every
 * entry in its view, as it sees the nodes: they are stored before the sequence number is published.
 */
final class KeyFilter {
  /** A filter takes one in so many bytes of the largest size of its arena. */
  private static final int SHARE = 64;

  /** The size of the smallest filter, in bytes. Smaller memtables have none. */
  private static final int LEAST_BYTES = 64;

  /**
   * A filter is due when the entries take as many times its own size. Those that are there already
   * are added at once, by the writer.
   */
  private static final int DUE = 2;

  private static final int PROBES = 4;

  /** The number of hash bits that select a bit of a word. */
  private static final int PROBE_BITS = 6;

  private final NativeArena arena;
  private final int offset;

  /** Shifts a hash so that the number of its word is left. */
  private final int shift;

  /** Allocates an empty filter. Requires that it is due. */
  KeyFilter(NativeArena arena) {
    int bytes = bytesFor(arena);
    this.arena = arena;
    offset = arena.allocate(bytes, Long.BYTES);
    shift = Long.SIZE - Integer.numberOfTrailingZeros(bytes / Long.BYTES);
    ByteBuffer memory = arena.buffer();
    for (int i = 0; i < bytes; i += Long.BYTES) {
      memory.putLong(offset + i, 0);
    }
  }

  private static int bytesFor(NativeArena arena) {
    return Integer.highestOneBit(arena.limit() / SHARE);
  }

  /**
   * Returns true if the memtable in an arena has enough entries for a filter, and the arena has
   * room for it.
   *
   * @param needed how many bytes of the arena the entries need, those that are there and the next
   */
  static boolean isDue(NativeArena arena, long needed) {
    int bytes = bytesFor(arena);
    return bytes >= LEAST_BYTES
        && arena.used() >= DUE * bytes
        && needed + bytes + Long.BYTES <= arena.capacity();
  }

  void add(ByteBuffer key, int keyOffset, int keyLength) {
    long hash = KeyHash.of(key, keyOffset, keyLength);
    ByteBuffer memory = arena.buffer();
    int word = wordOf(hash);
    memory.putLong(word, memory.getLong(word) | bitsOf(hash));
  }

  /** Returns false if no entry in the view of the caller has the user key. */
  boolean mayContain(ByteBuffer key, int keyOffset, int keyLength) {
    long hash = KeyHash.of(key, keyOffset, keyLength);
    long bits = bitsOf(hash);
    return (arena.buffer().getLong(wordOf(hash)) & bits) == bits;
  }

  private int wordOf(long hash) {
    return offset + (int) (hash >>> shift) * Long.BYTES;
  }

  private static long bitsOf(long hash) {
    long bits = 0;
    for (int i = 0; i < PROBES; i++) {
      bits |= 1L << (hash >>> i * PROBE_BITS);
    }
    return bits;
  }
}
