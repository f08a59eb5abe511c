package dev.kv.core.db;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.tuple;

import dev.kv.Options;
import dev.kv.core.state.DatabaseContext;
import dev.kv.core.version.FileMetadata;
import dev.kv.core.version.VersionText;
import dev.kv.env.Env;
import dev.kv.errors.CorruptionException;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class TableUsesTest {
  private final DatabaseContext context =
      new DatabaseContext(Path.of("/db"), Options.builder().env(Env.inMemory()).build());
  private final TableUses uses = new TableUses(context);
  private final FileMetadata five = VersionText.file("5:100", "a@5..c@5");
  private final FileMetadata six = VersionText.file("6:100", "d@5..f@5");

  @AfterEach
  void close() {
    context.close();
  }

  @Test
  void tables_areUsedUntilTheLastViewIsGone() {
    assertThat(uses.unused(List.of(five, six))).containsExactly(five, six);
    uses.add(List.of(five));
    assertThat(uses.unused(List.of(five, six))).containsExactly(six);
    uses.add(List.of(five, six));
    assertThat(uses.unused(List.of(five, six))).isEmpty();
    uses.remove(List.of(five));
    assertThat(uses.unused(List.of(five, six))).isEmpty();
    uses.remove(List.of(five, six));
    assertThat(uses.unused(List.of(five, six))).containsExactly(five, six);
  }

  /** Each read of a MANIFEST makes metadata of its own. */
  @Test
  void tableThatIsReadAgain_isTheSame() {
    uses.add(List.of(five));
    uses.add(List.of(VersionText.file("5:100", "a@5..c@5")));
    uses.remove(List.of(five));
    assertThat(uses.unused(List.of(five))).isEmpty();
  }

  /** Only the first view that uses a table reads its true size from the directory. */
  @Test
  void tableOfIq80ThatIsReadAgain_hasTheSizeThatWasFound() {
    uses.add(List.of(five));
    FileMetadata again = VersionText.file("5:104", "a@5..c@5");
    assertThat(uses.correctSizes(List.of(five, six))).isEmpty();
    assertThat(uses.correctSizes(List.of(again, six)))
        .extracting(FileMetadata::number, FileMetadata::size)
        .containsExactly(tuple(5L, 100L));
    uses.add(uses.correctSizes(List.of(again)));
  }

  @Test
  void tableWithTheNumberOfAnother_isRefusedAndNothingIsAdded() {
    uses.add(List.of(five));
    for (String[] other :
        new String[][] {
          {"5:101", "a@5..c@5"}, {"5:100", "b@5..c@5"}, {"5:100", "a@5..d@5"}, {"5:100", "a@6..c@5"}
        }) {
      FileMetadata replaced = VersionText.file(other[0], other[1]);
      assertThatThrownBy(() -> uses.add(List.of(six, replaced)))
          .isInstanceOf(CorruptionException.class)
          .hasMessageContaining("table 5 is another one than before");
      assertThat(uses.unused(List.of(six))).containsExactly(six);
    }
  }
}
