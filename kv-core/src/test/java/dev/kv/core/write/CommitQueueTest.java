package dev.kv.core.write;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class CommitQueueTest {
  private final CommitQueue queue = new CommitQueue();

  private PendingWrite enqueued() {
    PendingWrite write = new PendingWrite.Turn().begin();
    assertThat(queue.leadOrEnqueue(write)).isFalse();
    return write;
  }

  @Test
  void tryLead_besideALeader_returnsFalse() {
    assertThat(queue.tryLead()).isTrue();
    assertThat(queue.tryLead()).isFalse();
    queue.handOver();
    assertThat(queue.tryLead()).isTrue();
  }

  @Test
  void leadOrEnqueue_withoutALeader_leads() {
    assertThat(queue.leadOrEnqueue(new PendingWrite.Turn().begin())).isTrue();
    assertThat(queue.tryLead()).isFalse();
  }

  @Test
  void leader_withoutWriters_isAlone() {
    assertThat(queue.tryLead()).isTrue();
    assertThat(queue.isContended()).isFalse();
    assertThat(queue.waiting()).isZero();
    assertThat(queue.peek()).isNull();
    assertThat(queue.poll()).isNull();
  }

  @Test
  void waiting_countsThoseBeforeAndAfterALook() {
    assertThat(queue.tryLead()).isTrue();
    PendingWrite first = enqueued();
    assertThat(queue.isContended()).isTrue();
    assertThat(queue.waiting()).isEqualTo(1);
    enqueued();
    enqueued();
    assertThat(queue.waiting()).isEqualTo(3);
    assertThat(queue.isContended()).isTrue();
    assertThat(queue.poll()).isSameAs(first);
    assertThat(queue.waiting()).isEqualTo(2);
  }

  @Test
  void poll_returnsTheWritersInTheOrderOfTheirArrival() {
    assertThat(queue.tryLead()).isTrue();
    PendingWrite first = enqueued();
    PendingWrite second = enqueued();
    assertThat(queue.peek()).isSameAs(first);
    PendingWrite third = enqueued();
    assertThat(queue.poll()).isSameAs(first);
    assertThat(first.next).isNull();
    assertThat(queue.poll()).isSameAs(second);
    assertThat(queue.poll()).isSameAs(third);
    assertThat(queue.poll()).isNull();
    assertThat(queue.isContended()).isFalse();
    PendingWrite fourth = enqueued();
    assertThat(queue.poll()).isSameAs(fourth);
  }

  @Test
  void handOver_toAWaitingWriter_makesItTheLeaderBeforeAnyNewOne() {
    assertThat(queue.tryLead()).isTrue();
    PendingWrite first = enqueued();
    PendingWrite second = enqueued();
    queue.handOver();
    assertThat(first.await()).isEqualTo(WriteOutcome.LEADS);
    assertThat(queue.tryLead()).isFalse();
    queue.handOver();
    assertThat(second.await()).isEqualTo(WriteOutcome.LEADS);
    queue.handOver();
    assertThat(queue.tryLead()).isTrue();
  }
}
