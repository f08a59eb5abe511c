package dev.kv.streams;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.kv.DB;
import dev.kv.Options;
import dev.kv.ReadOptions;
import dev.kv.errors.CorruptionException;
import dev.kv.options.CompressionType;
import dev.kv.streams.database.StoreDatabase;
import dev.kv.streams.database.StoreKind.Structure;
import dev.kv.streams.database.StoreKind.Values;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Iterator;
import java.util.List;
import java.util.stream.Stream;
import org.apache.kafka.common.utils.Bytes;
import org.apache.kafka.streams.errors.ProcessorStateException;
import org.apache.kafka.streams.processor.StateStore;
import org.apache.kafka.streams.state.KeyValueIterator;
import org.apache.kafka.streams.state.KeyValueStore;
import org.apache.kafka.streams.state.VersionedRecordIterator;
import org.apache.kafka.streams.state.WindowStore;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** A scan of a store with a damaged block shows the entries before it, and then always fails. */
class DamagedStoreTest {
  private static final int ENTRIES = 400;
  private static final byte[] VALUE = new byte[100];

  @TempDir private Path directory;

  private void init(StateStore store) {
    store.init(new TestContext(directory), store);
  }

  private static Bytes key(int number) {
    return Bytes.wrap(("key" + (1000 + number)).getBytes());
  }

  /**
   * Closes a store, damages a block in the middle of its data, and opens it again.
   *
   * @return the number of entries before the damage
   */
  private int damage(StateStore store, boolean forward) throws IOException {
    store.close();
    Path database = directory.resolve("kv").resolve("store");
    Options options = Options.builder().compression(CompressionType.NONE).build();
    try (DB db = DB.open(database, options)) {
      db.admin().compactRange(null, null);
    }
    try (Stream<Path> files = Files.list(database)) {
      List<Path> tables = files.filter(file -> file.toString().endsWith(".ldb")).toList();
      assertThat(tables).hasSize(1);
      byte[] bytes = Files.readAllBytes(tables.get(0));
      bytes[bytes.length / 2] ^= 1;
      Files.write(tables.get(0), bytes);
    }
    int[] count = {0};
    ReadOptions data =
        ReadOptions.withPrefix(new byte[] {StoreDatabase.DATA}).toBuilder()
            .descending(!forward)
            .build();
    try (DB db = DB.open(database, options)) {
      assertThatThrownBy(() -> db.forEach(data, (key, value) -> count[0]++))
          .isInstanceOf(CorruptionException.class);
    }
    assertThat(count[0]).isBetween(ENTRIES / 4, ENTRIES * 3 / 4);
    init(store);
    return count[0];
  }

  private static void assertShowsEntriesBeforeTheDamage(Iterator<?> entries, int expected) {
    for (int i = 0; i < expected; i++) {
      assertThat(entries.next()).as("entry %d of %d", i, expected).isNotNull();
    }
    for (int i = 0; i < 2; i++) {
      assertThatThrownBy(entries::hasNext).isInstanceOf(ProcessorStateException.class);
      assertThatThrownBy(entries::next).isInstanceOf(ProcessorStateException.class);
    }
  }

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void keyValueStore_showsEntriesBeforeTheDamage(boolean forward) throws IOException {
    KeyValueStore<Bytes, byte[]> store = KvStores.keyValue("store").get();
    init(store);
    for (int i = 0; i < ENTRIES; i++) {
      store.put(key(i), VALUE);
    }
    int expected = damage(store, forward);
    try (KeyValueIterator<Bytes, byte[]> entries = forward ? store.all() : store.reverseAll()) {
      assertShowsEntriesBeforeTheDamage(entries, expected);
      assertThatThrownBy(entries::peekNextKey).isInstanceOf(ProcessorStateException.class);
    } finally {
      store.close();
    }
  }

  @ParameterizedTest
  @CsvSource({"WINDOW, true", "WINDOW, false", "WINDOW_BY_TIME, true", "WINDOW_BY_TIME, false"})
  void windowStore_showsEntriesBeforeTheDamage(Structure structure, boolean forward)
      throws IOException {
    WindowStore<Bytes, byte[]> store =
        KvStores.windowStore(
                "store",
                Duration.ofMinutes(2),
                Duration.ofMillis(10),
                false,
                structure,
                Values.PLAIN)
            .get();
    init(store);
    for (int i = 0; i < ENTRIES; i++) {
      store.put(key(i), VALUE, i);
    }
    int expected = damage(store, forward);
    if (structure == Structure.WINDOW_BY_TIME) {
      expected = readable(store, forward); // each entry is read for itself
    }
    try (KeyValueIterator<?, byte[]> entries = forward ? store.all() : store.backwardAll()) {
      assertShowsEntriesBeforeTheDamage(entries, expected);
      assertThatThrownBy(entries::peekNextKey).isInstanceOf(ProcessorStateException.class);
    } finally {
      store.close();
    }
  }

  /** Returns the number of entries before the first that cannot be read. */
  private static int readable(WindowStore<Bytes, byte[]> store, boolean forward) {
    int count = 0;
    try {
      while (count < ENTRIES) {
        int number = forward ? count : ENTRIES - 1 - count;
        assertThat(store.fetch(key(number), number)).isEqualTo(VALUE);
        count++;
      }
    } catch (ProcessorStateException e) {
      assertThat(e).hasCauseInstanceOf(CorruptionException.class);
    }
    return count;
  }

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void versionedStore_showsVersionsBeforeTheDamage(boolean ascending) throws IOException {
    KvVersionedStore store =
        (KvVersionedStore) KvStores.versionedKeyValue("store", Duration.ofMinutes(2)).get();
    init(store);
    for (int i = 0; i < ENTRIES; i++) {
      store.put(key(0), VALUE, i);
    }
    // The latest version is the first entry. The end of a version is the time of the entry before.
    int expected = ascending ? damage(store, false) - 1 : damage(store, true);
    try (VersionedRecordIterator<byte[]> versions = store.versions(key(0), 0, ENTRIES, ascending)) {
      assertShowsEntriesBeforeTheDamage(versions, expected);
    } finally {
      store.close();
    }
  }
}
