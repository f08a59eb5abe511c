package dev.kv.core.batch;

import static dev.kv.core.Bytes.direct;
import static org.assertj.core.api.Assertions.assertThat;

import java.nio.ByteBuffer;
import org.junit.jupiter.api.Test;

/** How many operations a record of the log has; the bytes of a batch are those of LevelDB. */
class BatchCursorTest {
  private static final int PUT = 1;

  /** A batch of a put of 1 and 2 bytes, and a delete of 1 byte, after its sequence number. */
  private static byte[] record(int count) {
    return new byte[] {
      7, 0, 0, 0, 0, 0, 0, 0, (byte) count, 0, 0, 0, PUT, 1, 'a', 2, 'b', 'c', 0, 1, 'd'
    };
  }

  private static int count(byte[] record, int length) {
    return new BatchCursor().countOperations(direct(record), length);
  }

  @Test
  void countOperations_ofABatch_isWhatItsHeaderSays() {
    assertThat(count(record(2), 21)).isEqualTo(2);
    assertThat(count(record(0), 12)).isZero();
  }

  @Test
  void countOperations_ofAnythingElse_isMinusOne() {
    assertThat(count(record(3), 21)).as("another count").isEqualTo(-1);
    assertThat(count(record(0), 11)).as("shorter than a header").isEqualTo(-1);
    assertThat(count(record(2), 20)).as("an operation cut off").isEqualTo(-1);
    byte[] unknown = record(2);
    unknown[18] = 2;
    assertThat(count(unknown, 21)).as("an unknown operation").isEqualTo(-1);
  }

  @Test
  void cursor_afterItHasCounted_isAtTheEndOfTheBatchAndCanBeginAgain() {
    byte[] record = record(2);
    ByteBuffer buffer = direct(record);
    BatchCursor cursor = new BatchCursor();
    assertThat(cursor.countOperations(buffer, record.length)).isEqualTo(2);
    assertThat(cursor.buffer()).isSameAs(buffer);
    assertThat(cursor.position()).isEqualTo(21);
    cursor.moveTo(12);
    assertThat(cursor.next()).isTrue();
    assertThat(cursor.position()).isEqualTo(18);
    assertThat(EncodedBatch.ofRecord(buffer, record.length).count()).isEqualTo(2);
  }
}
