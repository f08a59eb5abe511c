package dev.kv.core.table.cache;

import dev.kv.core.codec.MaskedCrc32c;
import dev.kv.core.table.MemoryFile;
import dev.kv.options.CompressionType;
import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/** Uncompressed stored blocks, one after the other, as a file to read. */
public final class StoredBlocks {
  private final ByteArrayOutputStream written = new ByteArrayOutputStream();

  /** Adds a block with its trailer; returns its offset. */
  public long add(byte[] block) {
    long offset = written.size();
    ByteBuffer stored = ByteBuffer.allocateDirect(block.length + 5).order(ByteOrder.LITTLE_ENDIAN);
    stored.put(block).put(CompressionType.NONE.code());
    MaskedCrc32c crc = new MaskedCrc32c();
    crc.update(stored, 0, block.length + 1);
    stored.putInt(crc.maskedValue());
    byte[] bytes = new byte[stored.capacity()];
    stored.get(0, bytes);
    written.writeBytes(bytes);
    return offset;
  }

  public byte[] bytes() {
    return written.toByteArray();
  }

  public TableFile file() {
    return file(bytes());
  }

  public static TableFile file(byte[] bytes) {
    return TableFile.of(MemoryFile.reading(bytes), "000005.ldb");
  }
}
