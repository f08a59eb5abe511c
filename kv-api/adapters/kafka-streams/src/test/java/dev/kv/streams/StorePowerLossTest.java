package dev.kv.streams;

import static dev.kv.streams.TestContext.CHANGELOG;
import static dev.kv.streams.TestContext.PARTITION;
import static org.apache.kafka.streams.state.VersionedKeyValueStore.PUT_RETURN_CODE_NOT_PUT;
import static org.assertj.core.api.Assertions.assertThat;

import dev.kv.env.Env;
import dev.kv.streams.database.StoreKind;
import dev.kv.streams.database.StoreKind.Structure;
import dev.kv.streams.database.StoreKind.Values;
import dev.kv.streams.database.TimedKey;
import dev.kv.testing.StrictMemEnv;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Random;
import java.util.TreeMap;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.header.internals.RecordHeaders;
import org.apache.kafka.common.record.TimestampType;
import org.apache.kafka.common.utils.Bytes;
import org.apache.kafka.streams.KeyValue;
import org.apache.kafka.streams.kstream.Windowed;
import org.apache.kafka.streams.state.KeyValueIterator;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Simulates loss of power under at-least-once, where nothing is synced. What is found is the state
 * after some record of the changelog, at or after the committed offset. So restoring from that
 * offset gives the state of the whole changelog.
 */
class StorePowerLossTest {
  private static final Path DIRECTORY = Path.of("/power-loss");
  private static final TopicPartition PARTITION_OF_CHANGELOG =
      new TopicPartition(CHANGELOG, PARTITION);
  private static final int RECORDS = 400;
  private static final int CRASH_EVERY = 50;
  private static final int VERSIONED_KEYS = 10;
  private static final long VERSION_INTERVAL = 5_000;
  private static final long HISTORY_RETENTION = 120_000;
  private static final int[] PERCENT_KEPT = {0, 20, 60, 100};

  private final StrictMemEnv disk = new StrictMemEnv();
  private final List<ConsumerRecord<byte[], byte[]>> changelog = new ArrayList<>();

  /** The states after each number of records. */
  private final List<Map<Bytes, String>> states = new ArrayList<>(List.of(Map.of()));

  /** The offset that Streams has in its file {@code .checkpoint}, or null if there is no file. */
  private @Nullable Long checkpoint;

  private int offsetsFound;

  private void append(byte[] key, @Nullable String value) {
    byte[] bytes = value == null ? null : value.getBytes();
    changelog.add(new ConsumerRecord<>(CHANGELOG, PARTITION, changelog.size(), key, bytes));
    Map<Bytes, String> state = new TreeMap<>(states.get(states.size() - 1));
    if (value == null) {
      state.remove(Bytes.wrap(key));
    } else {
      state.put(Bytes.wrap(key), value);
    }
    states.add(state);
  }

  @ParameterizedTest
  @ValueSource(longs = {11, 12, 13})
  void keyValueStore_afterLossOfPower_isNeverBehindItsOffset(long seed) {
    Random random = new Random(seed);
    KvKeyValueStore store = open(disk);
    for (int i = 0; i < RECORDS; i++) {
      Bytes key = Bytes.wrap(("key" + random.nextInt(40)).getBytes());
      String value = random.nextInt(4) == 0 ? null : "v" + i + "x".repeat(random.nextInt(500));
      store.put(key, value == null ? null : value.getBytes());
      append(key.get(), value);
      if (random.nextInt(10) == 0) {
        store.commit(Map.of(PARTITION_OF_CHANGELOG, (long) i));
      }
      if (i % CRASH_EVERY == 0) {
        for (int percent : PERCENT_KEPT) {
          crash(percent, random.nextLong(), "seed " + seed + ", record " + i + ", " + percent);
        }
      }
    }
    store.close();
    assertThat(offsetsFound).as("crashes that kept an offset, seed " + seed).isGreaterThan(5);
  }

  /**
   * With {@code upgrade.from}, Streams writes the offsets to a file and syncs it when the store is
   * closed, and commits them to the store after the next open.
   */
  @ParameterizedTest
  @ValueSource(longs = {14, 15})
  void keyValueStore_afterLossOfPower_isNotMovedToTheOffsetOfACheckpointFile(long seed) {
    Random random = new Random(seed);
    for (int i = 0; i < RECORDS; ) {
      KvKeyValueStore store = open(disk);
      for (int next = i + CRASH_EVERY; i < next; i++) {
        Bytes key = Bytes.wrap(("key" + random.nextInt(40)).getBytes());
        String value = "v" + i;
        store.put(key, value.getBytes());
        append(key.get(), value);
      }
      checkpoint = i - 1L;
      store.commit(Map.of(PARTITION_OF_CHANGELOG, checkpoint));
      store.close();
      for (int percent : PERCENT_KEPT) {
        crash(percent, random.nextLong(), "seed " + seed + ", record " + i + ", " + percent);
      }
    }
    assertThat(offsetsFound).as("crashes that kept an offset, seed " + seed).isGreaterThan(5);
  }

  private static KvKeyValueStore open(Env env) {
    KvKeyValueStore store = new KvKeyValueStore("store", Values.PLAIN, env);
    store.init(new TestContext(DIRECTORY), store);
    return store;
  }

  private void crash(int percent, long seed, String what) {
    KvKeyValueStore found =
        new KvKeyValueStore("store", Values.PLAIN, disk.crashClone(percent, seed));
    TestContext context = new TestContext(DIRECTORY);
    found.init(context, found);
    try {
      if (checkpoint != null) {
        found.commit(Map.of(PARTITION_OF_CHANGELOG, checkpoint));
      }
      Long offset = found.committedOffset(PARTITION_OF_CHANGELOG);
      int next = offset == null ? 0 : Math.toIntExact(offset) + 1;
      offsetsFound += offset == null ? 0 : 1;
      Map<Bytes, String> state = contents(found);
      assertThat(states.subList(next, states.size())).as(what).contains(state);

      context.restore(changelog.subList(next, changelog.size()));
      assertThat(contents(found)).as(what).isEqualTo(states.get(states.size() - 1));
    } finally {
      found.close();
    }
  }

  private static Map<Bytes, String> contents(KvKeyValueStore store) {
    Map<Bytes, String> contents = new TreeMap<>();
    try (KeyValueIterator<Bytes, byte[]> entries = store.all()) {
      while (entries.hasNext()) {
        KeyValue<Bytes, byte[]> entry = entries.next();
        contents.put(entry.key, new String(entry.value));
      }
    }
    return contents;
  }

  @ParameterizedTest
  @ValueSource(longs = {21, 22})
  void windowStore_afterLossOfPower_restoresToTheStateOfTheChangelog(long seed) {
    Random random = new Random(seed);
    KvWindowStore store = window(disk, new TestContext(DIRECTORY));
    for (int i = 0; i < RECORDS; i++) {
      Bytes key = Bytes.wrap(("key" + random.nextInt(20)).getBytes());
      long time = i * 5_000L;
      String value = "v" + i;
      store.put(key, value.getBytes(), time);
      append(TimedKey.window(key.get(), time, 0), value);
      if (random.nextInt(10) == 0) {
        store.commit(Map.of(PARTITION_OF_CHANGELOG, (long) i));
      }
      if (i % CRASH_EVERY == 0) {
        for (int percent : PERCENT_KEPT) {
          crashWindows(store, percent, random.nextLong(), "seed " + seed + ", record " + i);
        }
      }
    }
    assertThat(offsetsFound).as("crashes that kept an offset, seed " + seed).isGreaterThan(5);
    store.close();
  }

  private static KvWindowStore window(Env env, TestContext context) {
    StoreKind kind = new StoreKind(Structure.WINDOW_BY_TIME, Values.PLAIN);
    KvWindowStore store =
        new KvWindowStore(new WindowSupplier("windows", kind, 120_000, 10, false), env);
    store.init(context, store);
    return store;
  }

  private void crashWindows(KvWindowStore before, int percent, long seed, String what) {
    TestContext context = new TestContext(DIRECTORY);
    KvWindowStore found = window(disk.crashClone(percent, seed), context);
    try {
      Long offset = found.committedOffset(PARTITION_OF_CHANGELOG);
      int next = Objects.requireNonNullElse(offset, -1L).intValue() + 1;
      offsetsFound += offset == null ? 0 : 1;
      // The last record is restored in any case, because it tells what is expired.
      next = Math.min(next, changelog.size() - 1);
      context.restore(changelog.subList(next, changelog.size()));
      assertThat(windows(found.all())).as(what).isEqualTo(windows(before.all()));
      // The first reads the index, the second the entries.
      Bytes last = Bytes.wrap(new byte[] {-1});
      assertThat(windows(found.fetchAll(0, Long.MAX_VALUE)))
          .as(what)
          .isEqualTo(windows(found.fetch(null, last, 0, Long.MAX_VALUE)));
    } finally {
      found.close();
    }
  }

  private static Map<String, String> windows(KeyValueIterator<Windowed<Bytes>, byte[]> entries) {
    Map<String, String> windows = new TreeMap<>();
    try (entries) {
      while (entries.hasNext()) {
        KeyValue<Windowed<Bytes>, byte[]> entry = entries.next();
        windows.put(entry.key.toString(), new String(entry.value));
      }
    }
    return windows;
  }

  @ParameterizedTest
  @ValueSource(longs = {31, 32})
  void versionedStore_afterLossOfPower_restoresToTheStateOfTheChangelog(long seed) {
    Random random = new Random(seed);
    KvVersionedStore store = versioned(disk, new TestContext(DIRECTORY));
    for (int i = 0; i < RECORDS; i++) {
      Bytes key = versionedKey(random.nextInt(VERSIONED_KEYS));
      long time = i * VERSION_INTERVAL - random.nextInt(50_000);
      byte[] value = random.nextInt(4) == 0 ? null : ("v" + i).getBytes();
      if (time < 0 || store.put(key, value, time) == PUT_RETURN_CODE_NOT_PUT) {
        time = i * VERSION_INTERVAL;
        store.put(key, value, time);
      }
      changelog.add(versionedRecord(changelog.size(), time, key.get(), value));
      if (random.nextInt(10) == 0) {
        store.commit(Map.of(PARTITION_OF_CHANGELOG, (long) i));
      }
      if (i % CRASH_EVERY == 0) {
        for (int percent : PERCENT_KEPT) {
          crashVersions(store, percent, random.nextLong(), "seed " + seed + ", record " + i);
        }
      }
    }
    store.close();
    assertThat(offsetsFound).as("crashes that kept an offset, seed " + seed).isGreaterThan(5);
  }

  private static KvVersionedStore versioned(Env env, TestContext context) {
    KvVersionedStore store =
        new KvVersionedStore(new VersionedSupplier("versions", HISTORY_RETENTION, 60_000), env);
    store.init(context, store);
    return store;
  }

  private static Bytes versionedKey(int number) {
    return Bytes.wrap(("key" + number).getBytes());
  }

  private static ConsumerRecord<byte[], byte[]> versionedRecord(
      long offset, long time, byte[] key, byte @Nullable [] value) {
    return new ConsumerRecord<>(
        CHANGELOG,
        PARTITION,
        offset,
        time,
        TimestampType.CREATE_TIME,
        ConsumerRecord.NULL_SIZE,
        ConsumerRecord.NULL_SIZE,
        key,
        value,
        new RecordHeaders(),
        Optional.empty());
  }

  private void crashVersions(KvVersionedStore before, int percent, long seed, String what) {
    TestContext context = new TestContext(DIRECTORY);
    KvVersionedStore found = versioned(disk.crashClone(percent, seed), context);
    try {
      Long offset = found.committedOffset(PARTITION_OF_CHANGELOG);
      offsetsFound += offset == null ? 0 : 1;
      int next = Objects.requireNonNullElse(offset, -1L).intValue() + 1;
      context.restore(changelog.subList(next, changelog.size()));
      long last = changelog.stream().mapToLong(ConsumerRecord::timestamp).max().orElseThrow();
      for (int i = 0; i < VERSIONED_KEYS; i++) {
        Bytes key = versionedKey(i);
        assertThat(found.get(key)).as(what).isEqualTo(before.get(key));
        for (long time = last; time >= last - HISTORY_RETENTION; time -= VERSION_INTERVAL / 2) {
          assertThat(found.get(key, time))
              .as("%s, %s at %s", what, key, time)
              .isEqualTo(before.get(key, time));
        }
      }
    } finally {
      found.close();
    }
  }
}
