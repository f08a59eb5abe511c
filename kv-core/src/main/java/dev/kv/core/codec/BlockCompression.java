package dev.kv.core.codec;

import dev.kv.errors.UnsupportedFormatException;
import dev.kv.options.CompressionType;
import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;

/**
 * Compression and decompression of one block at a time, between direct buffers. Belongs to one
 * thread at a time.
 *
 * <p>Snappy uses snappy-java if its library loads, and {@link JavaSnappy} otherwise. Blocks of the
 * usual size are always decompressed by {@link JavaSnappy}. The library is loaded when it is first
 * needed, so a process that only reads small blocks does not load it. Zstd uses zstd-jni, if that
 * is on the class path or among the resolved modules. Deflate is only decompressed, by the JDK. No
 * other thread may write to the source of a decompression: the libraries rely on a length that was
 * checked before.
 */
public final class BlockCompression implements AutoCloseable {
  /** The most that a snappy stream expands: its densest element is 3 bytes for 64. */
  private static final int LARGEST_SNAPPY_RATIO = 22;

  /**
   * The content size that is accepted for every zstd block: 16 times the largest block size that
   * options allow.
   */
  private static final int MODEST_CONTENT = 64 << 20;

  /**
   * The largest content size, for blocks with one large entry. {@link #LARGEST_RATIO} limits it
   * too.
   */
  private static final int LARGEST_CONTENT = 1 << 30;

  private static final int LARGEST_RATIO = 1024;

  /**
   * Snappy blocks of up to this many bytes are decompressed in Java. A block of 4 KiB with
   * db_bench's values takes 0.65 us, and 0.87 us in the library; text takes the same. From 64 KiB
   * on the library is faster for text. The index block of a table of 2 MiB has about 20 KiB.
   */
  private static final int LARGEST_FOR_JAVA = 48 << 10;

  private static final int ZSTD_MAGIC = 0xfd2fb528;

  /** Zstd, or zlib in the tables of Mojang's fork of LevelDB; the first bytes tell which. */
  private static final int ZSTD_OR_ZLIB = 2;

  /** Raw deflate in the tables of Mojang's fork of LevelDB. */
  private static final int RAW_DEFLATE = 4;

  private final boolean nativeWanted;
  private @Nullable JavaSnappy javaSnappy;
  private @Nullable ZstdCodec zstd;
  private @Nullable DeflateCodec zlib;
  private @Nullable DeflateCodec rawDeflate;

  /**
   * Creates a codec.
   *
   * @param nativeSnappy true to use snappy's native library if it loads
   */
  public BlockCompression(boolean nativeSnappy) {
    nativeWanted = nativeSnappy;
  }

  private JavaSnappy javaSnappy() {
    JavaSnappy codec = javaSnappy;
    if (codec == null) {
      codec = new JavaSnappy();
      javaSnappy = codec;
    }
    return codec;
  }

  private static int maxZstdLength(int length) {
    int small = length < 128 << 10 ? (128 << 10) - length >>> 11 : 0;
    return Math.addExact(length, (length >>> 8) + small);
  }

  private ZstdCodec zstd() {
    ZstdCodec codec = zstd;
    if (codec == null) {
      codec = new ZstdCodec();
      zstd = codec;
    }
    return codec;
  }

  private DeflateCodec deflate(boolean raw) {
    DeflateCodec codec = raw ? rawDeflate : zlib;
    if (codec == null) {
      codec = new DeflateCodec(raw);
      if (raw) {
        rawDeflate = codec;
      } else {
        zlib = codec;
      }
    }
    return codec;
  }

  /** Returns the most bytes that {@link #compress} can write for {@code length} bytes. */
  public int maxCompressedLength(CompressionType type, int length) {
    return switch (type) {
      case NONE -> length;
      case SNAPPY -> JavaSnappy.maxCompressedLength(length);
      case ZSTD -> maxZstdLength(length);
    };
  }

  /**
   * Compresses the first {@code length} bytes of {@code source} into {@code target}, which has room
   * for {@link #maxCompressedLength} bytes.
   *
   * @return the number of bytes written
   */
  public int compress(
      CompressionType type,
      int zstdLevel,
      ByteBuffer source,
      int length,
      ByteBuffer target,
      int targetOffset) {
    switch (type) {
      case SNAPPY:
        NativeSnappy library = nativeWanted ? NativeSnappy.instance() : null;
        return library != null
            ? library.compress(source, length, target, targetOffset)
            : javaSnappy().compress(source, length, target, targetOffset);
      case ZSTD:
        requireLibrary(type);
        return ZstdCodec.compress(zstdLevel, source, length, target, targetOffset);
      default:
        target.put(targetOffset, source, 0, length);
        return length;
    }
  }

  /**
   * Returns the uncompressed length of a stored block, bounded by what its compression can expand
   * to.
   *
   * @param code the compression byte after the block
   */
  public int uncompressedLength(byte code, ByteBuffer source, int length)
      throws MalformedBlockException {
    switch (code) {
      case 0:
        return length;
      case 1:
        int size = JavaSnappy.uncompressedLength(source, length);
        if (size > (long) length * LARGEST_SNAPPY_RATIO) {
          throw new MalformedBlockException(
              "snappy block of " + length + " bytes claims to hold " + size);
        }
        return size;
      case ZSTD_OR_ZLIB:
        if (isZlib(source, length)) {
          return deflate(false).contentSize(source, length, largestContent(length));
        }
        requireZstdFrame(source, length);
        return ZstdCodec.contentSize(source, length, largestContent(length));
      case RAW_DEFLATE:
        return deflate(true).contentSize(source, length, largestContent(length));
      default:
        throw unknown(code);
    }
  }

  /** Returns true if blocks with this code can be read, given the libraries that it needs. */
  public static boolean isCode(byte code) {
    return (code >= 0 && code <= ZSTD_OR_ZLIB) || code == RAW_DEFLATE;
  }

  private static int largestContent(int stored) {
    return (int) Math.min(LARGEST_CONTENT, Math.max(MODEST_CONTENT, (long) stored * LARGEST_RATIO));
  }

  /**
   * Returns true if {@code length} bytes that compressed to {@code stored} save an eighth, and not
   * so much that a reader would refuse the block as a decompression bomb.
   */
  public static boolean isWorthwhile(int stored, int length) {
    return stored < length - length / 8 && length <= largestContent(stored);
  }

  /**
   * Decompresses a stored block, the first {@code length} bytes of {@code source}, into exactly the
   * first {@code targetLength} bytes of {@code target}.
   */
  public void uncompress(
      byte code, ByteBuffer source, int length, ByteBuffer target, int targetLength)
      throws MalformedBlockException {
    switch (code) {
      case 0 -> {
        if (length != targetLength) {
          throw new MalformedBlockException("stored block of another length");
        }
        target.put(0, source, 0, length);
      }
      case 1 -> {
        NativeSnappy library =
            nativeWanted && targetLength > LARGEST_FOR_JAVA ? NativeSnappy.instance() : null;
        if (library != null) {
          library.uncompress(source, length, target, targetLength);
        } else {
          javaSnappy().uncompress(source, length, target, targetLength);
        }
      }
      case ZSTD_OR_ZLIB -> {
        if (isZlib(source, length)) {
          deflate(false).uncompress(source, length, target, targetLength);
        } else {
          requireZstdFrame(source, length);
          zstd().uncompress(source, length, target, targetLength);
        }
      }
      case RAW_DEFLATE -> deflate(true).uncompress(source, length, target, targetLength);
      default -> throw unknown(code);
    }
  }

  /** Loads the library once, when a thread first needs zstd. */
  private static final class ZstdLibrary {
    static final @Nullable Throwable MISSING = load();

    private static @Nullable Throwable load() {
      try {
        ZstdCodec.load();
        return null;
      } catch (LinkageError absent) {
        return absent;
      }
    }
  }

  /**
   * Requires the library that new blocks of a type need.
   *
   * @throws UnsupportedFormatException if it does not load
   */
  public static void requireLibrary(CompressionType type) {
    if (type == CompressionType.ZSTD) {
      requireZstd("compression(ZSTD) needs");
    }
  }

  private static void requireZstd(String needing) {
    Throwable missing = ZstdLibrary.MISSING;
    if (missing != null) {
      String path =
          BlockCompression.class.getModule().isNamed()
              ? "module path and --add-modules com.github.luben.zstd_jni"
              : "class path";
      throw new UnsupportedFormatException(
          needing + " the jar com.github.luben:zstd-jni on the " + path + ", and its library",
          missing);
    }
  }

  private static void requireZstdFrame(ByteBuffer source, int length)
      throws MalformedBlockException {
    if (length < Integer.BYTES || source.getInt(0) != ZSTD_MAGIC) {
      throw new MalformedBlockException("a block marked as zstd is not a zstd frame");
    }
    requireZstd("zstd blocks need");
  }

  private static MalformedBlockException unknown(byte code) {
    return new MalformedBlockException("unknown compression " + (code & 0xff));
  }

  /**
   * Returns true if stored bytes that are marked with a code are what this class writes with it.
   * Another library may mean zlib by the code of zstd.
   */
  public static boolean isOwn(byte code, ByteBuffer stored, int length) {
    return code != ZSTD_OR_ZLIB || length >= Integer.BYTES && stored.getInt(0) == ZSTD_MAGIC;
  }

  /** Returns true for a zlib header, whose first two bytes no zstd frame begins with. */
  private static boolean isZlib(ByteBuffer source, int length) {
    if (length < 2) {
      return false;
    }
    int header = (source.get(0) & 0xff) << 8 | source.get(1) & 0xff;
    return (header >>> 8 & 0x0f) == 8 && header % 31 == 0;
  }

  /** Frees the native memory of the libraries. The codec must not be used afterwards. */
  @Override
  public void close() {
    if (zstd != null) {
      zstd.close();
    }
    if (zlib != null) {
      zlib.close();
    }
    if (rawDeflate != null) {
      rawDeflate.close();
    }
  }
}
