package dev.kv.core.table.cache;

import dev.kv.core.cache.Loader;
import dev.kv.core.codec.BlockCompression;
import dev.kv.core.codec.MalformedBlockException;
import dev.kv.core.codec.MaskedCrc32c;
import dev.kv.core.memory.BlockAllocator;
import dev.kv.core.memory.DirectMemory;
import dev.kv.core.memory.MemoryKind;
import dev.kv.core.memory.OffHeapBuffer;
import dev.kv.core.table.block.BlockIterator;
import dev.kv.core.table.format.BlockWriter;
import dev.kv.errors.CorruptionException;
import dev.kv.options.CompressionType;
import io.netty.buffer.ByteBuf;
import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;

/**
 * Reads stored blocks from table files, verifies and decompresses them. It first copies the bytes
 * of a block; checksum and decompression use only the copy, because a mapped file may change. Not
 * thread-safe.
 */
public final class BlockReader implements Loader<CachedBlock>, AutoCloseable {
  private final BlockAllocator allocator;
  private final OffHeapBuffer stored;
  private final BlockCompression compression;
  private final MaskedCrc32c crc = new MaskedCrc32c();

  /** The table that {@link #load} reads from. */
  private @Nullable TableFile file;

  private int size;

  /**
   * Creates a reader whose {@link #load} takes memory from {@code cached}. Takes ownership of
   * {@code stored}.
   */
  public BlockReader(BlockAllocator allocator, OffHeapBuffer stored, boolean nativeSnappy) {
    this.allocator = allocator;
    this.stored = stored;
    this.compression = new BlockCompression(nativeSnappy);
  }

  /** Sets the table and the size for the next {@link #load}, whose key is the offset. */
  void prepare(TableFile file, int size) {
    this.file = file;
    this.size = size;
  }

  @Override
  public CachedBlock load(long id, long offset) {
    if (file == null) {
      throw new AssertionError("load() without prepare()");
    }
    int length = readStored(file, offset, size, true);
    int room = BlockIterator.roomForEntryIndex(length);
    CachedBlock block = CachedBlock.in(allocator.allocateCached(length + room), length);
    decode(stored.buffer(), file, offset, size, block);
    return block;
  }

  /**
   * Reads a block for one user.
   *
   * @param file the table
   * @param offset the offset of the stored block
   * @param size its length in bytes, without the trailer
   * @param verify true to verify its checksum
   * @param kind what the memory counts as
   * @return the block, which the caller closes
   */
  public UncachedBlock read(
      TableFile file, long offset, int size, boolean verify, MemoryKind kind) {
    int length = readStored(file, offset, size, verify);
    ByteBuf memory =
        kind == MemoryKind.BLOCK
            ? allocator.allocateTransient(length)
            : allocator.allocate(kind, length);
    UncachedBlock block = UncachedBlock.in(memory, length);
    decode(stored.buffer(), file, offset, size, block);
    return block;
  }

  /** Reads a block into memory that no budget counts and that the garbage collector frees. */
  UncachedBlock readUncounted(TableFile file, long offset, int size, boolean verify) {
    ByteBuffer bytes = DirectMemory.allocate(size + BlockWriter.TRAILER);
    readStored(file, offset, bytes, size, verify);
    if (bytes.get(size) == CompressionType.NONE.code()) {
      return UncachedBlock.uncounted(bytes, size);
    }
    int length = uncompressedLength(file, offset, bytes, size);
    UncachedBlock block = UncachedBlock.uncounted(DirectMemory.allocate(length), length);
    decode(bytes, file, offset, size, block);
    return block;
  }

  /**
   * Verifies a block, copies it as it is stored, including its trailer, and returns the number of
   * bytes.
   */
  int copyStored(TableFile file, long offset, int size, OffHeapBuffer target) {
    int length = size + BlockWriter.TRAILER;
    readStored(file, offset, target.ensureCapacity(length), size, true);
    return length;
  }

  /** Returns the number of bytes of memory that this reader keeps. */
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

  /** Reads a block into {@link #stored}, and returns its uncompressed length. */
  private int readStored(TableFile file, long offset, int size, boolean verify) {
    ByteBuffer bytes = stored.ensureCapacity(size + BlockWriter.TRAILER);
    readStored(file, offset, bytes, size, verify);
    return uncompressedLength(file, offset, bytes, size);
  }

  private int uncompressedLength(TableFile file, long offset, ByteBuffer bytes, int size) {
    try {
      return compression.uncompressedLength(bytes.get(size), bytes, size);
    } catch (MalformedBlockException e) {
      throw malformed(file, offset, e);
    }
  }

  /**
   * Decodes the stored block in {@code bytes} into {@code block}; frees {@code block} if that
   * fails.
   */
  private void decode(ByteBuffer bytes, TableFile file, long offset, int size, PinnedBlock block) {
    try {
      compression.uncompress(bytes.get(size), bytes, size, block.bytes(), block.length());
    } catch (MalformedBlockException e) {
      block.freeMemory();
      throw malformed(file, offset, e);
    } catch (Throwable e) { // without an Undo, because each read of a block comes here
      block.freeMemory();
      throw e;
    }
  }

  private static CorruptionException malformed(TableFile file, long offset, Throwable cause) {
    return new CorruptionException(
        "a block that does not uncompress: " + cause.getMessage(), file.name(), offset, cause);
  }

  @Override
  public void close() {
    stored.close();
    compression.close();
  }
}
