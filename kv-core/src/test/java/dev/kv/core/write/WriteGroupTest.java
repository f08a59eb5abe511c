package dev.kv.core.write;

import static dev.kv.core.Bytes.bytes;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.sun.management.ThreadMXBean;
import dev.kv.core.batch.BatchCursor;
import dev.kv.core.batch.EncodedBatch;
import dev.kv.core.memory.OffHeapBudget;
import dev.kv.errors.OffHeapExhaustedException;
import java.lang.management.ManagementFactory;
import java.nio.ByteBuffer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class WriteGroupTest {
  private static final int SMALL = 8 << 10;
  private static final int LARGE = 8 << 20;

  private final OffHeapBudget budget = new OffHeapBudget(64 << 20);
  private final WriteGroup group = new WriteGroup(budget);

  @AfterEach
  void close_givesAllMemoryBack() {
    group.close();
    assertThat(budget.used()).isZero();
  }

  @Test
  void newGroup_takesNoMemory() {
    assertThat(budget.used()).isZero();
  }

  @Test
  void record_hasTheOperationsInOrder() {
    group.begin(100);
    group.put(bytes("a"), bytes("12"));
    group.putOrDelete(bytes("b"), null);
    assertThat(group.count()).isEqualTo(2);
    assertThat(group.bytes()).isEqualTo(6 + 3);
    assertThat(group.recordLength()).isEqualTo(12 + group.bytes());
    ByteBuffer record = group.record(7);
    assertThat(record.getLong(0)).isEqualTo(7);
    assertThat(record.getInt(8)).isEqualTo(2);
    BatchCursor operations = group.operations();
    assertThat(operations.next()).isTrue();
    assertThat(operations.valueLength()).isEqualTo(2);
    assertThat(operations.next()).isTrue();
    assertThat(operations.next()).isFalse();
  }

  @Test
  void putAndDelete_bufferThatHasGrownSinceItWasMeasured_isRefusedAndAddsNothing() {
    ByteBuffer key = ByteBuffer.wrap(bytes("key"));
    ByteBuffer value = ByteBuffer.allocate(100).limit(10);
    group.begin(key.remaining() + value.remaining() + WriteGroup.OPERATION_OVERHEAD);
    value.limit(11);
    assertThatThrownBy(() -> group.put(key, value))
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContaining("changed by another thread");
    group.reserve(key.remaining() + WriteGroup.OPERATION_OVERHEAD - 1);
    assertThatThrownBy(() -> group.putOrDelete(key, null))
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContaining("changed by another thread");
    assertThat(group.recordLength()).isZero();
    group.reserve(key.remaining() + value.remaining() + WriteGroup.OPERATION_OVERHEAD);
    group.put(key, value);
    assertThat(group.count()).isEqualTo(1);
  }

  @Test
  void recordLength_withoutOperations_isZero() {
    group.begin(100);
    assertThat(group.recordLength()).isZero();
    assertThat(group.bytes()).isZero();
  }

  @Test
  void begin_emptiesTheGroup() {
    group.begin(100);
    group.put(bytes("a"), bytes("1"));
    group.begin(100);
    assertThat(group.count()).isZero();
    assertThat(group.bytes()).isZero();
  }

  @Test
  void begin_ofSmallGroups_keepsTheFirstBuffer() {
    group.begin(1);
    assertThat(budget.used()).isEqualTo(SMALL);
    ByteBuffer buffer = group.record(1);
    group.begin(SMALL - 12);
    assertThat(budget.used()).isEqualTo(SMALL);
    assertThat(group.record(1)).isSameAs(buffer);
  }

  @Test
  void begin_ofAGroupThatDoesNotFit_makesRoomForAllOfIt() {
    group.begin(1);
    group.begin(SMALL - 11);
    byte[] value = new byte[SMALL - 11 - 12];
    group.put(bytes("k"), value); // takes the value and five bytes
    assertThat(group.bytes()).isEqualTo(value.length + 5);
  }

  @Test
  void reserve_beyondTheBuffer_keepsTheOperations() {
    group.begin(100);
    group.put(bytes("a"), bytes("1"));
    group.reserve(3 * SMALL);
    group.put(bytes("b"), new byte[2 * SMALL]);
    assertThat(group.count()).isEqualTo(2);
    assertThat(group.record(1).get(14)).isEqualTo((byte) 'a');
    assertThat(budget.used()).isGreaterThanOrEqualTo(3 * SMALL);
  }

  /** One large write would otherwise keep its memory as long as the database is open. */
  @Test
  void begin_ofASmallGroupAfterALargeOne_givesTheLargeBufferBack() {
    group.begin(LARGE);
    assertThat(budget.used()).isGreaterThanOrEqualTo(LARGE);
    group.begin(SMALL - 12);
    assertThat(budget.used()).isEqualTo(SMALL);
  }

  @Test
  void begin_ofAGroupAboveTheFirstBufferAfterALargeOne_keepsTheLargeBuffer() {
    group.begin(LARGE);
    ByteBuffer buffer = group.record(1);
    group.begin(SMALL - 11);
    assertThat(group.record(1)).isSameAs(buffer);
  }

  @Test
  void begin_ofASmallGroupAfterOneOfFourMiB_keepsTheBuffer() {
    group.begin((4 << 20) - (512 << 10) - 12); // with the room for a table, 4 MiB
    long used = budget.used();
    assertThat(used).isEqualTo(4 << 20);
    group.begin(1);
    assertThat(budget.used()).isEqualTo(used);
  }

  /** What an open after a kill needs to write a table, see the limit of off-heap memory. */
  @Test
  void begin_fromOneMiBOn_takesTheRoomForATable() {
    group.begin((1 << 20) - 1);
    assertThat(budget.used()).isEqualTo((1 << 20) + 11);
    group.trim();
    group.begin(1 << 20);
    assertThat(budget.used()).isEqualTo((1 << 20) + (512 << 10) + 12);
  }

  @Test
  void trim_ofALargerBuffer_givesItBack() {
    group.begin(SMALL + 1);
    assertThat(budget.used()).isGreaterThan(SMALL);
    group.trim();
    assertThat(budget.used()).isZero();
    group.begin(10);
    group.put(bytes("a"), bytes("1"));
    assertThat(group.count()).isEqualTo(1);
  }

  /** It is called because memory is short. */
  @Test
  void trim_ofALargerBuffer_allocatesNothing() {
    ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
    long id = Thread.currentThread().getId();
    long least = Long.MAX_VALUE;
    for (int round = 0; round < 10; round++) {
      group.begin(SMALL + 1);
      long before = threads.getThreadAllocatedBytes(id);
      group.trim();
      least = Math.min(least, threads.getThreadAllocatedBytes(id) - before);
    }
    assertThat(least).isZero();
  }

  @Test
  void trim_ofTheFirstBuffer_keepsIt() {
    group.begin(1);
    group.trim();
    assertThat(budget.used()).isEqualTo(SMALL);
  }

  @Test
  void begin_withoutMemory_throwsAndASmallerGroupFits() {
    group.begin(10);
    assertThatThrownBy(() -> group.begin(65L << 20)).isInstanceOf(OffHeapExhaustedException.class);
    group.begin(10);
    group.put(bytes("a"), bytes("1"));
    assertThat(group.count()).isEqualTo(1);
  }

  @Test
  void batch_thatHasOtherOperationsThanItCounted_addsNothing() {
    EncodedBatch batch = new EncodedBatch();
    batch.put(bytes("a"), bytes("1"));
    group.begin(batch.length());
    assertThatThrownBy(() -> group.batch(batch, batch.length(), 2))
        .isInstanceOf(IllegalStateException.class);
    assertThat(group.count()).isZero();
    assertThat(group.bytes()).isZero();
  }
}
