package dev.kv.core.codec;

import static dev.kv.core.Bytes.direct;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.Random;
import java.util.zip.Deflater;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Blocks as Mojang's fork of LevelDB stores them, made with the JDK's Deflater. */
class DeflateBlocksTest {
  private static final long SEED = 20;

  private final BlockCompression codec = new BlockCompression(false);

  private enum Kind {
    ZLIB(2, false),
    RAW(4, true);

    private final byte code;
    private final boolean raw;

    Kind(int code, boolean raw) {
      this.code = (byte) code;
      this.raw = raw;
    }

    byte[] deflated(byte[] bytes, int level) {
      Deflater deflater = new Deflater(level, raw);
      try {
        deflater.setInput(bytes);
        deflater.finish();
        byte[] stored = new byte[bytes.length + 1000];
        int size = deflater.deflate(stored);
        assertThat(deflater.finished()).isTrue();
        return Arrays.copyOf(stored, size);
      } finally {
        deflater.end();
      }
    }
  }

  @AfterEach
  void close() {
    codec.close();
  }

  private byte[] inflated(Kind kind, byte[] stored) throws MalformedBlockException {
    ByteBuffer source = direct(stored.length).put(0, stored);
    int length = codec.uncompressedLength(kind.code, source, stored.length);
    ByteBuffer target = direct(length + 1);
    codec.uncompress(kind.code, source, stored.length, target, length);
    assertThat(target.get(length)).isZero();
    byte[] bytes = new byte[length];
    target.get(0, bytes);
    return bytes;
  }

  private static byte[] sample(Random random, int length) {
    byte[] bytes = new byte[length];
    for (int i = 0; i < length; i++) {
      bytes[i] = (byte) random.nextInt(1 + i % 40);
    }
    return bytes;
  }

  @ParameterizedTest
  @EnumSource(Kind.class)
  void blocks_ofAnyLengthAndLevel_comeBackWhole(Kind kind) throws MalformedBlockException {
    Random random = new Random(SEED);
    for (int length : new int[] {0, 1, 8, 4096, 8191, 8192, 8193, 100_000, 1 << 20}) {
      byte[] bytes = sample(random, length);
      for (int level : new int[] {0, 1, 6, 9}) {
        byte[] stored = kind.deflated(bytes, level);
        assertThat(inflated(kind, stored)).as("%d bytes, level %d", length, level).isEqualTo(bytes);
      }
    }
  }

  @ParameterizedTest
  @EnumSource(Kind.class)
  void block_cutShortOrLonger_isMalformed(Kind kind) {
    byte[] stored = kind.deflated(sample(new Random(SEED), 5000), 6);
    for (int cut = kind.raw ? 0 : 2; cut < stored.length; cut += 7) {
      byte[] part = Arrays.copyOf(stored, cut);
      assertThatThrownBy(() -> inflated(kind, part)).isInstanceOf(MalformedBlockException.class);
    }
    assertThatThrownBy(() -> inflated(kind, Arrays.copyOf(stored, stored.length + 1)))
        .isInstanceOf(MalformedBlockException.class)
        .hasMessageContaining("goes on");
    ByteBuffer longer = direct(stored.length + 1).put(0, stored);
    assertThatThrownBy(
            () -> codec.uncompress(kind.code, longer, stored.length + 1, direct(5000), 5000))
        .isInstanceOf(MalformedBlockException.class)
        .hasMessageContaining("goes on");
    assertThatThrownBy(() -> codec.uncompressedLength(kind.code, longer, stored.length + 1))
        .isInstanceOf(MalformedBlockException.class)
        .hasMessageContaining("goes on");
  }

  @ParameterizedTest
  @EnumSource(Kind.class)
  void block_damaged_isMalformedOrDecodesInBounds(Kind kind) {
    Random random = new Random(SEED);
    int refused = 0;
    for (int i = 0; i < 1000; i++) {
      byte[] stored = kind.deflated(sample(random, 1 + random.nextInt(2000)), 6);
      stored[random.nextInt(stored.length)] = (byte) random.nextInt();
      try {
        inflated(kind, stored);
      } catch (MalformedBlockException expected) {
        refused++;
      }
    }
    assertThat(refused).as("seed %d", SEED).isGreaterThan(200);
  }

  @ParameterizedTest
  @EnumSource(Kind.class)
  void block_ofAnotherLength_isMalformed(Kind kind) {
    byte[] stored = kind.deflated(sample(new Random(SEED), 5000), 6);
    ByteBuffer source = direct(stored.length).put(0, stored);
    for (int length : new int[] {0, 1, 4999, 5001, 9000}) {
      assertThatThrownBy(
              () -> codec.uncompress(kind.code, source, stored.length, direct(length), length))
          .as("%d", length)
          .isInstanceOf(MalformedBlockException.class);
    }
  }

  /** 80 KiB of zeros' deflate: a thousand times as many, beyond what a block may hold. */
  @ParameterizedTest
  @EnumSource(Kind.class)
  void decompression_bomb_isRefusedBeforeItsBlockIsAllocated(Kind kind) {
    byte[] stored = kind.deflated(new byte[65 << 20], 9);
    assertThatThrownBy(() -> inflated(kind, stored))
        .isInstanceOf(MalformedBlockException.class)
        .hasMessageContaining("holds over");
  }

  @Test
  void zlibStream_thatWantsADictionary_isMalformed() {
    byte[] stored = {0x78, (byte) 0xbb, 0, 0, 0, 1, 3, 0, 0, 0, 0, 1};
    assertThatThrownBy(() -> inflated(Kind.ZLIB, stored))
        .isInstanceOf(MalformedBlockException.class);
  }
}
