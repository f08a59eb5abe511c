package dev.kv.core.codec;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.kv.CompressionType;
import dev.kv.UnsupportedFormatException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

class BlockCompressionTest {
  private static final long SEED = 99;
  private static final int OFFSET = 5;

  private final BlockCompression java = new BlockCompression(false);
  private final BlockCompression library = new BlockCompression(true);

  private static ByteBuffer direct(int capacity) {
    return ByteBuffer.allocateDirect(capacity).order(ByteOrder.LITTLE_ENDIAN);
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
    ByteBuffer source = direct(bytes.length + OFFSET);
    source.put(OFFSET, bytes);
    int bound = writer.maxCompressedLength(type, bytes.length);
    ByteBuffer stored = direct(bound + OFFSET);
    int size = writer.compress(type, 1, source, OFFSET, bytes.length, stored, OFFSET);
    assertThat(size).isLessThanOrEqualTo(bound);
    // exactly sized, so that a read behind the end shows
    ByteBuffer exact = direct(size).put(0, stored, OFFSET, size);
    int length = reader.uncompressedLength(type.code(), exact, 0, size);
    assertThat(length).isEqualTo(bytes.length);
    ByteBuffer target = direct(length);
    reader.uncompress(type.code(), exact, 0, size, target, 0, length);
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
  void everyType_roundTrips(CompressionType type) throws MalformedBlockException {
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
      int size = java.compress(CompressionType.SNAPPY, 1, source, 0, bytes.length, stored, 0);
      stored.put(random.nextInt(size), (byte) random.nextInt());
      int cut = random.nextInt(4) == 0 ? random.nextInt(size) : size;
      ByteBuffer exact = direct(cut).put(0, stored, 0, cut);
      try {
        int length = java.uncompressedLength((byte) 1, exact, 0, cut);
        java.uncompress((byte) 1, exact, 0, cut, direct(length), 0, length);
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
    assertThatThrownBy(() -> java.uncompressedLength((byte) 1, bomb, 0, 10))
        .isInstanceOf(MalformedBlockException.class)
        .hasMessageContaining("claims to hold");
  }

  @Test
  void code2_thatIsZlib_isNamedAsMojangs() {
    ByteBuffer zlib = direct(8);
    zlib.put(0, (byte) 0x78).put(1, (byte) 0x9c);
    assertThatThrownBy(() -> java.uncompressedLength((byte) 2, zlib, 0, 8))
        .isInstanceOf(UnsupportedFormatException.class)
        .hasMessageContaining("zlib");
    assertThatThrownBy(() -> java.uncompressedLength((byte) 2, direct(8), 0, 8))
        .isInstanceOf(MalformedBlockException.class);
    assertThatThrownBy(() -> java.uncompressedLength((byte) 7, direct(8), 0, 8))
        .isInstanceOf(MalformedBlockException.class);
  }
}
