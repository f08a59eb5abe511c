package dev.kv.jmh.bench;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class TournamentTest {
  @Test
  void rounds_ofOne_countThoughItIsCold() {
    Tournament.Rounds rounds = new Tournament.Rounds(0, 1);
    assertThat(rounds.cold(0)).isTrue();
    assertThat(rounds.counts(0)).isTrue();
  }

  @Test
  void rounds_behindAWarmup_countFromItsEndOn() {
    Tournament.Rounds rounds = new Tournament.Rounds(1, 2);
    assertThat(rounds.cold(0)).isTrue();
    assertThat(rounds.counts(0)).isFalse();
    assertThat(rounds.cold(1)).isFalse();
    assertThat(rounds.counts(1)).isTrue();
    assertThat(rounds.counts(2)).isTrue();
  }
}
