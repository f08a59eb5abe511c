package dev.kv.core.memtable;

import dev.kv.core.key.InternalKey;
import dev.kv.core.key.InternalKeyComparator;
import dev.kv.core.key.UserKeyComparator;
import dev.kv.core.key.ValueKind;
import dev.kv.core.memory.Invariants;
import dev.kv.core.memory.NativeArena;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/**
 * A skip list of entries in one off-heap arena. One thread inserts; any number of threads read
 * concurrently without a lock.
 *
 * <pre>
 * node    := next fixed32 * height, header, internal key, value
 * header  := internal key length fixed32, value length fixed32, previous fixed32
 * </pre>
 *
 * The offset of a node is that of its header, a multiple of 4. Its forward links are stored before
 * it, that of level 0 last. No node has the offset 0. The arena may move to a larger buffer while
 * it grows; offsets stay the same. Invariants:
 *
 * <ol>
 *   <li>After a node is linked, it does not change except for its links, and is never unlinked.
 *   <li>A node is linked at a level only after it is linked at all lower levels, and with a release
 *       store, so that a reader that sees the link also sees the node.
 *   <li>The links of a level are in the comparator's order.
 *   <li>Between two insertions, the back link of a node is the node before it at level 0.
 * </ol>
 *
 * <p>An insertion of N between P and S stores three links in this order: N's back link to P, the
 * forward link of P to N, the back link of S to N. The last two are release stores, and readers
 * load all links with acquire.
 *
 * <ul>
 *   <li>A reader that found N sees its back link, because that is stored before the first link to
 *       N.
 *   <li>Between the last two stores a step back from S passes over N. This hides only entries that
 *       are newer than the reader's view: the writer publishes the sequence number of N after the
 *       insertion, so a reader whose view contains N sees the back link of S, or a later one. Later
 *       ones skip nothing of the view: a back link is replaced only by that of a node in between.
 *   <li>Thus a reader may meet N on its way forward and miss it on its way back. It must ignore
 *       entries that are newer than its view in any case.
 * </ul>
 */
final class OffHeapSkipList {
  /** The offset that stands for no node. */
  static final int NIL = 0;

  static final int MAX_HEIGHT = 12;

  /** The maximum number of bytes that a node takes in addition to its user key and value. */
  static final int MAX_NODE_OVERHEAD =
      MAX_HEIGHT * Integer.BYTES + 3 * Integer.BYTES + InternalKey.TRAILER + Integer.BYTES - 1;

  private static final int BACK = 2 * Integer.BYTES;
  private static final int HEADER = 3 * Integer.BYTES;
  private static final int HEAD = MAX_HEIGHT * Integer.BYTES;

  /** The bytes that a list without entries takes. */
  static final int EMPTY_BYTES = HEAD + HEADER;

  private static final long SIGN = Long.MIN_VALUE;

  private static final VarHandle LINK =
      MethodHandles.byteBufferViewVarHandle(int[].class, ByteOrder.LITTLE_ENDIAN);

  private final InternalKeyComparator order;
  private final boolean bytewise;
  private final NativeArena arena;

  // Written by the inserting thread alone.
  private final int[] splice = new int[MAX_HEIGHT];
  private final int[] last = new int[MAX_HEIGHT];
  private int random = 0xdeadbeef;

  /**
   * The number of levels in use; a reader that sees an old value begins at a lower level and finds
   * the same nodes.
   */
  private volatile int height = 1;

  OffHeapSkipList(InternalKeyComparator order, NativeArena arena) {
    this.order = order;
    this.bytewise = order.userComparator().isBytewise();
    this.arena = arena;
    ByteBuffer memory = arena.buffer();
    int start = arena.allocate(EMPTY_BYTES, Integer.BYTES);
    if (start != 0) {
      throw new AssertionError("the arena is not empty");
    }
    for (int offset = 0; offset < EMPTY_BYTES; offset += Integer.BYTES) {
      memory.putInt(offset, NIL);
    }
    java.util.Arrays.fill(last, HEAD);
  }

  /**
   * Inserts an entry, copied from {@code source}. Requires that no entry has an equal internal key,
   * and that the arena has room. Returns the node.
   */
  int insert(
      long sequence,
      ValueKind kind,
      ByteBuffer source,
      int keyOffset,
      int keyLength,
      int valueOffset,
      int valueLength) {
    int nodeHeight = randomHeight();
    int node = newNode(nodeHeight, keyLength, valueLength);
    int key = node + HEADER;
    ByteBuffer memory = arena.buffer();
    memory.put(key, source, keyOffset, keyLength);
    memory.putLong(key + keyLength, InternalKey.pack(sequence, kind));
    memory.put(key + keyLength + InternalKey.TRAILER, source, valueOffset, valueLength);
    link(memory, node, nodeHeight, key, keyLength + InternalKey.TRAILER);
    return node;
  }

  private int newNode(int nodeHeight, int keyLength, int valueLength) {
    int links = nodeHeight * Integer.BYTES;
    long bytes = (long) links + HEADER + keyLength + InternalKey.TRAILER + valueLength;
    int start =
        bytes > Integer.MAX_VALUE ? NativeArena.FULL : arena.allocate((int) bytes, Integer.BYTES);
    if (start == NativeArena.FULL) {
      throw new AssertionError("no room in the memtable: ensureRoomFor was not called");
    }
    int node = start + links;
    ByteBuffer memory = arena.buffer();
    memory.putInt(node, keyLength + InternalKey.TRAILER);
    memory.putInt(node + Integer.BYTES, valueLength);
    return node;
  }

  private void link(ByteBuffer memory, int node, int nodeHeight, int key, int keyLength) {
    int[] before = splice;
    int tail = last[0];
    long prefix = prefix(memory, key, keyLength);
    if (tail == HEAD || compare(memory, tail, memory, key, keyLength, prefix) < 0) {
      before = last; // after all other entries: sequential inserts search nothing
    } else {
      findSplice(memory, key, keyLength, prefix);
    }
    if (nodeHeight > height) {
      for (int level = height; level < nodeHeight; level++) {
        before[level] = HEAD;
      }
      height = nodeHeight;
    }
    memory.putInt(node + BACK, before[0]);
    for (int level = 0; level < nodeHeight; level++) {
      int previous = before[level];
      int next = next(memory, previous, level);
      memory.putInt(linkOffset(node, level), next);
      LINK.setRelease(memory, linkOffset(previous, level), node);
      if (next == NIL) {
        last[level] = node;
      } else if (level == 0) {
        LINK.setRelease(memory, next + BACK, node);
      }
    }
  }

  private void findSplice(ByteBuffer memory, int key, int keyLength, long prefix) {
    int node = HEAD;
    int known = NIL;
    for (int level = height - 1; level >= 0; level--) {
      int next = next(memory, node, level);
      while (next != NIL
          && next != known
          && compare(memory, next, memory, key, keyLength, prefix) < 0) {
        node = next;
        next = next(memory, node, level);
      }
      known = next;
      splice[level] = node;
    }
    if (Invariants.ON
        && known != NIL
        && compare(memory, known, memory, key, keyLength, prefix) == 0) {
      throw new AssertionError("two entries with the same sequence number");
    }
  }

  private int randomHeight() {
    int x = random;
    x ^= x << 13;
    x ^= x >>> 17;
    x ^= x << 5;
    random = x;
    return 1 + (Integer.numberOfTrailingZeros(x | 1 << 2 * (MAX_HEIGHT - 1)) >>> 1);
  }

  /** Returns the first node at or after an internal key, or {@link #NIL}. */
  int findGreaterOrEqual(ByteBuffer key, int offset, int length) {
    ByteBuffer memory = arena.buffer();
    long prefix = prefix(key, offset, length);
    int node = HEAD;
    int known = NIL;
    int level = height - 1;
    while (true) {
      int next = next(memory, node, level);
      if (next != NIL && next != known && compare(memory, next, key, offset, length, prefix) < 0) {
        node = next;
      } else if (level == 0) {
        return next;
      } else {
        known = next;
        level--;
      }
    }
  }

  /** Returns the last node, or {@link #NIL}. */
  int findLast() {
    ByteBuffer memory = arena.buffer();
    int node = HEAD;
    for (int level = height - 1; level >= 0; level--) {
      for (int next = next(memory, node, level); next != NIL; next = next(memory, node, level)) {
        node = next;
      }
    }
    return node == HEAD ? NIL : node;
  }

  /** Returns the first node, or {@link #NIL}. */
  int first() {
    return next(arena.buffer(), HEAD, 0);
  }

  /** Returns the node after {@code node}, or {@link #NIL}. */
  int next(int node) {
    return next(arena.buffer(), node, 0);
  }

  /**
   * Returns the node before {@code node}, or {@link #NIL}. May pass over a node that is being
   * inserted.
   */
  int previous(int node) {
    int previous = (int) LINK.getAcquire(arena.buffer(), node + BACK);
    return previous == HEAD ? NIL : previous;
  }

  private static int next(ByteBuffer memory, int node, int level) {
    return (int) LINK.getAcquire(memory, linkOffset(node, level));
  }

  private static int linkOffset(int node, int level) {
    return node - (level + 1) * Integer.BYTES;
  }

  /**
   * Returns the memory that contains every node returned so far. A later call may return another
   * buffer, because the arena has grown.
   */
  ByteBuffer memory() {
    return arena.buffer();
  }

  /** Returns the tag of the internal key of a node. */
  long tag(int node) {
    return InternalKey.tag(arena.buffer(), keyOffset(node), keyLength(node));
  }

  int keyOffset(int node) {
    return node + HEADER;
  }

  int keyLength(int node) {
    return arena.buffer().getInt(node);
  }

  int valueOffset(int node) {
    return node + HEADER + arena.buffer().getInt(node);
  }

  int valueLength(int node) {
    return arena.buffer().getInt(node + Integer.BYTES);
  }

  /**
   * Returns the first eight bytes of an internal key's user key as a big-endian number; a shorter
   * user key is followed by zeros. The load stays inside the internal key, because the tag has
   * eight bytes.
   */
  private static long prefix(ByteBuffer buffer, int offset, int length) {
    long bytes = Long.reverseBytes(buffer.getLong(offset));
    int user = length - InternalKey.TRAILER;
    return user >= Long.BYTES ? bytes : user == 0 ? 0 : bytes & -1L << Long.SIZE - 8 * user;
  }

  private int compare(
      ByteBuffer memory, int node, ByteBuffer key, int offset, int length, long prefix) {
    int nodeLength = memory.getInt(node);
    int nodeKey = node + HEADER;
    if (!bytewise) {
      return order.compare(memory, nodeKey, nodeLength, key, offset, length);
    }
    long nodePrefix = prefix(memory, nodeKey, nodeLength);
    if (nodePrefix != prefix) {
      return nodePrefix + SIGN < prefix + SIGN ? -1 : 1;
    }
    return compareAfterPrefix(memory, nodeKey, nodeLength, key, offset, length);
  }

  /**
   * Compares keys whose first eight bytes are equal. If one has at most eight bytes, it is a prefix
   * of the other.
   */
  private static int compareAfterPrefix(
      ByteBuffer memory, int nodeKey, int nodeLength, ByteBuffer key, int offset, int length) {
    int user = nodeLength - InternalKey.TRAILER;
    int otherUser = length - InternalKey.TRAILER;
    int result =
        user <= Long.BYTES || otherUser <= Long.BYTES
            ? user - otherUser
            : UserKeyComparator.compareBytes(
                memory,
                nodeKey + Long.BYTES,
                user - Long.BYTES,
                key,
                offset + Long.BYTES,
                otherUser - Long.BYTES);
    return result != 0
        ? result
        : Long.compareUnsigned(
            InternalKey.tag(key, offset, length), InternalKey.tag(memory, nodeKey, nodeLength));
  }
}
