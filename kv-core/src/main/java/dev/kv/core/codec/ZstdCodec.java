package dev.kv.core.codec;

import com.github.luben.zstd.Zstd;
import java.nio.ByteBuffer;

/** Zstandard through zstd-jni; only {@link #isPresent} may be called where that is absent. */
final class ZstdCodec {
  private static final boolean PRESENT = isOnClassPath();

  private ZstdCodec() {}

  static boolean isPresent() {
    return PRESENT;
  }

  private static boolean isOnClassPath() {
    try {
      Class.forName("com.github.luben.zstd.Zstd", false, ZstdCodec.class.getClassLoader());
      return true;
    } catch (ClassNotFoundException absent) {
      return false;
    }
  }

  /** Returns zstd's bound, which needs no library. */
  static int maxCompressedLength(int length) {
    int small = length < 128 << 10 ? (128 << 10) - length >>> 11 : 0;
    return Math.addExact(length, (length >>> 8) + small);
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

  /** Returns the frame's content size, or a negative number where it has none. */
  static long contentSize(ByteBuffer source, int offset, int length) {
    return Zstd.getDirectByteBufferFrameContentSize(source, offset, length);
  }

  static void uncompress(
      ByteBuffer source,
      int offset,
      int length,
      ByteBuffer target,
      int targetOffset,
      int targetLength)
      throws MalformedBlockException {
    long written =
        Zstd.decompressDirectByteBuffer(target, targetOffset, targetLength, source, offset, length);
    if (Zstd.isError(written)) {
      throw new MalformedBlockException(
          "zstd block does not decompress: " + Zstd.getErrorName(written));
    }
    if (written != targetLength) {
      throw new MalformedBlockException("zstd block of another length");
    }
  }
}
