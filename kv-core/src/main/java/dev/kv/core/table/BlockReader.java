package dev.kv.core.table;

import dev.kv.CompressionType;
import dev.kv.CorruptionException;
import dev.kv.OffHeapExhaustedException;
import dev.kv.core.block.BlockIterator;
import dev.kv.core.cache.Loader;
import dev.kv.core.codec.BlockCompression;
import dev.kv.core.codec.MalformedBlockException;
import dev.kv.core.codec.MaskedCrc32c;
import dev.kv.core.memory.BlockAllocator;
import dev.kv.core.memory.MemoryKind;
import dev.kv.core.memory.OffHeapBuffer;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import org.jspecify.annotations.Nullable;

/**
 * Reads stored blocks: the one place where bytes leave a table file. They are copied out first;
 * checksum and decompression see only the copy. Not thread-safe.
 */
final class BlockReader implements Loader<CachedBlock>, AutoCloseable {
  private final BlockAllocator cached;
  private final OffHeapBuffer stored;
  private final BlockCompression compression;
  private final MaskedCrc32c crc = new MaskedCrc32c();

  /** What {@link #load} is to load. */
  private @Nullable TableFile file;

  private int size;
  private boolean verify;

  /**
   * Creates a reader whose {@link #load} takes memory from {@code cached}; it adopts {@code
   * stored}.
   */
  BlockReader(BlockAllocator cached, OffHeapBuffer stored, boolean nativeSnappy) {
    this.cached = cached;
    this.stored = stored;
    this.compression = new BlockCompression(nativeSnappy);
  }

  /** Says what the next {@link #load}, at an offset that is its key, is to read. */
  void prepare(TableFile file, int size, boolean verify) {
    this.file = file;
    this.size = size;
    this.verify = verify;
  }

  @Override
  public CachedBlock load(long id, long offset) {
    if (file == null) {
      throw new AssertionError("load() without prepare()");
    }
    return read(file, offset, size, verify, cached, MemoryKind.BLOCK, true);
  }

  /** Returns the block stored at {@code offset} with {@code size} bytes before its trailer. */
  CachedBlock read(
      TableFile file,
      long offset,
      int size,
      boolean verify,
      BlockAllocator allocator,
      MemoryKind kind) {
    return read(file, offset, size, verify, allocator, kind, false);
  }

  private CachedBlock read(
      TableFile file,
      long offset,
      int size,
      boolean verify,
      BlockAllocator allocator,
      MemoryKind kind,
      boolean withEntryIndex) {
    ByteBuffer bytes = stored.ensureCapacity(size + BlockWriter.TRAILER);
    readStored(file, offset, bytes, size, verify);
    if (bytes.get(size) != CompressionType.NONE.code()) {
      int length = uncompressedLength(file, offset, bytes, size);
      CachedBlock block = allocate(allocator, kind, length, withEntryIndex);
      return uncompress(file, offset, bytes, size, block);
    }
    CachedBlock block = allocate(allocator, kind, size, withEntryIndex);
    block.bytes().put(0, bytes, 0, size);
    return block;
  }

  private static CachedBlock allocate(
      BlockAllocator allocator, MemoryKind kind, int length, boolean withEntryIndex) {
    if (withEntryIndex) {
      int room = BlockIterator.roomForEntryIndex(length);
      return CachedBlock.in(allocator.allocateCached(length + room), length);
    }
    return CachedBlock.in(
        kind == MemoryKind.BLOCK
            ? allocator.allocateTransient(length)
            : allocator.allocate(kind, length),
        length);
  }

  /** Does the same in memory that nobody counts and the garbage collector frees. */
  CachedBlock readUncounted(TableFile file, long offset, int size, boolean verify) {
    ByteBuffer bytes = uncounted(size + BlockWriter.TRAILER);
    readStored(file, offset, bytes, size, verify);
    if (bytes.get(size) == CompressionType.NONE.code()) {
      return CachedBlock.uncounted(bytes, size);
    }
    int length = uncompressedLength(file, offset, bytes, size);
    CachedBlock block = CachedBlock.uncounted(uncounted(length), length);
    return uncompress(file, offset, bytes, size, block);
  }

  /**
   * Copies a block as it is stored, and verified, with its trailer, and returns how many bytes that
   * are.
   */
  int copyStored(TableFile file, long offset, int size, OffHeapBuffer target) {
    int length = size + BlockWriter.TRAILER;
    readStored(file, offset, target.ensureCapacity(length), size, true);
    return length;
  }

  /** Returns how much memory this reader keeps. */
  int capacity() {
    return stored.buffer().capacity();
  }

  private void readStored(TableFile file, long offset, ByteBuffer bytes, int size, boolean verify) {
    file.read(offset, bytes, size + BlockWriter.TRAILER);
    if (verify) {
      crc.reset();
      crc.update(bytes, 0, size + 1);
      if (crc.maskedValue() != bytes.getInt(size + 1)) {
        throw new CorruptionException("a block with a wrong checksum", file.name(), offset);
      }
    }
  }

  private int uncompressedLength(TableFile file, long offset, ByteBuffer bytes, int size) {
    try {
      return compression.uncompressedLength(bytes.get(size), bytes, 0, size);
    } catch (MalformedBlockException e) {
      throw malformed(file, offset, e);
    }
  }

  /**
   * Fills {@code block}, which it adopts, with what {@code bytes} uncompress to, and returns it.
   */
  private CachedBlock uncompress(
      TableFile file, long offset, ByteBuffer bytes, int size, CachedBlock block) {
    boolean done = false;
    try {
      compression.uncompress(bytes.get(size), bytes, 0, size, block.bytes(), 0, block.length());
      done = true;
      return block;
    } catch (MalformedBlockException e) {
      throw malformed(file, offset, e);
    } finally {
      if (!done) {
        block.free();
      }
    }
  }

  private static CorruptionException malformed(TableFile file, long offset, Throwable cause) {
    return new CorruptionException(
        "a block that does not uncompress: " + cause.getMessage(), file.name(), offset, cause);
  }

  /** Returns direct memory that nobody counts and the garbage collector frees. */
  static ByteBuffer uncounted(int length) {
    try {
      return ByteBuffer.allocateDirect(length).order(ByteOrder.LITTLE_ENDIAN);
    } catch (OutOfMemoryError e) {
      throw new OffHeapExhaustedException(
          "the JVM has no direct memory left to read a block of "
              + length
              + " bytes: raise -XX:MaxDirectMemorySize, or lower Options.offHeapLimit",
          e);
    }
  }

  @Override
  public void close() {
    stored.close();
    compression.close();
  }
}
