package dev.kv.core.write;

import static dev.kv.core.Bytes.bytes;
import static org.assertj.core.api.Assertions.assertThat;

import dev.kv.core.batch.BatchCursor;
import dev.kv.core.batch.EncodedBatch;
import dev.kv.core.memory.OffHeapBudget;
import java.io.IOException;
import java.nio.ByteBuffer;
import org.junit.jupiter.api.Test;

class PendingWriteTest {
  private final WriteGroup group = new WriteGroup(new OffHeapBudget(0));

  @Test
  void complete_withAFailure_isTheOutcomeOfTheWait() {
    IOException why = new IOException("simulated");
    PendingWrite write = new PendingWrite.Turn().begin();
    write.complete(WriteOutcome.FAILED, why);
    assertThat(write.await()).isEqualTo(WriteOutcome.FAILED);
    assertThat(write.failure()).isSameAs(why);
  }

  /** The pool would keep the stack trace of a failure, and all writes after one in the queue. */
  @Test
  void clear_forgetsTheFailureAndTheNextWrite() {
    PendingWrite.OfKey<byte[]> ofKey = new PendingWrite.OfKey<>(WriteGroup::putOrDelete);
    PendingWrite.OfBatch ofBatch = new PendingWrite.OfBatch();
    ofKey.set(bytes("k"), bytes("v"), 20, true);
    ofBatch.set(new EncodedBatch(), true, null);
    for (PendingWrite write : new PendingWrite[] {ofKey, ofBatch}) {
      write.next = new PendingWrite.Turn();
      write.checked = WriteOutcome.CONFLICT;
      write.complete(WriteOutcome.FAILED, new IOException("simulated"));
      write.clear();
      assertThat(write.failure()).isNull();
      assertThat(write.next).isNull();
      assertThat(write.checked).isEqualTo(WriteOutcome.DONE);
    }
  }

  @Test
  void write_usedAgain_hasItsNewOperation() {
    PendingWrite.OfKey<byte[]> write = new PendingWrite.OfKey<>(WriteGroup::putOrDelete);
    write.set(bytes("k"), bytes("v"), 20, true);
    assertThat(write.isSync()).isTrue();
    assertThat(write.bytes()).isEqualTo(20);
    write.clear();
    write.set(bytes("l"), null, 15, false);
    assertThat(write.isSync()).isFalse();
    assertThat(write.count()).isEqualTo(1);
    group.begin(write.bytes());
    write.encodeInto(group);
    assertThat(group.bytes()).isEqualTo(3); // a deletion of a key of one byte
    group.close();
  }

  @Test
  void copyForLeader_ofBuffers_takesWhatTheyHaveUnlessTheirSizesChanged() {
    PendingWrite.OfBuffers write = new PendingWrite.OfBuffers();
    ByteBuffer key = ByteBuffer.wrap(bytes("-k")).position(1);
    ByteBuffer value = ByteBuffer.allocateDirect(3).put(0, bytes("abc"));
    long size = WriteGroup.OPERATION_OVERHEAD + 4;
    write.set(key, value, size, true);
    assertThat(write.copyForLeader()).isTrue();
    assertThat(write.isSync()).isTrue();
    assertThat(write.bytes()).isEqualTo(size);
    key.position(0);
    value.put(0, bytes("xyz"));
    group.begin(write.bytes());
    write.encodeInto(group);
    BatchCursor put = group.operations();
    assertThat(put.next()).isTrue();
    assertThat(put.keyLength()).isEqualTo(1);
    assertThat(put.buffer().get(put.valueOffset())).isEqualTo((byte) 'a');
    write.set(key, value, size, true);
    assertThat(write.copyForLeader()).isFalse();
    write.set(key, null, size - 2, false);
    assertThat(write.copyForLeader()).isTrue();
    assertThat(new PendingWrite.OfBatch().copyForLeader()).isFalse();
    group.close();
  }

  @Test
  void turn_isInNoGroup() {
    assertThat(new PendingWrite.Turn().begin().mayFollow()).isFalse();
    assertThat(new PendingWrite.OfBatch().mayFollow()).isTrue();
  }
}
