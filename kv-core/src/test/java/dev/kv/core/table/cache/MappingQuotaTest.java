package dev.kv.core.table.cache;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class MappingQuotaTest {
  @Test
  void take_untilNoneIsLeft_andAgainAfterARelease() {
    MappingQuota quota = new MappingQuota(2);
    assertThat(quota.take()).isTrue();
    assertThat(quota.take()).isTrue();
    assertThat(quota.take()).isFalse();
    quota.release();
    assertThat(quota.take()).isTrue();
    assertThat(quota.take()).isFalse();
  }

  @Test
  void take_ofTwoThatShareATotal_respectsBothLimits() {
    MappingQuota total = new MappingQuota(3);
    MappingQuota first = new MappingQuota(2, total);
    MappingQuota second = new MappingQuota(2, total);
    assertThat(first.take()).isTrue();
    assertThat(first.take()).isTrue();
    assertThat(first.take()).as("its own limit").isFalse();
    assertThat(second.take()).isTrue();
    assertThat(second.take()).as("the total").isFalse();
    first.release();
    assertThat(second.take()).as("what was refused took nothing of its own").isTrue();
    assertThat(total.take()).isFalse();
  }

  @Test
  void of_32Bits_leavesAddressesForTheHeap() {
    assertThat(MappingQuota.of(65_530, "32")).isEqualTo(100);
    assertThat(MappingQuota.of(200, "32")).isEqualTo(50);
    assertThat(MappingQuota.of(65_530, "64")).isEqualTo(16_382);
    assertThat(MappingQuota.of(Long.MAX_VALUE, null)).isEqualTo(Integer.MAX_VALUE);
  }

  @Test
  void automatic_isAboveZeroAndAtMostAThousand() {
    MappingQuota automatic = new MappingQuota(-1);
    int taken = 0;
    while (taken <= 1000 && automatic.take()) {
      taken++;
    }
    assertThat(taken).isBetween(1, 1000);
  }

  @Test
  void ofTheProcess_isOneQuotaOfAllDatabases() {
    assertThat(MappingQuota.ofTheProcess()).isSameAs(MappingQuota.ofTheProcess());
    assertThat(MappingQuota.ofTheProcess().take()).isTrue();
    MappingQuota.ofTheProcess().release();
  }

  @Test
  void bytes_areTheSumOfWhatWasCounted() {
    MappingQuota quota = new MappingQuota(1);
    quota.count(100);
    quota.count(20);
    quota.count(-100);
    assertThat(quota.bytes()).isEqualTo(20);
  }
}
