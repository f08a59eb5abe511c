package dev.kv.core.table.format;

import dev.kv.core.codec.BlockCompression;
import dev.kv.core.codec.MaskedCrc32c;
import dev.kv.core.memory.OffHeapBuffer;
import dev.kv.env.WritableFile;
import dev.kv.errors.OffHeapExhaustedException;
import dev.kv.options.CompressionType;
import java.io.IOException;
import java.nio.ByteBuffer;

/**
 * Appends blocks to a table file, compressed and with checksums, through one large buffer.
 *
 * <pre>
 * stored block := bytes, type byte, crc fixed32
 *                 bytes: the block, compressed as the type says
 *                 crc:   masked, of the bytes and the type
 * </pre>
 */
public final class BlockWriter {
  /** Bytes after each stored block. */
  public static final int TRAILER = 1 + Integer.BYTES;

  /**
   * Larger blocks are stored uncompressed, because the bound of their compressed size exceeds an
   * int.
   */
  private static final int MAX_COMPRESSED = 1 << 30;

  private final TableFormat format;
  private final WritableFile file;
  private final OffHeapBuffer buffer;
  private final BlockCompression compression;
  private final MaskedCrc32c crc;
  private int used;
  private long offset;

  BlockWriter(TableFormat format, WritableFile file, BuildBuffers buffers) {
    this.format = format;
    this.file = file;
    this.buffer = buffers.output();
    this.compression = buffers.compression();
    this.crc = buffers.crc();
  }

  /** Returns the current size of the table in bytes, including the bytes in the buffer. */
  long offset() {
    return offset;
  }

  /** Stores a block, compressed if that saves an eighth. */
  BlockHandle writeCompressed(ByteBuffer block, int length) throws IOException {
    CompressionType type = format.compression();
    if (type == CompressionType.NONE || length > MAX_COMPRESSED) {
      return writeRaw(block, length);
    }
    ByteBuffer target;
    try {
      target = room((long) compression.maxCompressedLength(type, length) + TRAILER);
    } catch (OffHeapExhaustedException e) {
      return writeRaw(block, length); // a flush gives memory back, so it must not need much
    }
    int stored = compression.compress(type, format.zstdLevel(), block, length, target, used);
    return BlockCompression.isWorthwhile(stored, length)
        ? seal(stored, type.code())
        : writeRaw(block, length);
  }

  /** Stores a block uncompressed; one that is larger than the buffer is not copied into it. */
  BlockHandle writeRaw(ByteBuffer block, int length) throws IOException {
    if ((long) length + TRAILER > buffer.buffer().capacity()) {
      return writeDirectly(block, length);
    }
    room((long) length + TRAILER).put(used, block, 0, length);
    return seal(length, CompressionType.NONE.code());
  }

  private BlockHandle writeDirectly(ByteBuffer block, int length) throws IOException {
    flush();
    file.append(block.duplicate().position(0).limit(length));
    ByteBuffer trailer = buffer.buffer();
    trailer.put(0, CompressionType.NONE.code());
    crc.reset();
    crc.update(block, 0, length);
    crc.update(trailer, 0, 1);
    trailer.putInt(1, crc.maskedValue());
    BlockHandle handle = new BlockHandle(offset, length);
    used = TRAILER;
    offset += length + TRAILER;
    return handle;
  }

  /** Stores a block that already has its trailer. */
  BlockHandle writeStored(ByteBuffer stored, int length) throws IOException {
    room(length).put(used, stored, 0, length);
    return advance(length - TRAILER);
  }

  /** Writes the footer and writes the buffer to the file. */
  void finish(Footer footer) throws IOException {
    footer.encode(room(Footer.SIZE), used);
    used += Footer.SIZE;
    offset += Footer.SIZE;
    flush();
  }

  private BlockHandle seal(int length, byte type) {
    ByteBuffer target = buffer.buffer();
    target.put(used + length, type);
    crc.reset();
    crc.update(target, used, length + 1);
    target.putInt(used + length + 1, crc.maskedValue());
    return advance(length);
  }

  private BlockHandle advance(int length) {
    BlockHandle handle = new BlockHandle(offset, length);
    used += length + TRAILER;
    offset += length + TRAILER;
    return handle;
  }

  private ByteBuffer room(long bytes) throws IOException {
    if (bytes > buffer.buffer().capacity() - used) {
      flush();
      if (bytes > Integer.MAX_VALUE - Long.BYTES) {
        throw new IOException("a block of " + bytes + " bytes is too large for a table");
      }
      buffer.ensureCapacity((int) bytes);
    }
    return buffer.buffer();
  }

  private void flush() throws IOException {
    ByteBuffer written = buffer.buffer().duplicate();
    file.append(written.limit(used));
    used = 0;
  }
}
