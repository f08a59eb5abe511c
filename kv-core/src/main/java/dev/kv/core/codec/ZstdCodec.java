package dev.kv.core.codec;

import com.github.luben.zstd.Zstd;
import com.github.luben.zstd.ZstdDecompressCtx;
import com.github.luben.zstd.ZstdException;
import java.nio.ByteBuffer;

/**
 * Zstandard through zstd-jni; the class must not be loaded if that is absent. Belongs to one thread
 * at a time. It keeps its decompression context: to create one takes as long as to decompress a
 * block of 4 KiB. For compression that makes no difference.
 */
final class ZstdCodec implements AutoCloseable {
  /** A block of a frame takes at least 3 bytes and holds at most 128 KiB. */
  private static final int SMALLEST_FRAME_BLOCK = 3;

  private static final int LARGEST_FRAME_BLOCK = 128 << 10;

  private final ZstdDecompressCtx context = new ZstdDecompressCtx();

  ZstdCodec() {}

  /**
   * Loads the library.
   *
   * @throws LinkageError if that fails
   */
  static void load() {
    Zstd.defaultCompressionLevel();
  }

  static int compress(
      int level, ByteBuffer source, int length, ByteBuffer target, int targetOffset) {
    long written =
        Zstd.compressDirectByteBuffer(
            target, targetOffset, target.capacity() - targetOffset, source, 0, length, level);
    if (Zstd.isError(written)) {
      throw new AssertionError("zstd failed to compress: " + Zstd.getErrorName(written));
    }
    return (int) written;
  }

  /**
   * Returns the content size of the frame.
   *
   * @throws MalformedBlockException if the size is missing, or too large for the frame
   */
  static int contentSize(ByteBuffer source, int length, int most) throws MalformedBlockException {
    long size = Zstd.getDirectByteBufferFrameContentSize(source, 0, length);
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

  void uncompress(ByteBuffer source, int length, ByteBuffer target, int targetLength)
      throws MalformedBlockException {
    int written;
    try {
      written = context.decompressDirectByteBuffer(target, 0, targetLength, source, 0, length);
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
