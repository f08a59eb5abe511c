package dev.kv.core.table.format;

import dev.kv.bytes.Escape;
import dev.kv.env.RandomAccessFile;
import dev.kv.errors.CorruptionException;
import dev.kv.errors.UnsupportedFormatException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/**
 * The footer of a table file: the handles of metaindex and index, and the magic number.
 *
 * <pre>
 * footer := metaindex handle, index handle, zeros up to 40 bytes, magic fixed64
 * </pre>
 */
public record Footer(BlockHandle metaindex, BlockHandle index) {
  /** Bytes of an encoded footer. */
  public static final int SIZE = 2 * BlockHandle.MAX_ENCODED + Long.BYTES;

  /** LevelDB's magic number: the first 8 bytes of the SHA-1 of its project URL. */
  public static final long MAGIC = 0xdb4775248b80fb57L;

  private static final long[] ROCKSDB_MAGICS = {
    0x88e241b785f4cff7L, 0x8242229663bf9564L, 0x4f3418eb7a8f13b8L, 0x926789d0c5f17873L
  };

  /** Returns true if a file ends with the magic number: it is not cut. */
  public static boolean isAtEndOf(RandomAccessFile file) throws IOException {
    ByteBuffer end = ByteBuffer.allocate(Long.BYTES).order(ByteOrder.LITTLE_ENDIAN);
    return file.size() >= SIZE
        && file.read(file.size() - Long.BYTES, end, 0, Long.BYTES) == Long.BYTES
        && end.getLong(0) == MAGIC;
  }

  /** Writes {@link #SIZE} bytes at {@code at}. */
  public void encode(ByteBuffer target, int at) {
    int end = index.encode(target, metaindex.encode(target, at));
    while (end < at + SIZE - Long.BYTES) {
      target.put(end++, (byte) 0);
    }
    target.putLong(end, MAGIC);
  }

  /** Decodes the {@link #SIZE} bytes at 0, which come from {@code offset} of {@code file}. */
  public static Footer decode(ByteBuffer source, String file, long offset) {
    long magic = source.getLong(SIZE - Long.BYTES);
    if (magic != MAGIC) {
      throw notATable(magic, file, offset);
    }
    int limit = SIZE - Long.BYTES;
    BlockHandle metaindex = BlockHandle.decode(source, 0, limit);
    BlockHandle index =
        metaindex == null ? null : BlockHandle.decode(source, metaindex.encodedLength(), limit);
    if (metaindex == null || index == null) {
      throw new CorruptionException("bad block handle in the footer", file, offset);
    }
    return new Footer(metaindex, index);
  }

  private static RuntimeException notATable(long magic, String file, long offset) {
    for (long rocksDb : ROCKSDB_MAGICS) {
      if (magic == rocksDb) {
        return new UnsupportedFormatException(
            "a RocksDB table, which LevelDB's format has no part in: open it with RocksDB (file "
                + Escape.text(file)
                + ")");
      }
    }
    return new CorruptionException("not a table: bad magic number", file, offset);
  }
}
