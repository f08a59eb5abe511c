package dev.kv.core.key;

import static dev.kv.core.Bytes.bytes;
import static dev.kv.core.Bytes.direct;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.kv.ReadOptions;
import dev.kv.bytes.DBComparator;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.Random;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class KeyBoundsTest {
  private static final UserKeyComparator BYTEWISE = new UserKeyComparator(DBComparator.bytewise());
  private static final UserKeyComparator REVERSE =
      new UserKeyComparator(DBComparator.of("test.Reverse", (a, b) -> b.compareTo(a)));

  /** In hexadecimal digits; nothing for none. */
  @ParameterizedTest
  @CsvSource({
    "    ,       ,       ,         ,       ",
    " 61 ,  63   ,       , 61      , 63    ",
    "    ,       , 62    , 62      , 63    ",
    "    ,       , 6200  , 6200    , 6201  ",
    "    ,       , 62ff  , 62ff    , 63    ",
    "    ,       , 62feff, 62feff  , 62ff  ",
    "    ,       , ff    , ff      ,       ",
    "    ,       , ffff  , ffff    ,       ",
    " 61 ,  64   , 62    , 62      , 63    ",
    " 6205, 6207 , 62    , 6205    , 6207  ",
    " 62 ,  63   , 62    , 62      , 63    ",
    " 63 ,  64   , ff    , ff      , 64    ",
    "    ,  00   , 62    , 62      , 00    "
  })
  void of_boundsAndPrefix_isTheNarrower(
      @Nullable String lower,
      @Nullable String upper,
      @Nullable String prefix,
      @Nullable String first,
      @Nullable String end) {
    ReadOptions.Builder options = ReadOptions.builder();
    if (lower != null) {
      options.lowerBound(hex(lower));
    }
    if (upper != null) {
      options.upperBound(hex(upper));
    }
    if (prefix != null) {
      options.prefix(hex(prefix));
    }
    KeyBounds bounds = KeyBounds.of(options.build(), BYTEWISE);
    assertThat(bounds.lower()).isEqualTo(hex(first));
    assertThat(bounds.upper()).isEqualTo(hex(end));
  }

  private static byte @Nullable [] hex(@Nullable String digits) {
    return digits == null ? null : HexFormat.of().parseHex(digits);
  }

  @Test
  void of_aPrefixInAnotherOrder_isRefused() {
    assertThatThrownBy(() -> KeyBounds.of(ReadOptions.withPrefix(bytes("a")), REVERSE))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("test.Reverse");
    KeyBounds empty = KeyBounds.of(ReadOptions.withPrefix(new byte[0]), REVERSE);
    assertThat(empty.lower()).isNull();
    assertThat(empty.upper()).isNull();
  }

  @Test
  void of_twoKeys_areCopiesAndInOrder() {
    byte[] from = bytes("b");
    byte[] to = bytes("c");
    KeyBounds bounds = KeyBounds.of(from, to, BYTEWISE);
    from[0] = 'x';
    to[0] = 'x';
    assertThat(bounds.describe()).isEqualTo("from 'b' to 'c'");
    assertThat(KeyBounds.of(null, null, BYTEWISE).describe()).isEqualTo("from the first key on");
    assertThat(KeyBounds.of(bytes("b"), bytes("b"), BYTEWISE).lower()).isEqualTo(bytes("b"));
    assertThatThrownBy(() -> KeyBounds.of(bytes("c"), bytes("b"), BYTEWISE))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("from 'c' to 'b'");
    assertThat(KeyBounds.of(bytes("c"), bytes("b"), REVERSE).upper()).isEqualTo(bytes("b"));
  }

  @Test
  void describe_longKeys_showsTheirHeads() {
    byte[] from = bytes("b".repeat(1 << 20));
    byte[] to = bytes("a".repeat(1 << 20));
    String end = "... (1048576 bytes)'";
    String text = "from '" + "b".repeat(64) + end + " to '" + "a".repeat(64) + end;
    assertThat(new KeyBounds(from, to).describe()).isEqualTo(text);
    assertThatThrownBy(() -> KeyBounds.of(from, to, BYTEWISE))
        .hasMessage("the range ends before it begins: " + text);
  }

  @Test
  void ofPrefix_endsAtTheNextOne() {
    assertThat(describe("62ff")).isEqualTo("from 'b\\xff' to 'c'");
    assertThat(describe("ff")).isEqualTo("from '\\xff' on");
    assertThat(describe("")).isEqualTo("from the first key on");
    assertThatThrownBy(() -> KeyBounds.ofPrefix(new byte[0], REVERSE))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("test.Reverse");
  }

  private static String describe(String prefix) {
    return KeyBounds.ofPrefix(hex(prefix), BYTEWISE).describe();
  }

  /**
   * Different numbers order their keys; equal ones belong to keys that begin with the same bytes.
   */
  @Test
  void prefix_ofRandomKeys_ordersThemAsTheirFirstBytes() {
    assertThat(BYTEWISE.isBytewise()).isTrue();
    assertThat(REVERSE.isBytewise()).isFalse();
    Random random = new Random(3);
    for (int i = 0; i < 20_000; i++) {
      byte[] a = key(random);
      byte[] b = random.nextInt(4) == 0 ? a.clone() : key(random);
      if (b.length > 0 && random.nextBoolean()) {
        b[random.nextInt(b.length)] = (byte) random.nextInt(256);
      }
      long x = UserKeyComparator.prefix(direct(offset(a)), 3, a.length);
      long y = UserKeyComparator.prefix(direct(offset(b)), 3, b.length);
      int order = Arrays.compareUnsigned(Arrays.copyOf(a, 8), Arrays.copyOf(b, 8));
      assertThat(Integer.signum(Long.compare(x, y))).isEqualTo(Integer.signum(order));
    }
  }

  private static byte[] key(Random random) {
    byte[] key = new byte[random.nextInt(12)];
    random.nextBytes(key);
    return key;
  }

  private static byte[] offset(byte[] key) {
    byte[] moved = new byte[key.length + 3];
    System.arraycopy(key, 0, moved, 3, key.length);
    return moved;
  }
}
