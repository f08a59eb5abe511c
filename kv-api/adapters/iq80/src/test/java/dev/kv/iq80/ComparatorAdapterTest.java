package dev.kv.iq80;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.kv.bytes.Slice;
import java.io.File;
import java.io.IOException;
import java.util.Arrays;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import org.iq80.leveldb.CompressionType;
import org.iq80.leveldb.DBComparator;
import org.iq80.leveldb.DBIterator;
import org.iq80.leveldb.Options;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.NullSource;
import org.junit.jupiter.params.provider.ValueSource;

class ComparatorAdapterTest {
  @TempDir File directory;

  /** The order from the greatest key to the smallest, with short keys that a test chooses. */
  private record Reverse(byte[] separator, byte[] successor) implements DBComparator {
    @Override
    public String name() {
      return "test.reverse";
    }

    @Override
    public int compare(byte[] a, byte[] b) {
      return Arrays.compareUnsigned(b, a);
    }

    @Override
    public byte[] findShortestSeparator(byte[] start, byte[] limit) {
      return separator;
    }

    @Override
    public byte[] findShortSuccessor(byte[] key) {
      return successor;
    }
  }

  private static Slice slice(String text) {
    return Slice.of(text);
  }

  private static byte[] bytes(String text) {
    return text == null ? null : text.getBytes(UTF_8);
  }

  @Test
  void shortKeys_onTheRightSide_areUsed() {
    var adapter = new ComparatorAdapter(new Reverse(bytes("c"), bytes("a")));
    assertThat(adapter.shortestSeparator(slice("dd"), slice("bb"))).isEqualTo(bytes("c"));
    assertThat(adapter.shortSuccessor(slice("bb"))).isEqualTo(bytes("a"));
  }

  @ParameterizedTest
  @NullSource
  @ValueSource(strings = {"e", "b", "a", "ddd"})
  void separator_onTheWrongSideOrNoShorter_isNotUsed(String separator) {
    var adapter = new ComparatorAdapter(new Reverse(bytes(separator), null));
    assertThat(adapter.shortestSeparator(slice("dd"), slice("b"))).isNull();
  }

  @ParameterizedTest
  @NullSource
  @ValueSource(strings = {"c", "bbb"})
  void successor_onTheWrongSideOrNoShorter_isNotUsed(String successor) {
    var adapter = new ComparatorAdapter(new Reverse(null, bytes(successor)));
    assertThat(adapter.shortSuccessor(slice("bb"))).isNull();
  }

  @Test
  void comparator_thatDamagesItsArguments_harmsNothing() {
    DBComparator rude =
        new DBComparator() {
          @Override
          public String name() {
            return "test.rude";
          }

          @Override
          public int compare(byte[] a, byte[] b) {
            return Arrays.compareUnsigned(a, b);
          }

          @Override
          public byte[] findShortestSeparator(byte[] start, byte[] limit) {
            Arrays.fill(start, (byte) 0);
            Arrays.fill(limit, (byte) 0x7f);
            return new byte[] {0};
          }

          @Override
          public byte[] findShortSuccessor(byte[] key) {
            Arrays.fill(key, (byte) 0);
            return new byte[] {0};
          }
        };
    var adapter = new ComparatorAdapter(rude);
    assertThat(adapter.shortestSeparator(slice("dd"), slice("ee"))).isNull();
    assertThat(adapter.shortSuccessor(slice("dd"))).isNull();
  }

  @Test
  void comparator_withoutAName_isIllegal() {
    DBComparator nameless =
        new DBComparator() {
          @Override
          public String name() {
            return null;
          }

          @Override
          public int compare(byte[] a, byte[] b) {
            return 0;
          }

          @Override
          public byte[] findShortestSeparator(byte[] start, byte[] limit) {
            return start;
          }

          @Override
          public byte[] findShortSuccessor(byte[] key) {
            return key;
          }
        };
    assertThatThrownBy(
            () -> KvDBFactory.factory.open(directory, new Options().comparator(nameless)))
        .isInstanceOf(IllegalArgumentException.class);
  }

  @Test
  void database_withWrongShortKeys_findsEveryEntry() throws IOException {
    Options options =
        new Options()
            .comparator(new Reverse(new byte[0], new byte[] {(byte) 0xff}))
            .compressionType(CompressionType.NONE)
            .blockSize(1024);
    Random random = new Random(5);
    TreeMap<byte[], byte[]> model = new TreeMap<>((a, b) -> Arrays.compareUnsigned(b, a));
    try (KvDB db = KvDBFactory.factory.open(directory, options)) {
      for (int i = 0; i < 3000; i++) {
        byte[] key = bytes("key" + random.nextInt(100_000));
        byte[] value = new byte[100];
        random.nextBytes(value);
        db.put(key, value);
        model.put(key, value);
      }
      db.compactRange(null, null);
      for (Map.Entry<byte[], byte[]> entry : model.entrySet()) {
        assertThat(db.get(entry.getKey())).isEqualTo(entry.getValue());
      }
      try (DBIterator entries = db.iterator()) {
        for (byte[] key : model.keySet()) {
          assertThat(entries.next().getKey()).isEqualTo(key);
        }
        assertThat(entries.hasNext()).isFalse();
      }
    }
  }
}
