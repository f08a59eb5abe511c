package dev.kv.core.key;

import dev.kv.bytes.DBComparator;
import java.nio.ByteBuffer;

/** The order of internal keys: by user key, and then the newest first. */
public final class InternalKeyComparator extends KeyComparator {
  private final UserKeyComparator users;
  private final boolean bytewise;

  /** Creates the order over the program's order of user keys. */
  public InternalKeyComparator(DBComparator order) {
    users = new UserKeyComparator(order);
    bytewise = users.isBytewise();
  }

  /** Returns the order of the user keys. */
  public UserKeyComparator userComparator() {
    return users;
  }

  @Override
  public int compare(
      ByteBuffer a, int aOffset, int aLength, ByteBuffer b, int bOffset, int bLength) {
    int order = compareUserKeys(a, aOffset, aLength, b, bOffset, bLength);
    return order != 0
        ? order
        : Long.compareUnsigned(
            InternalKey.tag(b, bOffset, bLength), InternalKey.tag(a, aOffset, aLength));
  }

  /** Compares the user keys of two internal keys. */
  public int compareUserKeys(
      ByteBuffer a, int aOffset, int aLength, ByteBuffer b, int bOffset, int bLength) {
    int aUser = aLength - InternalKey.TRAILER;
    int bUser = bLength - InternalKey.TRAILER;
    if (!bytewise) {
      return users.compare(a, aOffset, aUser, b, bOffset, bUser);
    }
    int common = Math.min(aUser, bUser);
    return common > 0 && common < Long.BYTES
        ? compareHeads(a, aOffset, b, bOffset, common, aUser - bUser)
        : UserKeyComparator.compareBytes(a, aOffset, aUser, b, bOffset, bUser);
  }

  /**
   * Compares 1 to 7 bytes as parts of words: with its tag, every internal key has at least eight
   * bytes.
   */
  private static int compareHeads(
      ByteBuffer a, int aOffset, ByteBuffer b, int bOffset, int common, int otherwise) {
    int rest = Long.SIZE - Byte.SIZE * common;
    long x = Long.reverseBytes(a.getLong(aOffset)) >>> rest;
    long y = Long.reverseBytes(b.getLong(bOffset)) >>> rest;
    return x != y ? Long.compare(x, y) : otherwise;
  }

  /** Compares an internal key in a direct buffer with one on the heap. */
  public int compare(ByteBuffer a, int aOffset, int aLength, byte[] b) {
    int order = compareUserKeys(a, aOffset, aLength, b);
    return order != 0
        ? order
        : Long.compareUnsigned(InternalKey.tag(b), InternalKey.tag(a, aOffset, aLength));
  }

  /** Compares the user keys of an internal key in a direct buffer and of one on the heap. */
  public int compareUserKeys(ByteBuffer a, int aOffset, int aLength, byte[] b) {
    return users.compare(
        a, aOffset, aLength - InternalKey.TRAILER, b, b.length - InternalKey.TRAILER);
  }

  /** Compares two internal keys on the heap. */
  public int compare(byte[] a, byte[] b) {
    int order = compareUserKeys(a, b);
    return order != 0 ? order : Long.compareUnsigned(InternalKey.tag(b), InternalKey.tag(a));
  }

  /** Compares the user keys of two internal keys on the heap. */
  public int compareUserKeys(byte[] a, byte[] b) {
    return users.compare(a, a.length - InternalKey.TRAILER, b, b.length - InternalKey.TRAILER);
  }

  /**
   * Shortens the user key, and uses the result only if it is shorter and, in the order of user
   * keys, larger.
   */
  @Override
  public byte[] shortestSeparator(byte[] start, byte[] limit) {
    byte[] user = InternalKey.userKey(start);
    return taken(start, user, users.shortestSeparator(user, InternalKey.userKey(limit)));
  }

  @Override
  public byte[] shortSuccessor(byte[] key) {
    byte[] user = InternalKey.userKey(key);
    return taken(key, user, users.shortSuccessor(user));
  }

  private byte[] taken(byte[] key, byte[] user, byte[] shortened) {
    return shortened.length < user.length && users.compare(user, shortened) < 0
        ? InternalKey.encode(shortened, InternalKey.seekTag(InternalKey.MAX_SEQUENCE))
        : key;
  }
}
