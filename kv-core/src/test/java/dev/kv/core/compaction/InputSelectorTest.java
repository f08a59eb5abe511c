package dev.kv.core.compaction;

import static org.assertj.core.api.Assertions.assertThat;

import dev.kv.core.version.FileMetadata;
import dev.kv.core.version.Version;
import dev.kv.core.version.VersionText;
import java.util.List;
import org.junit.jupiter.api.Test;

class InputSelectorTest {
  private static final List<String> TABLES =
      List.of("L1 1:10 a@9..c@8", "L1 2:10 c@7..e@6", "L1 3:10 e@5..g@4", "L1 4:10 h@3..i@2");

  /** The picked table may stand for itself in another version than the one that is searched. */
  @Test
  void boundaryFiles_ofAnEqualTableThatIsAnotherObject_goAlong() {
    Version version = VersionText.version(TABLES);
    FileMetadata twin = VersionText.version(TABLES).file(1, 0);
    assertThat(twin).isNotSameAs(version.file(1, 0));
    InputSelector selector = new InputSelector(version, 2 << 20);
    assertThat(selector.withBoundaryFiles(1, List.of(twin)))
        .containsExactly(twin, version.file(1, 1), version.file(1, 2));
    FileMetadata last = VersionText.version(TABLES).file(1, 3);
    assertThat(selector.withBoundaryFiles(1, List.of(last))).containsExactly(last);
  }
}
