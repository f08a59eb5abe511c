package dev.kv.core.inspect;

import dev.kv.bytes.DBComparator;
import dev.kv.core.key.InternalKey;
import dev.kv.core.key.InternalKeyComparator;
import dev.kv.core.key.ValueKind;
import java.util.Comparator;

/** The keys of tables and MANIFESTs: a user key, its sequence number and its kind. */
public final class StoredKey {
  /** The bytes of sequence number and kind. */
  public static final int TAG_BYTES = InternalKey.TRAILER;

  /** The largest sequence number. */
  public static final long MAX_SEQUENCE = InternalKey.MAX_SEQUENCE;

  private StoredKey() {}

  /** Returns true if the bytes are long enough for a tag, and its kind is known. */
  public static boolean isWellFormed(byte[] key) {
    return InternalKey.isWellFormed(key);
  }

  /** Returns a copy of the user key in a well-formed key. */
  public static byte[] userKey(byte[] key) {
    return InternalKey.userKey(key);
  }

  /** Returns the sequence number of a well-formed key. */
  public static long sequence(byte[] key) {
    return InternalKey.sequence(InternalKey.tag(key));
  }

  /** Returns true if a well-formed key is that of a tombstone. */
  public static boolean isTombstone(byte[] key) {
    return InternalKey.kindCode(InternalKey.tag(key)) == ValueKind.DELETION.code();
  }

  /** Returns a printable form, {@code 'user key' @ sequence : kind}; accepts any bytes. */
  public static String describe(byte[] key) {
    return InternalKey.describe(key);
  }

  /** The order of stored keys: by user key, and then the newest first. */
  public static final class Order implements Comparator<byte[]> {
    private final InternalKeyComparator keys;

    /** Creates the order over an order of user keys. */
    public Order(DBComparator order) {
      keys = new InternalKeyComparator(order);
    }

    @Override
    public int compare(byte[] a, byte[] b) {
      return keys.compare(a, b);
    }

    /** Returns the order of the user keys. */
    public Comparator<byte[]> userKeys() {
      return keys.userComparator()::compare;
    }

    /** Compares the user keys of two stored keys. */
    public int compareUserKeys(byte[] a, byte[] b) {
      return keys.compareUserKeys(a, b);
    }
  }
}
