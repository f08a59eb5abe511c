package dev.kv.tools.verify;

import static org.assertj.core.api.Assertions.assertThat;

import dev.kv.errors.UnsupportedFormatException;
import java.util.List;
import org.junit.jupiter.api.Test;

class VerdictTest {
  private static final Finding NOTE = Finding.note("f", 0, "note");
  private static final Finding DAMAGE = Finding.damage("f", 0, "damage");
  private static final Finding UNSUPPORTED =
      Finding.unsupported("f", 0, new UnsupportedFormatException("of RocksDB"));

  @Test
  void verdict_ofFindings_isThatOfTheGravest() {
    assertThat(Verdict.of(List.of())).isEqualTo(Verdict.WHOLE);
    assertThat(Verdict.of(List.of(NOTE))).isEqualTo(Verdict.WHOLE);
    assertThat(Verdict.of(List.of(DAMAGE, NOTE))).isEqualTo(Verdict.DAMAGED);
    assertThat(Verdict.of(List.of(UNSUPPORTED, DAMAGE))).isEqualTo(Verdict.UNSUPPORTED);
  }
}
