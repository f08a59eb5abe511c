package dev.kv.core.read;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.kv.DBIterator;
import dev.kv.Entries;
import dev.kv.ReadOptions;
import dev.kv.core.db.DbTestBase;
import dev.kv.core.env.FileName;
import dev.kv.errors.CorruptionException;
import dev.kv.map.Codecs;
import dev.kv.map.DBMap;
import dev.kv.options.CompressionType;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Iterator;
import java.util.Map;
import java.util.NavigableMap;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A scan of a table with a damaged block shows the entries before it, and then always fails. */
class DamagedScanTest extends DbTestBase {
  private static final int ENTRIES = 400;

  @BeforeEach
  void fill() throws IOException {
    open(options.toBuilder().compression(CompressionType.NONE).build());
    for (int i = 0; i < ENTRIES; i++) {
      put(key(i), "v".repeat(100));
    }
    db.admin().flush();
    close();
    Path table = directory.resolve(files(FileName.Kind.TABLE).get(0));
    byte[] bytes = Files.readAllBytes(table);
    bytes[bytes.length / 2] ^= 1;
    Files.write(table, bytes);
    open();
  }

  /** Returns the number of entries that a scan without iterator shows. */
  private int shown(ReadOptions read) {
    int[] count = {0};
    assertThatThrownBy(() -> db.forEach(read, (key, value) -> count[0]++))
        .isInstanceOf(CorruptionException.class);
    assertThat(count[0]).isBetween(ENTRIES / 4, ENTRIES * 3 / 4);
    return count[0];
  }

  private static void requireEntriesBeforeTheDamage(Iterator<?> entries, int expected) {
    for (int i = 0; i < expected; i++) {
      assertThat(entries.next()).as("entry %d of %d", i, expected).isNotNull();
    }
    for (int i = 0; i < 2; i++) {
      assertThatThrownBy(entries::hasNext).isInstanceOf(CorruptionException.class);
      assertThatThrownBy(entries::next).isInstanceOf(CorruptionException.class);
    }
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void entries_beforeADamagedBlock_areAllShown(boolean descending) {
    ReadOptions read = ReadOptions.builder().descending(descending).build();
    try (Entries entries = db.entries(read)) {
      requireEntriesBeforeTheDamage(entries.iterator(), shown(read));
    }
  }

  @Test
  void asIterator_beforeADamagedBlock_showsAllEntries() {
    try (DBIterator cursor = db.iterator()) {
      requireEntriesBeforeTheDamage(cursor.asIterator(), shown(ReadOptions.DEFAULT));
    }
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void mapIterator_beforeADamagedBlock_showsAllEntries(boolean descending) {
    DBMap<byte[], byte[]> all = DBMap.of(db, Codecs.bytes(), Codecs.bytes());
    NavigableMap<byte[], byte[]> map = descending ? all.descendingMap() : all;
    int expected = shown(ReadOptions.builder().descending(descending).build());
    Iterator<Map.Entry<byte[], byte[]>> entries = map.entrySet().iterator();
    requireEntriesBeforeTheDamage(entries, expected);
  }
}
