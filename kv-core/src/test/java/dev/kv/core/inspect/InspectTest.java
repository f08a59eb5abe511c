package dev.kv.core.inspect;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.kv.bytes.DBComparator;
import dev.kv.core.Bytes;
import dev.kv.core.EnvFiles;
import dev.kv.core.env.FileName;
import dev.kv.core.log.LogEnd;
import dev.kv.env.Env;
import dev.kv.errors.CorruptionException;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;

final class InspectTest {
  @Test
  void enums_ofTheTools_nameWhatTheEngineNames() {
    assertThat(names(DatabaseFile.Kind.values())).isEqualTo(names(FileName.Kind.values()));
    assertThat(names(RecordReader.End.values())).isEqualTo(names(LogEnd.values()));
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
    assertThat(batch.length()).isEqualTo(encoded.length);
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
    BatchRecord empty = BatchRecord.of(new byte[12]);
    assertThat(empty.hasHeader()).isTrue();
    assertThat(empty.next()).isFalse();
  }

  @Test
  void paths_ofNumberedFiles_haveTheNamesThatParseReads() {
    Path directory = Path.of("/db");
    assertThat(DatabaseFile.log(directory, 3)).isEqualTo(directory.resolve("000003.log"));
    assertThat(DatabaseFile.table(directory, 4)).isEqualTo(directory.resolve("000004.ldb"));
    assertThat(DatabaseFile.oldTable(directory, 4)).isEqualTo(directory.resolve("000004.sst"));
    assertThat(DatabaseFile.manifest(directory, 5)).isEqualTo(directory.resolve("MANIFEST-000005"));
    assertThat(DatabaseFile.parse("000004.sst"))
        .isEqualTo(new DatabaseFile(DatabaseFile.Kind.TABLE, 4));
  }

  @Test
  void currentManifest_isTheNameInCurrent() throws IOException {
    Env env = Env.inMemory();
    Path directory = Path.of("/db");
    env.createDirectory(directory);
    EnvFiles.write(env, directory.resolve("CURRENT"), Bytes.bytes("MANIFEST-000005\n"));
    assertThat(DatabaseFile.currentManifest(env, directory)).isEqualTo("MANIFEST-000005");
    EnvFiles.write(env, directory.resolve("CURRENT"), Bytes.bytes("MANIFEST-000005"));
    assertThatThrownBy(() -> DatabaseFile.currentManifest(env, directory))
        .isInstanceOf(CorruptionException.class);
  }

  /** Returns a stored key: user key, and then the kind in one byte and the sequence number. */
  private static byte[] stored(char userKey, int kind, int sequence) {
    return new byte[] {(byte) userKey, (byte) kind, (byte) sequence, 0, 0, 0, 0, 0, 0};
  }

  @Test
  void storedKey_parts_areReadFromIt() {
    byte[] put = stored('k', 1, 7);
    assertThat(StoredKey.isWellFormed(put)).isTrue();
    assertThat(StoredKey.userKey(put)).containsExactly('k');
    assertThat(StoredKey.sequence(put)).isEqualTo(7);
    assertThat(StoredKey.isTombstone(put)).isFalse();
    assertThat(StoredKey.isTombstone(stored('k', 0, 7))).isTrue();
    assertThat(StoredKey.describe(put)).isEqualTo("'k' @ 7 : 1");
  }

  @Test
  void storedKey_tooShortOrOfAnUnknownKind_isNotWellFormed() {
    assertThat(StoredKey.isWellFormed(new byte[StoredKey.TAG_BYTES - 1])).isFalse();
    assertThat(StoredKey.isWellFormed(stored('k', 9, 7))).isFalse();
    assertThat(StoredKey.describe(new byte[] {'x'})).isEqualTo("(bad)x");
  }

  @Test
  void storedKeys_order_isByUserKeyAndThenTheNewestFirst() {
    StoredKey.Order order = new StoredKey.Order(DBComparator.bytewise());
    assertThat(order.compare(stored('a', 1, 1), stored('b', 1, 9))).isNegative();
    assertThat(order.compare(stored('b', 1, 1), stored('a', 1, 9))).isPositive();
    assertThat(order.compare(stored('a', 1, 9), stored('a', 1, 1))).isNegative();
    assertThat(order.compare(stored('a', 1, 1), stored('a', 1, 9))).isPositive();
    assertThat(order.compareUserKeys(stored('a', 1, 1), stored('a', 1, 9))).isZero();
    assertThat(order.compareUserKeys(stored('a', 1, 1), stored('b', 1, 1))).isNegative();
    assertThat(order.userKeys().compare(new byte[] {1}, new byte[] {2})).isNegative();
    assertThat(order.userKeys().compare(new byte[] {2}, new byte[] {1})).isPositive();
  }

  private static List<String> names(Enum<?>[] values) {
    return Arrays.stream(values).map(Enum::name).toList();
  }
}
