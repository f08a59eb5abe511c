package dev.kv.core.key;

import static dev.kv.core.Bytes.direct;
import static org.assertj.core.api.Assertions.assertThat;

import dev.kv.bytes.DBComparator;
import dev.kv.core.memory.OffHeapBudget;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Random;
import org.junit.jupiter.api.Test;

class InternalKeyTest {
  private final InternalKeyComparator order = new InternalKeyComparator(DBComparator.bytewise());

  private static byte[] key(String user, long sequence, ValueKind kind) {
    return InternalKey.encode(user.getBytes(StandardCharsets.UTF_8), sequence, kind);
  }

  private byte[] separator(byte[] start, byte[] limit) {
    return order.shortestSeparator(start, limit);
  }

  @Test
  void encode_anySequence_decodes() {
    for (String user : new String[] {"", "k", "hello", "longggggggggggggggggggggg"}) {
      for (long sequence : new long[] {1, 255, 256, 1L << 32, InternalKey.MAX_SEQUENCE}) {
        for (ValueKind kind : ValueKind.values()) {
          byte[] key = key(user, sequence, kind);
          long tag = InternalKey.tag(key);
          assertThat(InternalKey.sequence(tag)).isEqualTo(sequence);
          assertThat(InternalKey.kindCode(tag)).isEqualTo(kind.code());
          assertThat(new String(InternalKey.userKey(key), StandardCharsets.UTF_8)).isEqualTo(user);
          assertThat(InternalKey.tag(direct(key), 0, key.length)).isEqualTo(tag);
        }
      }
    }
  }

  @Test
  void encode_tag_isLittleEndianAfterTheUserKey() {
    byte[] key = key("k", 0x07060504030201L, ValueKind.VALUE);
    assertThat(key).containsExactly('k', 1, 1, 2, 3, 4, 5, 6, 7);
    for (int power = 0; power < 56; power++) {
      long tag = InternalKey.pack(1L << power, ValueKind.DELETION);
      byte[] encoded = InternalKey.encode(new byte[0], tag);
      assertThat(InternalKey.tag(encoded)).isEqualTo(tag);
      assertThat(InternalKey.tag(direct(encoded), 0, encoded.length)).isEqualTo(tag);
    }
  }

  @Test
  void wellFormed_shortKeyOrUnknownKind_isNot() {
    assertThat(InternalKey.isWellFormed(new byte[7])).isFalse();
    byte[] key = key("a", 5, ValueKind.VALUE);
    assertThat(InternalKey.isWellFormed(key)).isTrue();
    key[1] = 2;
    assertThat(InternalKey.isWellFormed(key)).isFalse();
    assertThat(InternalKey.isWellFormed(direct(key), 0, key.length)).isFalse();
  }

  @Test
  void compare_sameUserKey_putsTheNewestFirstUnsigned() {
    byte[] newest = key("a", InternalKey.MAX_SEQUENCE, ValueKind.VALUE);
    byte[] old = key("a", 1, ValueKind.VALUE);
    assertThat(order.compare(newest, old)).isNegative();
    assertThat(order.compare(direct(newest), 0, 9, direct(old), 0, 9)).isNegative();
    assertThat(order.compare(direct(old), 0, 9, newest)).isPositive();
    assertThat(order.compare(old, key("b", 9, ValueKind.VALUE))).isNegative();
    assertThat(order.compare(key("a", 1, ValueKind.VALUE), key("a", 1, ValueKind.DELETION)))
        .isNegative();
  }

  @Test
  void compareBytes_randomPairs_agreesWithUnsignedArrays() {
    Random random = new Random(8);
    UserKeyComparator users = order.userComparator();
    UserKeyComparator custom =
        new UserKeyComparator(DBComparator.ofArrays("test", Arrays::compareUnsigned));
    for (int i = 0; i < 20_000; i++) {
      byte[] a = new byte[random.nextInt(24)];
      byte[] b = new byte[random.nextInt(24)];
      random.nextBytes(a);
      System.arraycopy(a, 0, b, 0, Math.min(a.length, b.length));
      if (b.length > 0) {
        b[random.nextInt(b.length)] = (byte) random.nextInt();
      }
      int expected = Integer.signum(Arrays.compareUnsigned(a, b));
      for (UserKeyComparator each : new UserKeyComparator[] {users, custom}) {
        assertThat(Integer.signum(each.compare(direct(a), 0, a.length, direct(b), 0, b.length)))
            .isEqualTo(expected);
        assertThat(Integer.signum(each.compare(direct(a), 0, a.length, b, b.length)))
            .isEqualTo(expected);
        assertThat(Integer.signum(each.compare(a, b))).isEqualTo(expected);
      }
    }
  }

  @Test
  void shortestSeparator_userKeysTheSame_staysAsItIs() {
    byte[] start = key("foo", 100, ValueKind.VALUE);
    assertThat(separator(start, key("foo", 99, ValueKind.VALUE))).isEqualTo(start);
    assertThat(separator(start, key("foo", 101, ValueKind.VALUE))).isEqualTo(start);
    assertThat(separator(start, key("bar", 99, ValueKind.VALUE))).as("misordered").isEqualTo(start);
    assertThat(separator(start, key("foobar", 200, ValueKind.VALUE))).isEqualTo(start);
    byte[] longer = key("foobar", 100, ValueKind.VALUE);
    assertThat(separator(longer, key("foo", 200, ValueKind.VALUE))).isEqualTo(longer);
  }

  @Test
  void shortestSeparator_userKeysDiffer_isShortWithTheLargestTag() {
    assertThat(separator(key("foo", 100, ValueKind.VALUE), key("hello", 200, ValueKind.VALUE)))
        .isEqualTo(key("g", InternalKey.MAX_SEQUENCE, ValueKind.VALUE));
  }

  @Test
  void shortSuccessor_keys_areShort() {
    assertThat(order.shortSuccessor(key("foo", 100, ValueKind.VALUE)))
        .isEqualTo(key("g", InternalKey.MAX_SEQUENCE, ValueKind.VALUE));
    byte[] highest =
        InternalKey.encode(new byte[] {(byte) 0xff, (byte) 0xff}, 100, ValueKind.VALUE);
    assertThat(order.shortSuccessor(highest)).isEqualTo(highest);
  }

  @Test
  void describe_anyBytes_isPrintable() {
    assertThat(InternalKey.describe(key("a\n", 7, ValueKind.DELETION)))
        .isEqualTo("'a\\x0a' @ 7 : 0");
    assertThat(InternalKey.describe(new byte[] {0x1b})).isEqualTo("(bad)\\x1b");
  }

  @Test
  void lookupKey_longKey_growsAndHasTheSeekTag() {
    OffHeapBudget budget = new OffHeapBudget(0);
    try (LookupKey key = new LookupKey(budget)) {
      byte[] user = new byte[1000];
      user[999] = 7;
      key.set(user, 42);
      assertThat(key.internalKeyLength()).isEqualTo(1008);
      assertThat(key.buffer().get(999)).isEqualTo((byte) 7);
      assertThat(InternalKey.tag(key.buffer(), 0, key.internalKeyLength()))
          .isEqualTo(InternalKey.seekTag(42));
      key.set(ByteBuffer.wrap(user, 999, 1), 43);
      assertThat(key.userKeyLength()).isEqualTo(1);
      assertThat(key.buffer().get(0)).isEqualTo((byte) 7);
    }
    assertThat(budget.used()).isZero();
  }
}
