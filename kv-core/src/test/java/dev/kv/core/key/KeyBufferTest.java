package dev.kv.core.key;

import static dev.kv.core.Bytes.direct;
import static org.assertj.core.api.Assertions.assertThat;

import dev.kv.bytes.DBComparator;
import dev.kv.core.memory.OffHeapBudget;
import dev.kv.core.memory.OffHeapBuffer;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.Random;
import org.junit.jupiter.api.Test;

class KeyBufferTest {
  private static final UserKeyComparator ORDER = new UserKeyComparator(DBComparator.bytewise());

  /** More than the lengths that are copied as words, and on both sides of each limit. */
  private static final int MOST = 70;

  private final Random random = new Random(5);

  @Test
  void setKey_ofAnyLength_copiesItAndNothingElse() {
    for (int length = 0; length <= MOST; length++) {
      byte[] source = random(length + 20);
      try (OffHeapBuffer memory = new OffHeapBuffer(new OffHeapBudget(0), 4)) {
        KeyBuffer key = new KeyBuffer(memory);
        for (int offset : new int[] {0, 3, 20}) {
          key.setKey(direct(source), offset, length);
          assertThat(bytes(key.buffer(), 0, length))
              .isEqualTo(Arrays.copyOfRange(source, offset, offset + length));
          assertThat(key.keyLength()).isEqualTo(length);
          assertThat(key.valueLength()).isZero();
        }
      }
    }
  }

  @Test
  void setEntry_ofAnyLengths_copiesKeyAndValue() {
    for (int length = 0; length <= MOST; length++) {
      byte[] source = random(200);
      int valueSize = random.nextInt(MOST);
      try (OffHeapBuffer memory = new OffHeapBuffer(new OffHeapBudget(0), length + valueSize)) {
        KeyBuffer key = new KeyBuffer(memory);
        ByteBuffer before = key.buffer();
        key.setEntry(direct(source), 5, length, direct(source), 90, valueSize);
        assertThat(key.buffer()).as("it has room").isSameAs(before);
        assertThat(key.keyLength()).isEqualTo(length);
        assertThat(key.valueOffset()).isEqualTo(length);
        assertThat(key.valueLength()).isEqualTo(valueSize);
        assertThat(bytes(key.buffer(), 0, length))
            .isEqualTo(Arrays.copyOfRange(source, 5, 5 + length));
        assertThat(bytes(key.buffer(), length, valueSize))
            .isEqualTo(Arrays.copyOfRange(source, 90, 90 + valueSize));
        key.setEntry(direct(source), 0, length, direct(source), 0, 100);
        assertThat(bytes(key.buffer(), length, 100)).isEqualTo(Arrays.copyOf(source, 100));
      }
    }
  }

  @Test
  void hasKeyBytes_ofKeysThatDifferInOneByte_isFalse() {
    for (int length = 0; length <= 40; length++) {
      byte[] source = random(length + 3);
      try (OffHeapBuffer memory = new OffHeapBuffer(new OffHeapBudget(0), 8)) {
        KeyBuffer key = new KeyBuffer(memory);
        key.setKey(direct(source), 3, length);
        assertThat(key.hasKeyBytes(direct(source), 3, length)).isTrue();
        for (int at = 0; at < length; at++) {
          byte[] other = source.clone();
          other[3 + at] ^= 1;
          assertThat(key.hasKeyBytes(direct(other), 3, length)).as("byte %d", at).isFalse();
        }
        if (length > 0) {
          assertThat(key.hasKeyBytes(direct(source), 3, length - 1)).isFalse();
        }
        byte[] longer = Arrays.copyOf(source, length + 4);
        assertThat(key.hasKeyBytes(direct(longer), 3, length + 1)).isFalse();
      }
    }
  }

  @Test
  void compareTo_beforeAnyKey_comesFirst() {
    try (OffHeapBuffer memory = new OffHeapBuffer(new OffHeapBudget(0), 8)) {
      KeyBuffer key = new KeyBuffer(memory);
      ByteBuffer other = direct(new byte[] {'a', 'b', 'c'});
      assertThat(key.compareTo(other, 0, 0, ORDER)).isNegative();
      assertThat(key.hasKeyBytes(other, 0, 0)).isFalse();
      key.setKey(other, 1, 1);
      assertThat(key.compareTo(other, 0, 1, ORDER)).isPositive();
      assertThat(key.compareTo(other, 1, 1, ORDER)).isZero();
      assertThat(key.compareTo(other, 2, 1, ORDER)).isNegative();
      key.setKey(other, 0, 0);
      assertThat(key.compareTo(other, 0, 0, ORDER)).isZero();
    }
  }

  @Test
  void lookupKey_ofGrowingKeys_keepsKeyAndTag() {
    OffHeapBudget budget = new OffHeapBudget(0);
    try (LookupKey key = new LookupKey(budget)) {
      for (int length : new int[] {0, 55, 56, 57, 64, 500, 3}) {
        byte[] user = random(length);
        key.set(user, 7);
        checkKey(key, user);
        byte[] source = random(length + 2);
        key.set(direct(source).position(2), 7);
        checkKey(key, Arrays.copyOfRange(source, 2, length + 2));
      }
    }
    assertThat(budget.used()).isZero();
  }

  private static void checkKey(LookupKey key, byte[] user) {
    byte[] found = bytes(key.buffer(), 0, key.internalKeyLength());
    assertThat(InternalKey.userKey(found)).isEqualTo(user);
    assertThat(InternalKey.tag(found)).isEqualTo(InternalKey.seekTag(7));
  }

  @Test
  void isWellFormed_atTheLimits_asksLengthAndKind() {
    byte[] tagAlone = InternalKey.encode(new byte[0], 1, ValueKind.VALUE);
    assertThat(InternalKey.isWellFormed(tagAlone)).isTrue();
    assertThat(InternalKey.isWellFormed(direct(tagAlone), 0, 8)).isTrue();
    assertThat(InternalKey.isWellFormed(direct(new byte[20]), 10, 7)).isFalse();
    assertThat(InternalKey.describe(tagAlone)).isEqualTo("'' @ 1 : 1");
  }

  private byte[] random(int length) {
    byte[] bytes = new byte[length];
    random.nextBytes(bytes);
    return bytes;
  }

  private static byte[] bytes(ByteBuffer buffer, int offset, int length) {
    byte[] bytes = new byte[length];
    buffer.get(offset, bytes);
    return bytes;
  }
}
