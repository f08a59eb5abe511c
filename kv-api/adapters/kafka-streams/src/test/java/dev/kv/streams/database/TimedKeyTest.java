package dev.kv.streams.database;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Tests the bound of the entries of a range of keys. */
final class TimedKeyTest {
  private static final byte[] BYTES = {0, 1, 'a', 0x7f, -1};

  @ParameterizedTest
  @EnumSource
  void upperBound_isTheGreatestEntryOfAPrefixOfTheKey(TimedKey form) {
    Random random = new Random(31);
    for (int i = 0; i < 20_000; i++) {
      byte[] key = new byte[random.nextInt(24)];
      byte[] time = new byte[Long.BYTES];
      for (int at = 0; at < key.length; at++) {
        key[at] = BYTES[random.nextInt(BYTES.length)];
      }
      for (int at = 0; at < time.length; at++) {
        time[at] = BYTES[random.nextInt(BYTES.length)];
      }
      if (random.nextBoolean()) { // with the bytes of the time in the key
        System.arraycopy(time, 0, key, 0, Math.min(key.length, random.nextInt(Long.BYTES + 1)));
      }
      long latest = ByteBuffer.wrap(time).getLong() & Long.MAX_VALUE;
      byte[] greatest = {};
      for (int length = 0; length <= key.length; length++) {
        byte[] entry = new byte[length + form.suffix()];
        Arrays.fill(entry, (byte) 0xff);
        ByteBuffer.wrap(entry).put(key, 0, length).putLong(latest);
        greatest = Arrays.compareUnsigned(entry, greatest) > 0 ? entry : greatest;
      }
      assertThat(form.upperBound(key, latest)).as("case %d", i).isEqualTo(greatest);
    }
  }

  @Test
  @Timeout(value = 10, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
  void upperBound_ofAKeyAsLargeAsARecordCanBe_takesTimeInItsLength() {
    byte[] key = new byte[1 << 20];
    Arrays.fill(key, (byte) 'k');
    byte[] bound = TimedKey.WINDOW.upperBound(key, 5);
    assertThat(bound).startsWith(key).hasSize(key.length + TimedKey.WINDOW.suffix());
  }
}
