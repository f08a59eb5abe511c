package dev.kv.core.codec;

import static dev.kv.core.Bytes.direct;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.github.luben.zstd.Zstd;
import dev.kv.core.Samples;
import dev.kv.errors.UnsupportedFormatException;
import dev.kv.options.CompressionType;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.Random;
import java.util.zip.CRC32C;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

class BlockCompressionTest {
  private static final long SEED = 99;
  private static final int OFFSET = 5;

  private final BlockCompression java = new BlockCompression(false);
  private final BlockCompression library = new BlockCompression(true);

  @AfterEach
  void close() {
    java.close();
    library.close();
    library.close();
  }

  private static byte[] sample(Random random) {
    byte[] bytes = new byte[random.nextInt(5) == 0 ? random.nextInt(200_000) : random.nextInt(300)];
    int kind = random.nextInt(4);
    for (int i = 0; i < bytes.length; i++) {
      boolean repeat = kind == 3 || i > 40 && (i & 1 << 5 + kind) != 0;
      int back = kind == 3 ? 1 + (int) (SEED % 7) : 1 + random.nextInt(kind == 2 ? 3 : 40);
      bytes[i] = repeat && i >= back ? bytes[i - back] : (byte) random.nextInt();
    }
    return bytes;
  }

  private static byte[] roundTrip(
      CompressionType type, BlockCompression writer, BlockCompression reader, byte[] bytes)
      throws MalformedBlockException {
    ByteBuffer source = direct(bytes.length).put(0, bytes);
    int bound = writer.maxCompressedLength(type, bytes.length);
    ByteBuffer stored = direct(bound + OFFSET);
    int size = writer.compress(type, 1, source, bytes.length, stored, OFFSET);
    assertThat(size).isLessThanOrEqualTo(bound);
    // exactly sized, so that a read behind the end shows
    ByteBuffer exact = direct(size).put(0, stored, OFFSET, size);
    int length = reader.uncompressedLength(type.code(), exact, size);
    assertThat(length).isEqualTo(bytes.length);
    ByteBuffer target = direct(length);
    reader.uncompress(type.code(), exact, size, target, length);
    byte[] result = new byte[length];
    target.get(0, result);
    return result;
  }

  @ParameterizedTest
  @CsvSource({"false,false", "false,true", "true,false", "true,true"})
  void snappy_writtenByEither_isReadByEither(boolean nativeWriter, boolean nativeReader)
      throws MalformedBlockException {
    Random random = new Random(SEED);
    for (int i = 0; i < 300; i++) {
      byte[] bytes = sample(random);
      byte[] result =
          roundTrip(
              CompressionType.SNAPPY,
              nativeWriter ? library : java,
              nativeReader ? library : java,
              bytes);
      assertThat(result).as("seed %d, round %d", SEED, i).isEqualTo(bytes);
    }
  }

  @ParameterizedTest
  @EnumSource(CompressionType.class)
  void compression_everyType_roundTrips(CompressionType type) throws MalformedBlockException {
    Random random = new Random(SEED);
    for (int i = 0; i < 50; i++) {
      byte[] bytes = sample(random);
      assertThat(roundTrip(type, library, library, bytes)).as("seed %d", SEED).isEqualTo(bytes);
    }
  }

  @Test
  void javaSnappy_damagedStreams_areRefusedOrDecodeInBounds() {
    Random random = new Random(SEED);
    int refused = 0;
    for (int i = 0; i < 20_000; i++) {
      byte[] bytes = new byte[200];
      for (int j = 0; j < bytes.length; j++) {
        bytes[j] = (byte) (j % 50 < 25 ? random.nextInt() : 'a');
      }
      ByteBuffer source = direct(bytes.length).put(0, bytes);
      ByteBuffer stored = direct(400);
      int size = java.compress(CompressionType.SNAPPY, 1, source, bytes.length, stored, 0);
      stored.put(random.nextInt(size), (byte) random.nextInt());
      int cut = random.nextInt(4) == 0 ? random.nextInt(size) : size;
      ByteBuffer exact = direct(cut).put(0, stored, 0, cut);
      try {
        int length = java.uncompressedLength((byte) 1, exact, cut);
        java.uncompress((byte) 1, exact, cut, direct(length), length);
      } catch (MalformedBlockException expected) {
        refused++;
      }
    }
    assertThat(refused).as("seed %d", SEED).isGreaterThan(1000);
  }

  @Test
  void uncompressedLength_bomb_isRefused() {
    ByteBuffer bomb = direct(10);
    Varint.put32(bomb, 0, Integer.MAX_VALUE);
    assertThatThrownBy(() -> java.uncompressedLength((byte) 1, bomb, 10))
        .isInstanceOf(MalformedBlockException.class)
        .hasMessageContaining("claims to hold");
  }

  /** The densest element of a stream is 3 bytes for 64. */
  @Test
  void uncompressedLength_ofASnappyStream_isUpTo22TimesItsOwn() throws MalformedBlockException {
    ByteBuffer stream = direct(10);
    Varint.put32(stream, 0, 220);
    assertThat(java.uncompressedLength((byte) 1, stream, 10)).isEqualTo(220);
    Varint.put32(stream, 0, 221);
    assertThatThrownBy(() -> java.uncompressedLength((byte) 1, stream, 10))
        .isInstanceOf(MalformedBlockException.class);
  }

  @Test
  void code_unknown_isNamedAsAByte() {
    for (int code : new int[] {7, 200}) {
      assertThatThrownBy(() -> java.uncompressedLength((byte) code, direct(8), 8))
          .hasMessage("unknown compression " + code);
      assertThatThrownBy(() -> java.uncompress((byte) code, direct(8), 8, direct(8), 8))
          .hasMessage("unknown compression " + code);
    }
  }

  /** Code 2 is zstd, or zlib in the tables of Mojang's fork. */
  @Test
  void code2_ofABlockThatIsNeither_isRefusedAsZstd() {
    ByteBuffer zlib = direct(2).put(0, (byte) 0x78).put(1, (byte) 0x9c);
    ByteBuffer zstd = direct(4).putInt(0, 0xfd2fb528);
    for (int length : new int[] {0, 1, 3, 4, 8}) {
      ByteBuffer block = direct(length);
      assertThatThrownBy(() -> java.uncompressedLength((byte) 2, block, length))
          .isInstanceOf(MalformedBlockException.class)
          .hasMessageContaining("is not a zstd frame");
      assertThatThrownBy(() -> java.uncompress((byte) 2, block, length, direct(8), 8))
          .isInstanceOf(MalformedBlockException.class)
          .hasMessageContaining("is not a zstd frame");
    }
    assertThatThrownBy(() -> java.uncompressedLength((byte) 2, zlib, 2))
        .hasMessageContaining("deflate");
    assertThatThrownBy(() -> java.uncompressedLength((byte) 2, zstd, 4))
        .hasMessageContaining("content size");
  }

  @Test
  void code_thatNobodyWrites_isRefused() {
    assertThatThrownBy(() -> java.uncompressedLength((byte) 2, direct(8), 8))
        .isInstanceOf(MalformedBlockException.class);
    assertThatThrownBy(() -> java.uncompressedLength((byte) 7, direct(8), 8))
        .isInstanceOf(MalformedBlockException.class);
  }

  @ParameterizedTest
  @CsvSource({"true", "false"})
  void nativeSnappy_buffersTooSmall_areRefusedBeforeAWrite(boolean nativeSnappy) {
    BlockCompression codec = nativeSnappy ? library : java;
    ByteBuffer random = direct(1000);
    for (int i = 0; i < 1000; i++) {
      random.put(i, (byte) (i * i * 31 >>> 3));
    }
    assertThatThrownBy(
            () -> codec.compress(CompressionType.SNAPPY, 1, random, 1000, direct(100), 0))
        .isInstanceOf(IndexOutOfBoundsException.class);
    assertThatThrownBy(
            () -> codec.compress(CompressionType.SNAPPY, 1, random, 1010, direct(9000), 0))
        .isInstanceOf(IndexOutOfBoundsException.class);
    ByteBuffer stored = direct(2000);
    int size = codec.compress(CompressionType.SNAPPY, 1, random, 1000, stored, 0);
    assertThatThrownBy(() -> codec.uncompress((byte) 1, stored, size, direct(999), 1000))
        .isInstanceOf(IndexOutOfBoundsException.class);
    assertThatThrownBy(() -> codec.uncompress((byte) 1, stored, size, direct(999), 999))
        .isInstanceOf(MalformedBlockException.class);
    assertThatThrownBy(() -> codec.uncompress((byte) 1, stored, 2001, direct(1000), 1000))
        .isInstanceOfAny(IndexOutOfBoundsException.class, MalformedBlockException.class);
  }

  /** Magic, a descriptor that announces 8 bytes of content size, a window byte, and that size. */
  private static ByteBuffer zstdHeader(long contentSize) {
    ByteBuffer frame = direct(20);
    frame.putInt(0, 0xfd2fb528).put(4, (byte) 0xc0).put(5, (byte) 0x50).putLong(6, contentSize);
    return frame;
  }

  @Test
  void zstd_frameThatClaimsTooMuch_isRefused() {
    assertThatThrownBy(() -> java.uncompressedLength((byte) 2, zstdHeader(1 << 29), 20))
        .isInstanceOf(MalformedBlockException.class)
        .hasMessageContaining("claims to hold");
    assertThatThrownBy(() -> java.uncompressedLength((byte) 2, zstdHeader(-5), 20))
        .isInstanceOf(MalformedBlockException.class);
  }

  /** A frame of that length can hold as much; nobody has entries that compress so well. */
  @Test
  void zstd_bomb_isRefusedByItsRatio() throws MalformedBlockException {
    ByteBuffer frame = direct(100_000);
    frame.put(0, zstdHeader(1 << 30), 0, 20);
    assertThatThrownBy(() -> java.uncompressedLength((byte) 2, frame, 100_000))
        .isInstanceOf(MalformedBlockException.class)
        .hasMessageContaining("claims to hold 1073741824");
    frame.put(0, zstdHeader(64 << 20), 0, 20);
    assertThat(java.uncompressedLength((byte) 2, frame, 100_000)).isEqualTo(64 << 20);
    frame.put(0, zstdHeader(100_000 * 1024), 0, 20);
    assertThat(java.uncompressedLength((byte) 2, frame, 100_000)).isEqualTo(100_000 * 1024);
    assertThat(BlockCompression.isWorthwhile(100_000, 100_000 * 1024)).isTrue();
    assertThat(BlockCompression.isWorthwhile(100_000, 100_000 * 1024 + 1)).isFalse();
    assertThat(BlockCompression.isWorthwhile(1, 64 << 20)).isTrue();
    assertThat(BlockCompression.isWorthwhile(7, 8)).isFalse();
    assertThat(BlockCompression.isWorthwhile(13, 16)).isTrue();
  }

  /** A block of a frame has 3 bytes or more, and holds up to 128 KiB. */
  @Test
  void zstd_frame_holdsNoMoreThanItsBlocksCan() throws MalformedBlockException {
    int most = 7 * (128 << 10);
    assertThat(java.uncompressedLength((byte) 2, zstdHeader(most), 20)).isEqualTo(most);
    assertThatThrownBy(() -> java.uncompressedLength((byte) 2, zstdHeader(most + 1), 20))
        .isInstanceOf(MalformedBlockException.class)
        .hasMessageContaining("claims to hold");
  }

  @ParameterizedTest
  @EnumSource(CompressionType.class)
  void compression_ofNothing_roundTrips(CompressionType type) throws MalformedBlockException {
    assertThat(roundTrip(type, java, java, new byte[0])).isEmpty();
  }

  @Test
  void maxCompressedLength_ofZstd_isThatOfTheLibrary() {
    for (int length : new int[] {0, 1, 2047, 100_000, (128 << 10) - 1, 128 << 10, 10 << 20}) {
      assertThat((long) java.maxCompressedLength(CompressionType.ZSTD, length))
          .isEqualTo(Zstd.compressBound(length));
    }
  }

  @Test
  void zstd_zeros_expandALot() throws MalformedBlockException {
    byte[] zeros = new byte[4 << 20];
    assertThat(roundTrip(CompressionType.ZSTD, library, library, zeros)).isEqualTo(zeros);
  }

  @Test
  void zstd_frameWithoutContentSize_isRefused() {
    ByteBuffer frame = direct(20);
    frame.putInt(0, 0xfd2fb528).put(4, (byte) 0).put(5, (byte) 0x50);
    assertThatThrownBy(() -> java.uncompressedLength((byte) 2, frame, 20))
        .isInstanceOf(MalformedBlockException.class)
        .hasMessageContaining("content size");
  }

  @ParameterizedTest
  @EnumSource(
      value = CompressionType.class,
      names = {"SNAPPY", "ZSTD"})
  void library_damagedStreams_areRefusedOrDecodeInBounds(CompressionType type) {
    Random random = new Random(SEED);
    int refused = 0;
    for (int i = 0; i < 3_000; i++) {
      byte[] bytes = sample(random);
      ByteBuffer source = direct(bytes.length).put(0, bytes);
      ByteBuffer stored = direct(library.maxCompressedLength(type, bytes.length));
      int size = library.compress(type, 1, source, bytes.length, stored, 0);
      stored.put(random.nextInt(size), (byte) random.nextInt());
      int cut = random.nextInt(4) == 0 ? random.nextInt(size) : size;
      ByteBuffer exact = direct(cut).put(0, stored, 0, cut);
      try {
        int length = library.uncompressedLength(type.code(), exact, cut);
        ByteBuffer target = direct(length + 64);
        library.uncompress(type.code(), exact, cut, target, length);
        assertThat(target.getLong(length)).as("seed %d", SEED).isZero();
      } catch (MalformedBlockException | UnsupportedFormatException expected) {
        refused++;
      }
    }
    assertThat(refused).as("seed %d", SEED).isGreaterThan(200);
  }

  /** A period below eight bytes is the case that word copies get wrong. */
  @Test
  void javaSnappy_periodicBytes_roundTrip() throws MalformedBlockException {
    Random random = new Random(SEED);
    for (int i = 0; i < 500; i++) {
      checkPeriodic(1 + Samples.upTo(random, 19), Samples.upTo(random, 400));
    }
  }

  private void checkPeriodic(int period, int length) throws MalformedBlockException {
    byte[] bytes = new byte[length];
    for (int i = 0; i < length; i++) {
      bytes[i] = (byte) (i % period * 37);
    }
    assertThat(roundTrip(CompressionType.SNAPPY, library, java, bytes)).isEqualTo(bytes);
    assertThat(roundTrip(CompressionType.SNAPPY, java, library, bytes)).isEqualTo(bytes);
  }

  @Test
  void javaSnappy_everyElement_isDecoded() throws MalformedBlockException {
    // a literal, a copy with a distance of two bytes, one of four, one of eleven bits, a literal
    byte[] stream = {17, 12, 'a', 'b', 'c', 'd', 14, 4, 0, 15, 2, 0, 0, 0, 1, 8, 0, 'z'};
    assertThat(decoded(java, stream)).isEqualTo("abcdabcdcdcdabcdz");
  }

  @Test
  void javaSnappy_elementsBeyondTheEnds_areMalformed() {
    byte[][] streams = {
      {10, 36, 'a', 'b', 'c', 'd', 'e'}, // a literal of ten bytes, of which five are there
      {4, 36, 'a', 'b', 'c', 'd', 'e', 'f', 'g', 'h', 'i', 'j'}, // ten bytes for four
      {6, 12, 'a', 'b', 'c', 'd', 14, 4, 0}, // a copy of four bytes for two
      {8, 12, 'a', 'b', 'c', 'd', 14, 4}, // a copy whose distance is cut short
      {8, 12, 'a', 'b', 'c', 'd', 14, 5, 0}, // a copy from before the block
      {8, 12, 'a', 'b', 'c', 'd', 14, 0, 0}, // a copy from itself
      {8, 12, 'a', 'b', 'c', 'd'},
    };
    for (byte[] stream : streams) {
      assertThatThrownBy(() -> decoded(java, stream))
          .as("%s", Arrays.toString(stream))
          .isInstanceOf(MalformedBlockException.class);
    }
  }

  /** What is before the last element does not count for what is left. */
  @Test
  void javaSnappy_lastElementBeyondAnEnd_isRefusedBeforeItIsDecoded() {
    byte[] beyondTheStream = new byte[18];
    beyondTheStream[0] = 20;
    beyondTheStream[1] = 36; // ten bytes
    beyondTheStream[12] = 36; // ten bytes, of which five are there
    byte[] beyondTheBlock = new byte[23];
    beyondTheBlock[0] = 12;
    beyondTheBlock[1] = 36;
    beyondTheBlock[12] = 36; // ten bytes for two
    for (byte[] stream : new byte[][] {beyondTheStream, beyondTheBlock}) {
      assertThatThrownBy(() -> decoded(java, stream))
          .isInstanceOf(MalformedBlockException.class)
          .hasMessageContaining("cut short");
    }
    byte[] copyBeyondTheBlock = Arrays.copyOf(beyondTheBlock, 15);
    copyBeyondTheBlock[12] = 14; // four bytes for two
    copyBeyondTheBlock[13] = 10;
    assertThatThrownBy(() -> decoded(java, copyBeyondTheBlock))
        .isInstanceOf(MalformedBlockException.class)
        .hasMessageContaining("outside the block");
  }

  private static String decoded(BlockCompression codec, byte[] stream)
      throws MalformedBlockException {
    ByteBuffer source = direct(stream.length).put(0, stream);
    int length = codec.uncompressedLength((byte) 1, source, stream.length);
    ByteBuffer target = direct(length);
    codec.uncompress((byte) 1, source, stream.length, target, length);
    byte[] result = new byte[length];
    target.get(0, result);
    return new String(result, StandardCharsets.US_ASCII);
  }

  /** The same on every processor, whatever its byte order; the expected values are from x86-64. */
  @Test
  void javaSnappy_ofTheseBytes_givesTheseBytesOnEveryPlatform() {
    byte[] periodic = "abcdabcdabcdabcdabcdabcdefgh".getBytes(StandardCharsets.US_ASCII);
    assertThat(HexFormat.of().formatHex(compressed(periodic)))
        .isEqualTo("1c0c616263644e04000c65666768");
    byte[] bytes = new byte[100_000];
    int state = 1;
    for (int i = 0; i < bytes.length; i++) {
      state = state * 1103515245 + 12345;
      bytes[i] = (byte) (i % 1000 < 300 ? i % 11 : (state >>> 16) % 7 * 37);
    }
    CRC32C checksum = new CRC32C();
    checksum.update(compressed(bytes));
    assertThat(checksum.getValue()).isEqualTo(0xa275f6c0L);
  }

  private byte[] compressed(byte[] bytes) {
    ByteBuffer source = direct(bytes.length).put(0, bytes);
    ByteBuffer target = direct(java.maxCompressedLength(CompressionType.SNAPPY, bytes.length));
    int size = java.compress(CompressionType.SNAPPY, 1, source, bytes.length, target, 0);
    byte[] result = new byte[size];
    target.get(0, result);
    return result;
  }

  /** Streams of random elements, wherever they point: what decodes, decodes as in the library. */
  @Test
  void javaSnappy_anyStream_agreesWithTheLibrary() {
    for (long seed = SEED; seed < SEED + 1000; seed++) {
      ByteBuffer stream = direct(200);
      int length = elements(new Random(seed), stream);
      ByteBuffer exact = direct(length).put(0, stream, 0, length);
      byte[] ours = decoded(java, exact);
      assertThat(ours).as("seed %d", seed).isEqualTo(decoded(library, exact));
    }
  }

  private static int elements(Random random, ByteBuffer stream) {
    int produced = 0;
    int at = 2;
    while (at < 120) {
      int tag = random.nextInt(4);
      int size =
          tag == 0
              ? 1 + random.nextInt(20)
              : tag == 1 ? 4 + random.nextInt(8) : 1 + random.nextInt(64);
      int distance =
          random.nextInt(30) == 0
              ? random.nextInt(3000)
              : 1 + random.nextInt(Math.max(1, Math.min(produced, 2000)));
      if (tag == 0) {
        stream.put(at, (byte) (size - 1 << 2));
        at += 1 + size;
      } else if (tag == 1) {
        stream.put(at, (byte) ((distance & 0x7ff) >>> 8 << 5 | size - 4 << 2 | 1));
        stream.put(at + 1, (byte) distance);
        at += 2;
      } else {
        stream.put(at, (byte) (size - 1 << 2 | tag));
        stream.putInt(at + 1, distance);
        at += tag == 2 ? 3 : 5;
      }
      produced += size;
    }
    // two bytes of length whatever it is
    stream.put(0, (byte) (produced | 0x80)).put(1, (byte) (produced >>> 7));
    return at;
  }

  private static byte @Nullable [] decoded(BlockCompression codec, ByteBuffer stream) {
    try {
      int length = codec.uncompressedLength((byte) 1, stream, stream.capacity());
      ByteBuffer target = direct(length);
      codec.uncompress((byte) 1, stream, stream.capacity(), target, length);
      byte[] result = new byte[length];
      target.get(0, result);
      return result;
    } catch (MalformedBlockException refused) {
      return null;
    }
  }
}
