package dev.kv.core.table.filter;

import dev.kv.FilterPolicy;
import dev.kv.bytes.Slice;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * LevelDB's bloom filter, {@code leveldb.BuiltinBloomFilter2}.
 *
 * <pre>
 * filter := bit array, number of probes as one byte
 * </pre>
 *
 * The probes of a key begin at its 32-bit hash and step by that hash rotated right by 17, modulo
 * the number of bits, unsigned. Filters with more than 30 probes are reserved for future encodings
 * and match every key.
 */
public final class BloomFilter implements FilterPolicy {
  /** The name that C++ LevelDB stores. */
  public static final String NAME = "leveldb.BuiltinBloomFilter2";

  private static final int MAX_PROBES = 30;

  /** The most bytes of a filter whose bits have numbers of 32 bits; a larger one matches all. */
  private static final int MAX_BYTES = 1 << 29;

  private static final int MIN_BITS = 64;
  private static final int SEED = 0xbc9f1d34;
  private static final int MULTIPLIER = 0xc6a4a793;

  private final int bitsPerKey;
  private final int probes;

  /** The most bits of a key. From 44 on, more of them leave the number of probes as it is. */
  private static final int MAX_BITS_PER_KEY = 100;

  /** Creates the policy. */
  public BloomFilter(int bitsPerKey) {
    if (bitsPerKey < 0 || bitsPerKey > MAX_BITS_PER_KEY) {
      throw new IllegalArgumentException(
          "bitsPerKey is " + bitsPerKey + ", must be from 0 to " + MAX_BITS_PER_KEY);
    }
    this.bitsPerKey = bitsPerKey;
    probes = Math.max(1, Math.min(MAX_PROBES, (int) (bitsPerKey * 0.69)));
  }

  @Override
  public String name() {
    return NAME;
  }

  @Override
  public byte[] createFilter(List<Slice> keys) {
    int[] hashes = new int[keys.size()];
    for (int i = 0; i < hashes.length; i++) {
      hashes[i] = hash(keys.get(i));
    }
    return create(hashes, hashes.length);
  }

  /** Returns a filter over the keys with the given hashes. */
  byte[] create(int[] hashes, int count) {
    long wanted = Math.max(MIN_BITS, (long) count * bitsPerKey);
    int bytes = (int) Math.min((wanted + 7) / 8, Integer.MAX_VALUE / 8 - 1);
    int bits = bytes * 8;
    byte[] filter = new byte[bytes + 1];
    filter[bytes] = (byte) probes;
    for (int i = 0; i < count; i++) {
      int probe = hashes[i];
      int step = Integer.rotateRight(probe, 17);
      for (int j = 0; j < probes; j++) {
        int bit = Integer.remainderUnsigned(probe, bits);
        filter[bit >>> 3] |= (byte) (1 << (bit & 7));
        probe += step;
      }
    }
    return filter;
  }

  @Override
  public boolean keyMayMatch(Slice key, Slice filter) {
    ByteBuffer bytes = ByteBuffer.wrap(filter.toByteArray());
    return mayContain(hash(key), bytes, 0, bytes.capacity());
  }

  /** Returns false only if no key of that hash was added to the filter. */
  public static boolean mayContain(int hash, ByteBuffer filter, int offset, int length) {
    if (length < 2) {
      return false;
    }
    int probes = filter.get(offset + length - 1) & 0xff;
    if (probes > MAX_PROBES || length > MAX_BYTES) {
      return true;
    }
    int bits = (length - 1) * 8;
    int probe = hash;
    int step = Integer.rotateRight(probe, 17);
    for (int j = 0; j < probes; j++) {
      int bit = Integer.remainderUnsigned(probe, bits);
      if ((filter.get(offset + (bit >>> 3)) & 1 << (bit & 7)) == 0) {
        return false;
      }
      probe += step;
    }
    return true;
  }

  /** Returns LevelDB's hash of bytes in a little-endian buffer. */
  public static int hash(ByteBuffer key, int offset, int length) {
    int hash = SEED ^ length * MULTIPLIER;
    int at = offset;
    int end = offset + length;
    for (; at + Integer.BYTES <= end; at += Integer.BYTES) {
      hash = mix(hash, key.getInt(at), 16);
    }
    int tail = 0;
    for (int i = end - 1; i >= at; i--) {
      tail = tail << 8 | key.get(i) & 0xff;
    }
    return end > at ? mix(hash, tail, 24) : hash;
  }

  private static int hash(Slice key) {
    ByteBuffer bytes = ByteBuffer.wrap(key.toByteArray()).order(ByteOrder.LITTLE_ENDIAN);
    return hash(bytes, 0, bytes.capacity());
  }

  private static int mix(int hash, int word, int shift) {
    int mixed = (hash + word) * MULTIPLIER;
    return mixed ^ mixed >>> shift;
  }

  /** Two policies are equal if they create the same filters. */
  @Override
  public boolean equals(@Nullable Object other) {
    return other instanceof BloomFilter filter && filter.bitsPerKey == bitsPerKey;
  }

  @Override
  public int hashCode() {
    return bitsPerKey;
  }

  @Override
  public String toString() {
    return NAME + "(" + bitsPerKey + ")";
  }
}
