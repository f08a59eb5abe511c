package dev.kv.core.codec;

import com.github.luben.zstd.Zstd;
import com.github.luben.zstd.ZstdDecompressCtx;
import com.github.luben.zstd.ZstdException;
import java.nio.ByteBuffer;

/**
 * Zstandard through zstd-jni; not to be touched where that is absent. Belongs to one thread at a
 * time. It keeps its decompression context, which takes as long to make as a block of 4 KiB to
 * decompress; for compression that makes no difference.
 */
final class ZstdCodec implements AutoCloseable {
  /** A block of a frame takes 3 bytes at least and holds 128 KiB at most. */
  private static final int SMALLEST_FRAME_BLOCK = 3;

  private static final int LARGEST_FRAME_BLOCK = 128 << 10;

  private final ZstdDecompressCtx context = new ZstdDecompressCtx();

  ZstdCodec() {}

  /** Loads the library; a {@link LinkageError} where that fails. */
  static void load() {
    Zstd.defaultCompressionLevel();
  }

  static int compress(
      int level, ByteBuffer source, int offset, int length, ByteBuffer target, int targetOffset) {
    long written =
        Zstd.compressDirectByteBuffer(
            target, targetOffset, target.capacity() - targetOffset, source, offset, length, level);
    if (Zstd.isError(written)) {
      throw new AssertionError("zstd failed to compress: " + Zstd.getErrorName(written));
    }
    return (int) written;
  }

  /**
   * Returns the frame's content size; one that is missing, or that no such frame can hold, throws.
   */
  static int contentSize(ByteBuffer source, int offset, int length, int most)
      throws MalformedBlockException {
    long size = Zstd.getDirectByteBufferFrameContentSize(source, offset, length);
    long possible = (length / SMALLEST_FRAME_BLOCK + 1L) * LARGEST_FRAME_BLOCK;
    if (size < 0) {
      throw new MalformedBlockException("zstd block without its content size");
    }
    if (size > Math.min(possible, most)) {
      throw new MalformedBlockException(
          "zstd block of " + length + " bytes claims to hold " + size);
    }
    return (int) size;
  }

  void uncompress(
      ByteBuffer source,
      int offset,
      int length,
      ByteBuffer target,
      int targetOffset,
      int targetLength)
      throws MalformedBlockException {
    int written;
    try {
      written =
          context.decompressDirectByteBuffer(
              target, targetOffset, targetLength, source, offset, length);
    } catch (ZstdException e) {
      throw new MalformedBlockException("zstd block does not decompress: " + e.getMessage());
    }
    if (written != targetLength) {
      throw new MalformedBlockException("zstd block of another length");
    }
  }

  @Override
  public void close() {
    context.close();
  }
}
