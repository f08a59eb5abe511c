package dev.kv.core.recovery;

import static org.assertj.core.api.Assertions.assertThat;

import dev.kv.core.version.Version;
import dev.kv.core.version.VersionBuilder;
import dev.kv.core.version.VersionText;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class SmallTablesTest {
  private static String chosen(long bytes, String... tables) {
    return VersionText.numbers(SmallTables.choose(VersionText.version(List.of(tables)), bytes));
  }

  @Test
  void choose_fromNoTables_choosesNone() {
    assertThat(chosen(100)).isEmpty();
    assertThat(chosen(100, "+L1 7:100 a@5..c@2")).isEmpty();
  }

  @Test
  void choose_fromSmallTables_choosesAllTheNewestFirst() {
    assertThat(chosen(100, "+L0 7:100 a@5..c@5", "+L0 8:100 a@6..c@6", "+L0 9:100 a@7..c@7"))
        .isEqualTo("9 8 7");
  }

  /** At most four times as much as everything newer together, or 32 KiB with that. */
  @ParameterizedTest
  @CsvSource({
    "1000, 31768, true",
    "1000, 31769, false",
    "10000, 40000, true",
    "10000, 40001, false",
    "500000, 548576, true",
    "500000, 548577, false",
  })
  void choose_aTable_byItsSize(long newer, long size, boolean chosen) {
    assertThat(chosen(newer, "+L0 7:" + size + " a@5..c@5")).isEqualTo(chosen ? "7" : "");
  }

  @Test
  void choose_afterATableThatIsTooLarge_ends() {
    assertThat(chosen(1000, "+L0 7:100 a@5..c@5", "+L0 8:900000 a@6..c@6", "+L0 9:100 a@7..c@7"))
        .isEqualTo("9");
  }

  @Test
  void choose_addsUpWhatIsChosen() {
    assertThat(chosen(10_000, "+L0 7:200000 a@5..c@5", "+L0 8:40000 a@6..c@6")).isEqualTo("8 7");
    assertThat(chosen(10_000, "+L0 7:200001 a@5..c@5", "+L0 8:40000 a@6..c@6")).isEqualTo("8");
  }

  /** The new table would hide entries of a table that may be newer. */
  @Test
  void choose_afterATableOfUnknownAge_ends() {
    Version base = VersionText.version(List.of("+L0 7:100 a@5..c@5"));
    VersionBuilder builder = new VersionBuilder(base, "MANIFEST-test");
    builder.applyOfUnknownAge(VersionText.edit(List.of("+L0 8:100 a@6..c@6")));
    builder.apply(VersionText.edit(List.of("+L0 9:100 a@7..c@7")));
    Version version = builder.build(freed -> {});
    assertThat(VersionText.numbers(SmallTables.choose(version, 100))).isEqualTo("9");
  }
}
