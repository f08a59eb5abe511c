package dev.kv.core.table.format;

import dev.kv.core.codec.Varint;
import dev.kv.core.iterator.ForwardIterator;
import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;

/**
 * The position of a block in its file: offset and size. The size does not include the trailer.
 *
 * <pre>
 * handle := offset varint64, size varint64
 * </pre>
 */
public record BlockHandle(long offset, long size) {
  /** The maximum number of bytes of an encoded handle. */
  static final int MAX_ENCODED = 2 * Varint.MAX_64;

  /** Decodes a handle; returns null if there is no complete handle before {@code limit}. */
  public static @Nullable BlockHandle decode(ByteBuffer source, int at, int limit) {
    int middle = Varint.end64(source, at, limit);
    int end = middle < 0 ? middle : Varint.end64(source, middle, limit);
    return end < 0
        ? null
        : new BlockHandle(Varint.get64(source, at, middle), Varint.get64(source, middle, end));
  }

  /** Decodes the value of an entry of an index or metaindex; ignores the bytes after the handle. */
  public static BlockHandle of(ForwardIterator entry) {
    int at = entry.valueOffset();
    BlockHandle handle = decode(entry.valueBuffer(), at, at + entry.valueLength());
    if (handle == null) {
      throw entry.corruption("bad block handle in an entry of an index", "");
    }
    return handle;
  }

  /** Returns the number of bytes of the encoded handle. */
  public int encodedLength() {
    return Varint.size64(offset) + Varint.size64(size);
  }

  /** Writes the handle and returns the offset after it. */
  int encode(ByteBuffer target, int at) {
    return Varint.put64(target, Varint.put64(target, at, offset), size);
  }
}
