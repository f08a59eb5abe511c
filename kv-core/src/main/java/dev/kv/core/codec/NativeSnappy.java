package dev.kv.core.codec;

import java.io.IOException;
import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;
import org.slf4j.LoggerFactory;
import org.xerial.snappy.Snappy;
import org.xerial.snappy.SnappyNative;

/** Snappy through snappy-java. Thread-safe. */
final class NativeSnappy {
  private final SnappyNative library;

  private NativeSnappy(SnappyNative library) {
    this.library = library;
  }

  /** Returns the codec, or null where the library does not load. */
  static @Nullable NativeSnappy instance() {
    return Holder.INSTANCE;
  }

  /** Loads the library when it is first asked for, once. */
  private static final class Holder {
    static final @Nullable NativeSnappy INSTANCE = load();

    private static @Nullable NativeSnappy load() {
      try {
        Snappy.maxCompressedLength(0); // loads the library
        return new NativeSnappy(new SnappyNative());
      } catch (LinkageError | RuntimeException absent) {
        LoggerFactory.getLogger(NativeSnappy.class)
            .info("snappy-java does not load, the codec in Java takes over: {}", absent.toString());
        return null;
      }
    }
  }

  int compress(ByteBuffer source, int offset, int length, ByteBuffer target, int targetOffset) {
    try {
      return library.rawCompress(source, offset, length, target, targetOffset);
    } catch (IOException e) {
      throw new AssertionError("snappy failed to compress", e);
    }
  }

  /** Requires that the stream claims exactly {@code targetLength}: the library writes what it claims. */
  void uncompress(
      ByteBuffer source,
      int offset,
      int length,
      ByteBuffer target,
      int targetOffset,
      int targetLength)
      throws MalformedBlockException {
    if (JavaSnappy.uncompressedLength(source, offset, length) != targetLength
        || targetLength > target.capacity() - targetOffset) {
      throw new MalformedBlockException("snappy block of another length");
    }
    try {
      if (library.rawUncompress(source, offset, length, target, targetOffset) != targetLength) {
        throw new MalformedBlockException("snappy block ends early");
      }
    } catch (IOException e) {
      throw new MalformedBlockException("snappy block does not decompress: " + e.getMessage());
    }
  }
}
