package dev.kv.streams.database;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.Arrays;
import org.apache.kafka.streams.errors.ProcessorStateException;
import org.apache.kafka.streams.query.Position;
import org.junit.jupiter.api.Test;

final class PositionCodecTest {
  private static final String INPUT = "input";
  private static final int PARTITION = 3;

  /** A commit writes a Position if its bytes have changed. */
  @Test
  void encode_ofAPositionThatDidNotChange_hasTheSameBytes() {
    Position position = Position.emptyPosition();
    for (int i = 0; i < 20; i++) {
      position.withComponent("topic" + i, i % 3, i);
    }
    byte[] encoded = PositionCodec.encode(position);
    assertThat(PositionCodec.decode(encoded)).isEqualTo(position);
    assertThat(PositionCodec.encode(position)).isEqualTo(encoded);
  }

  @Test
  void decode_cutOrDamaged_isRefused() {
    byte[] encoded =
        PositionCodec.encode(Position.emptyPosition().withComponent(INPUT, PARTITION, 1));
    assertThat(PositionCodec.decode(encoded))
        .isEqualTo(Position.emptyPosition().withComponent(INPUT, PARTITION, 1));
    for (int length = 0; length < encoded.length; length++) {
      byte[] cut = Arrays.copyOf(encoded, length);
      if (length == 1) {
        assertThat(PositionCodec.decode(cut)).isEqualTo(Position.emptyPosition());
      } else {
        assertThatThrownBy(() -> PositionCodec.decode(cut))
            .isInstanceOf(ProcessorStateException.class);
      }
    }
    encoded[1] = 0x7f;
    assertThatThrownBy(() -> PositionCodec.decode(encoded))
        .isInstanceOf(ProcessorStateException.class);
    encoded[0] = 9;
    assertThatThrownBy(() -> PositionCodec.decode(encoded)).hasMessageContaining("version 9");
  }
}
