package dev.kv.core.table.filter;

import static java.nio.file.StandardOpenOption.CREATE;
import static java.nio.file.StandardOpenOption.READ;
import static java.nio.file.StandardOpenOption.WRITE;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.kv.FilterPolicy;
import dev.kv.Options;
import dev.kv.bytes.Slice;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class BloomFilterTest {
  private final BloomFilter bloom = new BloomFilter(10);

  private static byte[] key(int n) {
    return ByteBuffer.allocate(4).order(ByteOrder.LITTLE_ENDIAN).putInt(n).array();
  }

  private static int hash(byte[] bytes) {
    ByteBuffer direct = ByteBuffer.allocateDirect(bytes.length).order(ByteOrder.LITTLE_ENDIAN);
    return BloomFilter.hash(direct.put(0, bytes), 0, bytes.length);
  }

  private static boolean matches(byte[] filter, byte[] key) {
    ByteBuffer direct = ByteBuffer.allocateDirect(filter.length).order(ByteOrder.LITTLE_ENDIAN);
    return BloomFilter.mayContain(hash(key), direct.put(0, filter), 0, filter.length);
  }

  @Test
  void hash_vectorsWithHighBits_areLevelDbs() {
    assertThat(hash(new byte[] {})).isEqualTo(0xbc9f1d34);
    assertThat(hash(new byte[] {0x62})).isEqualTo(0xef1345c4);
    assertThat(hash(new byte[] {(byte) 0xc3, (byte) 0x97})).isEqualTo(0x5b663814);
    assertThat(hash(new byte[] {(byte) 0xe2, (byte) 0x99, (byte) 0xa5})).isEqualTo(0x323c078f);
    assertThat(hash(new byte[] {(byte) 0xe1, (byte) 0x80, (byte) 0xb9, 0x32}))
        .isEqualTo(0xed21633a);
  }

  @Test
  void filter_empty_matchesNothing() {
    byte[] filter = bloom.createFilter(List.of());
    assertThat(matches(filter, "hello".getBytes(StandardCharsets.UTF_8))).isFalse();
    assertThat(matches(new byte[0], "hello".getBytes(StandardCharsets.UTF_8))).isFalse();
  }

  @Test
  void filter_ofAnySize_matchesItsKeysAndFewOthers() {
    int mediocre = 0;
    for (int size : new int[] {1, 10, 100, 1000, 10_000}) {
      int[] hashes = new int[size];
      for (int i = 0; i < size; i++) {
        hashes[i] = hash(key(i));
      }
      byte[] filter = bloom.create(hashes, size);
      assertThat(filter.length).isLessThanOrEqualTo(size * 10 / 8 + 40);
      for (int i = 0; i < size; i++) {
        assertThat(matches(filter, key(i))).isTrue();
      }
      int wrong = 0;
      for (int i = 0; i < 10_000; i++) {
        wrong += matches(filter, key(i + 1_000_000_000)) ? 1 : 0;
      }
      assertThat(wrong).as("false positives in 10000 at %d keys", size).isLessThanOrEqualTo(200);
      mediocre += wrong > 125 ? 1 : 0;
    }
    assertThat(mediocre).isLessThanOrEqualTo(1);
  }

  @Test
  void filter_overSlices_isTheSame() {
    byte[] filter = bloom.createFilter(List.of(Slice.of("hello"), Slice.of("world")));
    assertThat(bloom.keyMayMatch(Slice.of("hello"), Slice.of(filter))).isTrue();
    assertThat(bloom.keyMayMatch(Slice.of("x"), Slice.of(filter))).isFalse();
    assertThat(filter[filter.length - 1]).as("probes").isEqualTo((byte) 6);
  }

  @Test
  void filter_overSlicesOfAnyLength_isThatOverBuffers() {
    byte[] bytes = new byte[20];
    for (int length = 0; length < bytes.length; length++) {
      bytes[length] = (byte) (200 + 7 * length); // with the high bit
      byte[] key = Arrays.copyOf(bytes, length);
      assertThat(bloom.createFilter(List.of(Slice.of(key))))
          .as("%d bytes", length)
          .isEqualTo(bloom.create(new int[] {hash(key)}, 1));
      byte[] filter = bloom.create(new int[] {hash(key)}, 1);
      assertThat(bloom.keyMayMatch(Slice.of(key), Slice.of(filter))).isTrue();
    }
  }

  @Test
  void filter_withMoreBitsThanAnIntCounts_matchesAll(@TempDir Path temp) throws IOException {
    for (int length : new int[] {(1 << 29) + 1, (1 << 29) + 9}) {
      try (FileChannel file =
          FileChannel.open(
              temp.resolve("filter" + length), CREATE, READ, WRITE, StandardOpenOption.SPARSE)) {
        ByteBuffer filter = file.map(FileChannel.MapMode.READ_WRITE, 0, length);
        filter.put(length - 1, (byte) 6);
        assertThat(BloomFilter.mayContain(hash(key(1)), filter, 0, length)).isTrue();
      }
    }
  }

  @Test
  void filter_ofTheMostProbes_decides() {
    byte[] filter = new byte[9];
    filter[8] = 30;
    assertThat(matches(filter, key(1))).isFalse();
    Arrays.fill(filter, 0, 8, (byte) 0xff);
    assertThat(matches(filter, key(1))).isTrue();
  }

  @Test
  void filter_ofOneByteOfBits_isRead() {
    assertThat(matches(new byte[] {(byte) 0xff, 1}, key(1))).isTrue();
    assertThat(matches(new byte[] {0, 1}, key(1))).isFalse();
    assertThat(matches(new byte[] {1}, key(1))).isFalse();
  }

  @Test
  void policy_ofNoBits_isAllowed() {
    BloomFilter none = new BloomFilter(0);
    byte[] filter = none.create(new int[] {hash(key(1))}, 1);
    assertThat(matches(filter, key(1))).isTrue();
    for (int bits : new int[] {-1, 101, 999_999_999}) {
      assertThatThrownBy(() -> new BloomFilter(bits))
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessage("bitsPerKey is " + bits + ", must be from 0 to 100");
    }
    assertThat(new BloomFilter(100).name()).isEqualTo(BloomFilter.NAME);
    assertThat(none).hasToString("leveldb.BuiltinBloomFilter2(0)");
  }

  @Test
  void filter_moreProbesThanDefined_matchesEverything() {
    byte[] filter = bloom.createFilter(List.of());
    filter[filter.length - 1] = 31;
    assertThat(matches(filter, key(1))).isTrue();
  }

  @Test
  void policy_ofTheSameSize_isEqual() {
    assertThat(FilterPolicy.bloom(10))
        .isEqualTo(FilterPolicy.bloom(10))
        .hasSameHashCodeAs(FilterPolicy.bloom(10))
        .isNotEqualTo(FilterPolicy.bloom(11));
    assertThat(Options.builder().filterPolicy(FilterPolicy.bloom(10)).build())
        .isEqualTo(Options.builder().filterPolicy(FilterPolicy.bloom(10)).build());
  }
}
