package dev.kv.core.table;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.kv.DBIterator;
import dev.kv.Options;
import dev.kv.ReadOptions;
import dev.kv.core.db.DbTestBase;
import dev.kv.core.env.FileName;
import dev.kv.errors.CorruptionException;
import dev.kv.options.CompressionType;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** A damaged value in a table, which nothing but the block's checksum tells from a good one. */
class ChecksumTest extends DbTestBase {
  private static final String VALUE = "v".repeat(64);

  @BeforeEach
  void damageAValue() throws IOException {
    Options plain =
        Options.builder().createIfMissing(true).compression(CompressionType.NONE).build();
    open(plain);
    put("a", VALUE);
    put("b", VALUE);
    db.admin().flush();
    put("a", VALUE);
    db.admin().flush();
    close();
    Path table = directory.resolve(files(FileName.Kind.TABLE).get(0));
    byte[] bytes = Files.readAllBytes(table);
    int at = 0;
    while (bytes[at] != 'v') {
      at++;
    }
    bytes[at] = 'w';
    Files.write(table, bytes);
    open(plain);
  }

  @Test
  void get_damagedValue_isCorruption() {
    assertThatThrownBy(() -> get("b")).isInstanceOf(CorruptionException.class);
    assertThat(get("a")).isEqualTo(VALUE);
  }

  @Test
  void iterator_damagedValue_isCorruption() {
    try (DBIterator cursor = db.iterator()) {
      assertThatThrownBy(cursor::seekToFirst).isInstanceOf(CorruptionException.class);
      assertThat(cursor.isValid()).isFalse();
    }
  }

  /** Merged into a new table, the damage would get a good checksum. */
  @Test
  void compact_damagedValue_isRefused() {
    assertThatThrownBy(() -> compact(null, null)).isInstanceOf(CorruptionException.class);
    assertThatThrownBy(() -> get("b")).isInstanceOf(CorruptionException.class);
  }

  /** The compaction takes blocks from the cache. */
  @Test
  void compact_damagedValueThatWasReadUnverified_isRefused() {
    ReadOptions unverified = ReadOptions.builder().verifyChecksums(false).build();
    assertThat(db.get(unverified, "b".getBytes(UTF_8))).isEqualTo(VALUE.getBytes(UTF_8));
    assertThatThrownBy(() -> compact(null, null)).isInstanceOf(CorruptionException.class);
    assertThatThrownBy(() -> get("b")).isInstanceOf(CorruptionException.class);
  }
}
