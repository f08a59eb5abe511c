package dev.kv.core.log;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

/** Where records lie, against a walk over their fragments. */
final class LogFormatTest {
  private static final int BLOCK = LogFormat.BLOCK;
  private static final int HEADER = LogFormat.HEADER;

  @Test
  void endOfRecordAndFragments_ofEachPlaceInABlock_areThoseOfAWalk() {
    int[] payloads = {
      0,
      1,
      BLOCK - HEADER - 1,
      BLOCK - HEADER,
      BLOCK - HEADER + 1,
      2 * (BLOCK - HEADER),
      2 * (BLOCK - HEADER) + 1,
      100_000
    };
    for (long header = BLOCK; header <= 2 * BLOCK - HEADER; header++) {
      if (header > BLOCK + 20 && header < 2 * BLOCK - 20) {
        continue;
      }
      for (int payload : payloads) {
        check(header, payload);
      }
      check(header, (int) (2 * BLOCK - header) - HEADER);
      check(header, (int) (2 * BLOCK - header) - HEADER + 1);
      check(header, (int) (2 * BLOCK - header) - HEADER + BLOCK - HEADER);
    }
  }

  private static void check(long header, int payload) {
    long at = header;
    int left = payload;
    int fragments = 0;
    do {
      int count = (int) Math.min(left, BLOCK - at % BLOCK - HEADER);
      at += HEADER + count;
      left -= count;
      fragments++;
    } while (left > 0);
    assertThat(LogFormat.endOfRecord(header, payload)).isEqualTo(at);
    assertThat(LogFormat.fragments(header, payload)).isEqualTo(fragments);
  }

  @Test
  void roundUp_ofAnyPosition_isTheNextBoundary() {
    assertThat(LogFormat.roundUp(0)).isZero();
    assertThat(LogFormat.roundUp(1)).isEqualTo(BLOCK);
    assertThat(LogFormat.roundUp(BLOCK - 1)).isEqualTo(BLOCK);
    assertThat(LogFormat.roundUp(BLOCK)).isEqualTo(BLOCK);
    assertThat(LogFormat.roundUp(BLOCK + 1)).isEqualTo(2 * BLOCK);
    assertThat(LogFormat.roundUp(1L << 40)).isEqualTo(1L << 40);
  }

  @Test
  void nextHeader_withTooLittleRoom_isTheNextBlock() {
    assertThat(LogFormat.nextHeader(0)).isZero();
    assertThat(LogFormat.nextHeader(BLOCK - HEADER)).isEqualTo(BLOCK - HEADER);
    assertThat(LogFormat.nextHeader(BLOCK - HEADER + 1)).isEqualTo(BLOCK);
    assertThat(LogFormat.nextHeader(BLOCK - 1)).isEqualTo(BLOCK);
    assertThat(LogFormat.nextHeader(BLOCK)).isEqualTo(BLOCK);
  }
}
