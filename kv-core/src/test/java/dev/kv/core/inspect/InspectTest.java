package dev.kv.core.inspect;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.kv.core.env.FileName;
import dev.kv.core.log.LogEnd;
import dev.kv.core.table.inspect.TableInspector;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;

final class InspectTest {
  @Test
  void enums_ofTheTools_nameWhatTheEngineNames() {
    assertThat(names(DatabaseFile.Kind.values())).isEqualTo(names(FileName.Kind.values()));
    assertThat(names(RecordReader.End.values())).isEqualTo(names(LogEnd.values()));
    assertThat(names(TableContents.Role.values())).isEqualTo(names(TableInspector.Role.values()));
  }

  @Test
  void parse_namesOfFiles_tellKindAndNumber() {
    assertThat(DatabaseFile.parse("000012.ldb"))
        .isEqualTo(new DatabaseFile(DatabaseFile.Kind.TABLE, 12));
    assertThat(DatabaseFile.parse("MANIFEST-000003"))
        .isEqualTo(new DatabaseFile(DatabaseFile.Kind.MANIFEST, 3));
    assertThat(DatabaseFile.parse("notes.txt")).isNull();
  }

  @Test
  void batch_putAndDelete_areReadInTheirOrder() {
    byte[] encoded = {7, 0, 0, 0, 0, 0, 0, 0, 2, 0, 0, 0, 1, 1, 'a', 2, 'v', 'w', 0, 1, 'b'};
    BatchRecord batch = BatchRecord.of(encoded);
    assertThat(batch.hasHeader()).isTrue();
    assertThat(batch.sequence()).isEqualTo(7);
    assertThat(batch.count()).isEqualTo(2);
    assertThat(batch.next()).isTrue();
    assertThat(batch.isPut()).isTrue();
    assertThat(batch.key()).containsExactly('a');
    assertThat(batch.value()).containsExactly('v', 'w');
    assertThat(batch.next()).isTrue();
    assertThat(batch.isPut()).isFalse();
    assertThat(batch.key()).containsExactly('b');
    assertThat(batch.value()).isEmpty();
    assertThat(batch.next()).isFalse();
  }

  @Test
  void batch_lengthOutsideOfIt_isRefused() {
    BatchRecord batch = BatchRecord.of(new byte[] {7, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 9, 'a'});
    assertThatThrownBy(batch::next).isInstanceOf(IllegalArgumentException.class);
    assertThat(BatchRecord.of(new byte[11]).hasHeader()).isFalse();
  }

  private static List<String> names(Enum<?>[] values) {
    return Arrays.stream(values).map(Enum::name).toList();
  }
}
