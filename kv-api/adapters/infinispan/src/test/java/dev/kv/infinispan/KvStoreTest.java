package dev.kv.infinispan;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.mockito.ArgumentMatchers.any;
import static org.mockito.Mockito.doAnswer;
import static org.mockito.Mockito.doThrow;
import static org.mockito.Mockito.mock;
import static org.mockito.Mockito.never;
import static org.mockito.Mockito.spy;
import static org.mockito.Mockito.verify;
import static org.mockito.Mockito.when;

import dev.kv.DB;
import dev.kv.DBIterator;
import dev.kv.Options;
import dev.kv.ReadOnlyDB;
import dev.kv.admin.DBAdmin;
import dev.kv.errors.DBIOException;
import dev.kv.errors.DBReadOnlyException;
import dev.kv.errors.OffHeapExhaustedException;
import dev.kv.infinispan.configuration.KvStoreConfiguration;
import dev.kv.infinispan.configuration.KvStoreConfigurationBuilder;
import dev.kv.options.CompressionType;
import io.reactivex.rxjava3.core.Flowable;
import jakarta.transaction.RollbackException;
import jakarta.transaction.TransactionManager;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.infinispan.Cache;
import org.infinispan.commons.CacheConfigurationException;
import org.infinispan.commons.test.TestResourceTracker;
import org.infinispan.commons.time.ControlledTimeService;
import org.infinispan.commons.time.TimeService;
import org.infinispan.commons.util.IntSet;
import org.infinispan.commons.util.IntSets;
import org.infinispan.configuration.cache.CacheMode;
import org.infinispan.configuration.cache.Configuration;
import org.infinispan.configuration.cache.ConfigurationBuilder;
import org.infinispan.configuration.global.GlobalConfiguration;
import org.infinispan.configuration.global.GlobalConfigurationBuilder;
import org.infinispan.configuration.parsing.ParserRegistry;
import org.infinispan.manager.DefaultCacheManager;
import org.infinispan.manager.EmbeddedCacheManager;
import org.infinispan.metadata.EmbeddedMetadata;
import org.infinispan.metadata.Metadata;
import org.infinispan.persistence.spi.MarshallableEntry;
import org.infinispan.persistence.spi.MarshallableEntryFactory;
import org.infinispan.persistence.spi.NonBlockingStore;
import org.infinispan.persistence.spi.NonBlockingStore.SegmentedPublisher;
import org.infinispan.persistence.support.WaitNonBlockingStore;
import org.infinispan.test.TestingUtil;
import org.infinispan.test.fwk.TestCacheManagerFactory;
import org.infinispan.transaction.LockingMode;
import org.infinispan.transaction.TransactionMode;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.reactivestreams.Publisher;
import org.reactivestreams.Subscriber;

class KvStoreTest {
  private static final IntSet ALL = IntSets.immutableRangeSet(256);

  private static final Consumer<ConfigurationBuilder> NO_STATE_TRANSFER =
      cache -> cache.clustering().stateTransfer().fetchInMemoryState(false);

  @TempDir Path temp;

  private final ControlledTimeService time = new ControlledTimeService();
  private EmbeddedCacheManager manager;

  @AfterEach
  void stopManager() {
    if (manager != null) {
      manager.stop();
    }
  }

  private Cache<String, String> cache(String name) {
    return cache(name, store -> {}, cache -> {});
  }

  private Cache<String, String> cache(
      String name,
      Consumer<KvStoreConfigurationBuilder> store,
      Consumer<ConfigurationBuilder> cache) {
    if (manager == null) {
      GlobalConfigurationBuilder global = new GlobalConfigurationBuilder().nonClusteredDefault();
      global.globalState().enable().persistentLocation(temp.toString());
      manager = new DefaultCacheManager(global.build());
      TestingUtil.replaceComponent(manager, TimeService.class, time, true);
    }
    ConfigurationBuilder builder = new ConfigurationBuilder();
    store.accept(builder.persistence().addStore(KvStoreConfigurationBuilder.class));
    cache.accept(builder);
    manager.defineConfiguration(name, builder.build());
    return manager.getCache(name);
  }

  private static <T> T join(CompletionStage<T> stage) {
    return stage.toCompletableFuture().orTimeout(30, TimeUnit.SECONDS).join();
  }

  private static WaitNonBlockingStore<String, String> storeOf(Cache<String, String> cache) {
    return TestingUtil.getFirstStoreWait(cache);
  }

  private Path directory(String name) {
    return temp.resolve(name).resolve("kv");
  }

  /** Returns the number of entries and of entries of the index in the files of a store. */
  private int[] keys(String name) {
    int[] counts = new int[2];
    try (ReadOnlyDB db = DB.openReadOnly(directory(name), Options.DEFAULT);
        DBIterator cursor = db.iterator()) {
      for (cursor.seek(EntryFormat.start()); cursor.isValid(); cursor.next()) {
        counts[EntryFormat.isIndex(cursor.keySlice()) ? 1 : 0]++;
      }
    }
    return counts;
  }

  @Test
  void entries_areThereAfterARestart() {
    Cache<String, String> cache = cache("people");
    cache.put("ada", "1815");
    cache.put("alan", "1912");
    cache.remove("alan");
    manager.stop();
    manager = null;
    cache = cache("people");
    assertThat(cache).containsOnlyKeys("ada");
    assertThat(cache.get("ada")).isEqualTo("1815");
  }

  @Test
  void removedSegments_areEmpty_andOthersStay() {
    Cache<String, String> cache = cache("people");
    for (int i = 0; i < 1000; i++) {
      cache.put("key" + i, "value", 1, TimeUnit.HOURS);
    }
    WaitNonBlockingStore<String, String> store = storeOf(cache);
    IntSet removed = IntSets.from(Set.of(0, 7, 8, 9, 200, 255));
    IntSet others = IntSets.mutableCopyFrom(ALL);
    others.removeAll(removed);
    long inRemoved = store.sizeWait(removed);
    assertThat(inRemoved).isPositive();
    assertThat(store.sizeWait(ALL)).isEqualTo(1000);
    store.join(store.removeSegments(removed));
    assertThat(store.sizeWait(removed)).isZero();
    assertThat(store.publishKeysWait(removed, null)).isEmpty();
    assertThat(store.sizeWait(others)).isEqualTo(1000 - inRemoved);
    assertThat(store.publishKeysWait(others, null)).hasSize((int) (1000 - inRemoved));
    manager.stop();
    int left = (int) (1000 - inRemoved);
    assertThat(keys("people")).containsExactly(left, left);
  }

  /** So many keys that they are deleted by a range delete. */
  @Test
  void removedSegment_withManyKeys_isEmpty() {
    Cache<String, String> cache =
        cache("people", store -> {}, builder -> builder.clustering().hash().numSegments(2));
    for (int i = 0; i < 5000; i++) {
      cache.put("key" + i, "value");
    }
    WaitNonBlockingStore<String, String> store = storeOf(cache);
    long other = store.sizeWait(IntSets.immutableSet(1));
    assertThat(store.sizeWait(IntSets.immutableSet(0))).isBetween(1001L, 4999L);
    store.join(store.removeSegments(IntSets.immutableSet(0)));
    assertThat(store.sizeWait(IntSets.immutableSet(0))).isZero();
    assertThat(store.sizeWait(IntSets.immutableSet(1))).isEqualTo(other);
  }

  @Test
  void segments_ofANodeThatJoins_areEmptied() {
    Cache<String, String> cache = cache("people");
    cache.put("ada", "1815");
    WaitNonBlockingStore<String, String> store = storeOf(cache);
    store.join(store.addSegments(IntSets.immutableEmptySet()));
    assertThat(store.sizeWait(ALL)).isEqualTo(1);
    store.join(store.addSegments(ALL));
    assertThat(store.sizeWait(ALL)).isZero();
  }

  @Test
  void segments_thatCouldNotBeEmptied_areEmptiedWhenTheyAreAddedAgain() {
    Cache<String, String> cache = cache("people");
    cache.put("ada", "1815");
    WaitNonBlockingStore<String, String> store = storeOf(cache);
    store.join(store.addSegments(IntSets.immutableEmptySet()));
    KvStore<String, String> kvStore = TestingUtil.getFirstStore(cache);
    StoreDatabase database = TestingUtil.extractField(kvStore, "database");
    StoreDatabase failing = spy(database);
    doThrow(new DBIOException("injected")).when(failing).removeSegments(any());
    TestingUtil.replaceField(failing, "database", kvStore, KvStore.class);
    assertThat(store.addSegments(ALL))
        .failsWithin(Duration.ofSeconds(30))
        .withThrowableThat()
        .havingRootCause()
        .withMessage("injected");
    TestingUtil.replaceField(database, "database", kvStore, KvStore.class);
    assertThat(store.sizeWait(ALL)).isEqualTo(1);
    store.join(store.addSegments(ALL));
    assertThat(store.sizeWait(ALL)).isZero();
  }

  @Test
  void segments_ofANodeThatJoinsWithoutStateTransfer_stay() {
    Cache<String, String> cache = cache("people", store -> {}, NO_STATE_TRANSFER);
    cache.put("ada", "1815");
    WaitNonBlockingStore<String, String> store = storeOf(cache);
    store.join(store.addSegments(IntSets.immutableEmptySet()));
    store.join(store.addSegments(ALL));
    assertThat(store.sizeWait(ALL)).isEqualTo(1);
  }

  @Test
  void segments_ofAReadOnlyStore_stay() {
    cache("people").put("ada", "1815");
    manager.stop();
    manager = null;
    WaitNonBlockingStore<String, String> store =
        storeOf(cache("people", read -> read.ignoreModifications(true), c -> {}));
    store.join(store.addSegments(IntSets.immutableEmptySet()));
    store.join(store.addSegments(ALL));
    assertThat(store.sizeWait(ALL)).isEqualTo(1);
    store.join(store.removeSegments(ALL));
    assertThat(store.sizeWait(ALL)).isEqualTo(1);
  }

  @Test
  void node_thatRejoinsWithoutStateTransfer_hasItsEntries() {
    TestResourceTracker.setThreadTestName(getClass().getName());
    EmbeddedCacheManager stays = node("stays", NO_STATE_TRANSFER);
    EmbeddedCacheManager rejoins = node("rejoins", NO_STATE_TRANSFER);
    try {
      Cache<String, String> cache = stays.getCache();
      TestingUtil.blockUntilViewsReceived(30_000, cache, rejoins.getCache());
      cache.put("ada", "1815");
      TestingUtil.killCacheManagers(rejoins);
      TestingUtil.blockUntilViewsReceived(30_000, cache);
      rejoins = node("rejoins", NO_STATE_TRANSFER);
      Cache<String, String> back = rejoins.getCache();
      TestingUtil.waitForNoRebalance(cache, back);
      assertThat(back.get("ada")).isEqualTo("1815");
    } finally {
      TestingUtil.killCacheManagers(stays, rejoins);
    }
  }

  /** Starts a node of a cluster with a replicated cache, whose store has its own directory. */
  private EmbeddedCacheManager node(String name, Consumer<ConfigurationBuilder> cache) {
    ConfigurationBuilder builder = new ConfigurationBuilder();
    builder.clustering().cacheMode(CacheMode.REPL_SYNC);
    builder
        .persistence()
        .addStore(KvStoreConfigurationBuilder.class)
        .location(temp.resolve(name).toString());
    cache.accept(builder);
    return TestCacheManagerFactory.createClusteredCacheManager(builder);
  }

  @ParameterizedTest
  @CsvSource({
    "REPL_SYNC, true, false, true, false",
    "REPL_SYNC, true, true, true, true",
    "DIST_SYNC, true, false, false, true",
    "DIST_SYNC, false, true, true, false",
    "LOCAL, true, true, false, false"
  })
  void bringsBackRemoved_isTrueForAPreloadedStoreOrOneWithoutSegmentsInACluster(
      CacheMode mode,
      boolean stateTransfer,
      boolean preload,
      boolean segmented,
      boolean bringsBack) {
    ConfigurationBuilder builder = new ConfigurationBuilder();
    builder.clustering().cacheMode(mode);
    if (!stateTransfer) {
      NO_STATE_TRANSFER.accept(builder);
    }
    builder
        .persistence()
        .addStore(KvStoreConfigurationBuilder.class)
        .preload(preload)
        .segmented(segmented);
    Configuration configuration = builder.build();
    KvStoreConfiguration store = (KvStoreConfiguration) configuration.persistence().stores().get(0);
    assertThat(ConfigurationChecks.bringsBackRemoved(store, configuration.clustering()))
        .isEqualTo(bringsBack);
  }

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void approximateSize_isAnEstimateThatReadsNoEntries(boolean segmented) {
    Cache<String, String> cache =
        cache(
            "people",
            store -> store.segmented(segmented),
            builder -> builder.statistics().enable());
    for (int i = 0; i < 1000; i++) {
      cache.put("key" + i, "value");
    }
    WaitNonBlockingStore<String, String> store = storeOf(cache);
    StoreDatabase database =
        (StoreDatabase) TestingUtil.extractField(TestingUtil.getFirstStore(cache), "database");
    String iterators = database.db().admin().property("kv.iterators");
    assertThat(store.approximateSizeWait(ALL)).isEqualTo(1000);
    IntSet half = IntSets.immutableRangeSet(128);
    assertThat(store.approximateSizeWait(half)).isEqualTo(segmented ? 500 : 1000);
    store.join(store.addSegments(half));
    assertThat(store.approximateSizeWait(half)).isEqualTo(1000);
    assertThat(cache.getAdvancedCache().getStats().getApproximateEntries()).isEqualTo(1000);
    assertThat(database.db().admin().property("kv.iterators")).isEqualTo(iterators);
  }

  @Test
  void approximateSize_isUnknownWithoutAnEstimate() {
    Cache<String, String> cache = cache("people");
    WaitNonBlockingStore<String, String> store = storeOf(cache);
    StoreDatabase database =
        (StoreDatabase) TestingUtil.extractField(TestingUtil.getFirstStore(cache), "database");
    DB db = database.db();
    DB unknown = mock(DB.class);
    when(unknown.admin()).thenReturn(mock(DBAdmin.class));
    TestingUtil.replaceField(unknown, "db", database, StoreDatabase.class);
    try {
      assertThat(store.approximateSizeWait(ALL)).isEqualTo(-1);
      assertThat(store.approximateSizeWait(IntSets.immutableRangeSet(128))).isEqualTo(-1);
    } finally {
      TestingUtil.replaceField(db, "db", database, StoreDatabase.class);
    }
  }

  @Test
  void writeBehind_keepsItsQueueWhileTheDatabaseIsReadOnly() {
    Cache<String, String> cache =
        cache(
            "people",
            store -> store.async().enable(),
            builder -> builder.persistence().availabilityInterval(1).connectionAttempts(2));
    KvStore<String, String> store = TestingUtil.getFirstStore(cache);
    NonBlockingStore<String, String> queue = TestingUtil.getStore(cache, 0, false);
    assertThat(join(store.isAvailable())).isTrue();
    StoreDatabase database = TestingUtil.extractField(store, "database");
    DB db = database.db();
    DB failed = readOnly();
    TestingUtil.replaceField(failed, "db", database, StoreDatabase.class);
    try {
      assertThat(join(store.isAvailable())).isFalse();
      join(queue.isAvailable());
      cache.put("ada", "1815");
      verify(failed, never()).write(any(), any());
    } finally {
      TestingUtil.replaceField(db, "db", database, StoreDatabase.class);
    }
    join(queue.isAvailable());
    manager.stop();
    assertThat(keys("people")).containsExactly(1, 0);
  }

  private static DB readOnly() {
    DB failed = mock(DB.class);
    doThrow(new DBReadOnlyException("injected")).when(failed).write(any());
    doThrow(new DBReadOnlyException("injected")).when(failed).write(any(), any());
    return failed;
  }

  @Test
  void storeWithoutWriteBehind_isAvailableWhileTheDatabaseIsReadOnly() {
    Cache<String, String> cache = cache("people");
    cache.put("ada", "1815");
    KvStore<String, String> store = TestingUtil.getFirstStore(cache);
    StoreDatabase database = TestingUtil.extractField(store, "database");
    DB db = database.db();
    DB failed = readOnly();
    TestingUtil.replaceField(failed, "db", database, StoreDatabase.class);
    try {
      assertThat(join(store.isAvailable())).isTrue();
    } finally {
      TestingUtil.replaceField(db, "db", database, StoreDatabase.class);
    }
  }

  @Test
  void purge_deletesWhatExpired_andItsIndex() {
    Cache<String, String> cache = cache("people");
    for (int i = 0; i < 200; i++) {
      cache.put("short" + i, "value", 1, TimeUnit.SECONDS);
      cache.put("long" + i, "value", 1, TimeUnit.HOURS);
      cache.put("overwritten" + i, "value", 1, TimeUnit.SECONDS);
      cache.put("overwritten" + i, "value");
      cache.put("removed" + i, "value", 1, TimeUnit.SECONDS);
      cache.remove("removed" + i);
    }
    WaitNonBlockingStore<String, String> store = storeOf(cache);
    assertThat(store.purge()).isEmpty();
    time.advance(2000);
    assertThat(store.sizeWait(ALL)).isEqualTo(400);
    assertThat(store.purge()).hasSize(200).allMatch(e -> e.getKey().startsWith("short"));
    assertThat(store.purge()).isEmpty();
    assertThat(store.sizeWait(ALL)).isEqualTo(400);
    manager.stop();
    assertThat(keys("people")).containsExactly(400, 200);
  }

  @Test
  void purge_ofLargeEntries_readsFewAtOnce() {
    Cache<String, byte[]> cache = smallCache("people", builder -> {});
    cache.putAll(entries(20, 300_000), 1, TimeUnit.SECONDS);
    time.advance(2000);
    StoreDatabase database =
        (StoreDatabase) TestingUtil.extractField(TestingUtil.getFirstStore(cache), "database");
    int purged = 0;
    try (ExpirationScan scan = new ExpirationScan(database, time.wallClockTime())) {
      for (var chunk = scan.next(); chunk != null; chunk = scan.next()) {
        assertThat(chunk).hasSizeLessThan(5);
        purged += chunk.size();
      }
    }
    assertThat(purged).isEqualTo(20);
  }

  @Test
  void purge_ofAReadOnlyStore_hidesWhatExpiredAndDeletesNothing() {
    cache("people").put("ada", "1815", 1, TimeUnit.SECONDS);
    manager.stop();
    manager = null;
    WaitNonBlockingStore<String, String> store =
        storeOf(cache("people", read -> read.ignoreModifications(true), c -> {}));
    assertThat(store.sizeWait(ALL)).isEqualTo(1);
    time.advance(2000);
    assertThat(store.sizeWait(ALL)).isZero();
    assertThat(store.purge()).isEmpty();
    manager.stop();
    assertThat(keys("people")).containsExactly(1, 1);
  }

  /** Random writes, removes, purges and restarts, compared with a map. */
  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void randomOperations_areAsThoseOfAMap(boolean segmented) {
    boolean large = Boolean.getBoolean("kv.long");
    long seed = Long.getLong("kv.seed", large ? System.nanoTime() : 1);
    System.out.println("-Dkv.seed=" + seed);
    SplittableRandom random = new SplittableRandom(seed);
    Map<String, String> values = new HashMap<>();
    Map<String, Long> expiries = new HashMap<>();
    Cache<String, String> cache = cache("random", store -> store.segmented(segmented), c -> {});
    for (int i = 0; i < (large ? 10_000 : 1000); i++) {
      WaitNonBlockingStore<String, String> store = storeOf(cache);
      String key = "key" + random.nextInt(100);
      switch (random.nextInt(8)) {
        case 0, 1, 2, 3, 4 -> {
          long lifespan = random.nextBoolean() ? -1 : 1 + random.nextInt(500);
          write(cache, key, "value" + i, lifespan);
          values.put(key, "value" + i);
          expiries.put(key, lifespan < 0 ? Long.MAX_VALUE : time.wallClockTime() + lifespan);
        }
        case 5 -> {
          store.delete(key);
          values.remove(key);
          expiries.remove(key);
        }
        case 6 -> time.advance(1 + random.nextInt(50));
        default -> {
          if (random.nextInt(10) == 0) {
            Set<String> expired = new HashSet<>();
            store.purge().forEach(entry -> expired.add(entry.getKey()));
            assertThat(expired)
                .as("-Dkv.seed=" + seed)
                .doesNotContainAnyElementsOf(values.keySet());
          } else if (random.nextInt(30) == 0) {
            cache.stop();
            cache.start();
            store = storeOf(cache);
          }
        }
      }
      expiries.values().removeIf(expiry -> expiry <= time.wallClockTime());
      values.keySet().retainAll(expiries.keySet());
      MarshallableEntry<String, String> found = store.loadEntry(key);
      assertThat(found == null ? null : found.getValue())
          .as("-Dkv.seed=" + seed)
          .isEqualTo(values.get(key));
      assertThat(store.contains(key)).isEqualTo(found != null);
      if (i % 100 == 0) {
        Map<String, String> all = new TreeMap<>();
        for (var entry : store.publishEntriesWait(ALL, null, true)) {
          assertThat(all.put(entry.getKey(), entry.getValue())).isNull();
        }
        assertThat(all).as("-Dkv.seed=" + seed).isEqualTo(values);
        assertThat(store.sizeWait(ALL)).isEqualTo(values.size());
        assertThat(store.publishKeysWait(ALL, k -> k.endsWith("7")))
            .as("-Dkv.seed=" + seed)
            .containsExactlyInAnyOrderElementsOf(
                values.keySet().stream().filter(k -> k.endsWith("7")).toList());
      }
    }
    time.advance(1000);
    storeOf(cache).purge();
    int left = (int) expiries.values().stream().filter(e -> e == Long.MAX_VALUE).count();
    manager.stop();
    assertThat(keys("random")).as("-Dkv.seed=" + seed).containsExactly(left, 0);
  }

  private void write(Cache<String, String> cache, String key, String value, long lifespan) {
    MarshallableEntryFactory<String, String> entries =
        TestingUtil.extractComponent(cache, MarshallableEntryFactory.class);
    Metadata metadata =
        new EmbeddedMetadata.Builder().lifespan(lifespan, TimeUnit.MILLISECONDS).build();
    long created = lifespan < 0 ? -1 : time.wallClockTime();
    storeOf(cache).write(entries.create(key, value, metadata, null, created, created));
  }

  @Test
  void batch_thatIsLargerThanTheMemory_isWritten() {
    Cache<String, byte[]> cache = smallCache("people", builder -> {});
    Map<String, byte[]> entries = entries(300, 100_000);
    batch(cache, entries);
    manager.stop();
    manager = null;
    assertThat(smallCache("people", builder -> {})).containsExactlyInAnyOrderEntriesOf(entries);
  }

  @Test
  void batch_withAnEntryThatIsLargerThanTheMemory_failsAndWritesTheOthers() {
    Cache<String, byte[]> cache = smallCache("people", builder -> {});
    Map<String, byte[]> entries = entries(300, 10_000);
    Map<String, byte[]> all = new LinkedHashMap<>(entries);
    all.put("key150", new byte[20 << 20]);
    assertThatThrownBy(() -> batch(cache, all))
        .hasRootCauseInstanceOf(OffHeapExhaustedException.class)
        .hasMessageContaining("raise the attribute memory of kv-store");
    manager.stop();
    manager = null;
    entries.remove("key150");
    assertThat(smallCache("people", builder -> {})).containsExactlyInAnyOrderEntriesOf(entries);
  }

  /** Writes entries in their order, in one batch. */
  private static void batch(Cache<String, byte[]> cache, Map<String, byte[]> entries) {
    MarshallableEntryFactory<String, byte[]> factory =
        TestingUtil.extractComponent(cache, MarshallableEntryFactory.class);
    SegmentedPublisher<MarshallableEntry<String, byte[]>> segment =
        segment(
            Flowable.fromIterable(entries.entrySet())
                .map(entry -> factory.create(entry.getKey(), entry.getValue())));
    KvStore<String, byte[]> store = TestingUtil.getFirstStore(cache);
    join(store.batch(1, Flowable.empty(), Flowable.just(segment)));
  }

  private static <T> SegmentedPublisher<T> segment(Publisher<T> published) {
    return new SegmentedPublisher<>() {
      @Override
      public int getSegment() {
        return 0;
      }

      @Override
      public void subscribe(Subscriber<? super T> subscriber) {
        published.subscribe(subscriber);
      }
    };
  }

  @Test
  void putAll_thatIsLargerThanTheMemory_isWritten() {
    Map<String, byte[]> entries = entries(20_000, 1000);
    smallCache("people", builder -> {}).putAll(entries);
    manager.stop();
    manager = null;
    assertThat(smallCache("people", builder -> {})).containsExactlyInAnyOrderEntriesOf(entries);
  }

  @Test
  void transaction_thatIsTooLargeForTheMemory_isRefusedByItsPrepare() throws Exception {
    Consumer<ConfigurationBuilder> transactional =
        builder -> {
          builder.transaction().transactionMode(TransactionMode.TRANSACTIONAL);
          builder.persistence().stores().forEach(store -> store.transactional(true));
        };
    Cache<String, byte[]> cache = smallCache("accounts", transactional);
    TransactionManager transactions = cache.getAdvancedCache().getTransactionManager();
    transactions.begin();
    cache.putAll(entries(50, 100_000));
    assertThatThrownBy(transactions::commit)
        .isInstanceOf(RollbackException.class)
        .hasStackTraceContaining("raise the attribute memory of kv-store");
    assertThat(cache).isEmpty();
    Map<String, byte[]> fits = entries(41, 100_000);
    transactions.begin();
    cache.putAll(fits);
    transactions.commit();
    manager.stop();
    manager = null;
    assertThat(smallCache("accounts", transactional)).containsExactlyInAnyOrderEntriesOf(fits);
  }

  /** Returns a cache whose store has the smallest memory, and one segment. */
  private Cache<String, byte[]> smallCache(String name, Consumer<ConfigurationBuilder> builder) {
    cache(name, store -> store.memory("16 MiB").segmented(false), builder);
    return manager.getCache(name);
  }

  private static Map<String, byte[]> entries(int count, int length) {
    Map<String, byte[]> entries = new LinkedHashMap<>();
    for (int i = 0; i < count; i++) {
      byte[] value = new byte[length];
      Arrays.fill(value, (byte) i);
      entries.put("key" + i, value);
    }
    return entries;
  }

  @Test
  void transaction_isInTheStoreAfterItsCommitOnly() throws Exception {
    Cache<String, String> cache =
        cache(
            "accounts",
            store -> store.transactional(true),
            builder -> builder.transaction().transactionMode(TransactionMode.TRANSACTIONAL));
    TransactionManager transactions = cache.getAdvancedCache().getTransactionManager();
    WaitNonBlockingStore<String, String> store = storeOf(cache);
    transactions.begin();
    cache.put("ada", "1");
    cache.put("alan", "2");
    assertThat(store.sizeWait(ALL)).isZero();
    transactions.commit();
    assertThat(store.publishKeysWait(ALL, null)).containsExactlyInAnyOrder("ada", "alan");
    transactions.begin();
    cache.put("bob", "3");
    cache.remove("ada");
    transactions.rollback();
    assertThat(store.publishKeysWait(ALL, null)).containsExactlyInAnyOrder("ada", "alan");
    transactions.begin();
    cache.put("bob", "3");
    cache.remove("ada");
    transactions.commit();
    assertThat(store.publishKeysWait(ALL, null)).containsExactlyInAnyOrder("bob", "alan");
  }

  /** Infinispan does not call a transactional store for a commit of one phase. */
  @ParameterizedTest
  @CsvSource({
    "OPTIMISTIC, false, ",
    "OPTIMISTIC, true, it has use1PcForAutoCommitTransactions",
    "PESSIMISTIC, false, it has locking PESSIMISTIC",
    "PESSIMISTIC, true, it has locking PESSIMISTIC"
  })
  void transactionalStore_hasWhatWasCommitted_orIsRefused(
      LockingMode locking, boolean onePhase, String refused) throws Exception {
    Consumer<KvStoreConfigurationBuilder> transactional = store -> store.transactional(true);
    Consumer<ConfigurationBuilder> mode =
        builder ->
            builder
                .transaction()
                .transactionMode(TransactionMode.TRANSACTIONAL)
                .lockingMode(locking)
                .use1PcForAutoCommitTransactions(onePhase);
    if (refused != null) {
      assertThatThrownBy(() -> cache("accounts", transactional, mode))
          .hasStackTraceContaining(CacheConfigurationException.class.getName())
          .hasStackTraceContaining(refused);
      return;
    }
    Cache<String, String> cache = cache("accounts", transactional, mode);
    TransactionManager transactions = cache.getAdvancedCache().getTransactionManager();
    cache.put("ada", "1");
    transactions.begin();
    cache.put("alan", "2");
    transactions.commit();
    manager.stop();
    manager = null;
    assertThat(cache("accounts", transactional, mode))
        .containsOnly(Map.entry("ada", "1"), Map.entry("alan", "2"));
  }

  @Test
  void transaction_ofACacheWithATransactionalStoreAndAnother_fails() throws Exception {
    Cache<String, String> cache =
        cache(
            "accounts",
            store -> store.transactional(true).location("one"),
            builder -> {
              builder.transaction().transactionMode(TransactionMode.TRANSACTIONAL);
              builder.persistence().addStore(KvStoreConfigurationBuilder.class).location("two");
            });
    TransactionManager transactions = cache.getAdvancedCache().getTransactionManager();
    transactions.begin();
    cache.put("ada", "1");
    assertThatThrownBy(transactions::commit)
        .hasStackTraceContaining("the store is not transactional, and another one of its cache is");
    for (int i = 0; i < 2; i++) {
      assertThat(TestingUtil.getStoreWait(cache, i, false).sizeWait(ALL)).isZero();
    }
  }

  @Test
  void transactionalStore_ofAClusteredCache_isRefusedByInfinispan() {
    ConfigurationBuilder builder = new ConfigurationBuilder();
    builder.clustering().cacheMode(CacheMode.DIST_SYNC);
    builder.transaction().transactionMode(TransactionMode.TRANSACTIONAL);
    KvStoreConfigurationBuilder store =
        builder.persistence().addStore(KvStoreConfigurationBuilder.class).transactional(true);
    assertThatThrownBy(builder::build)
        .isInstanceOf(CacheConfigurationException.class)
        .hasMessageContaining("shared");
    store.transactional(false);
    assertThat(builder.build().persistence().stores()).hasSize(1);
  }

  @Test
  void sharedStore_isRefusedAndOpensNothing() throws IOException {
    TestResourceTracker.setThreadTestName(getClass().getName());
    Consumer<ConfigurationBuilder> shared =
        builder -> builder.persistence().stores().forEach(store -> store.shared(true));
    assertThatThrownBy(() -> node("node", shared))
        .hasStackTraceContaining(CacheConfigurationException.class.getName())
        .hasStackTraceContaining("is shared, and a kv-store belongs to one node");
    try (Stream<Path> files = Files.walk(temp)) {
      assertThat(files.filter(Files::isRegularFile)).isEmpty();
    }
  }

  /** Also an error that RxJava would throw in the thread of the scan only. */
  @ParameterizedTest
  @ValueSource(classes = {AssertionError.class, NoClassDefFoundError.class})
  void scan_whoseFilterThrowsAnError_fails(Class<? extends Error> type) throws Exception {
    Cache<String, String> cache = cache("people");
    cache.put("ada", "1815");
    Error injected = type.getConstructor().newInstance();
    KvStore<String, String> store = TestingUtil.getFirstStore(cache);
    Publisher<String> keys =
        store.publishKeys(
            ALL,
            key -> {
              throw injected;
            });
    assertThat(Flowable.fromPublisher(keys).toList().toCompletionStage())
        .failsWithin(Duration.ofSeconds(10))
        .withThrowableThat()
        .withCause(injected);
  }

  @Test
  void keyThatCannotBeMarshalled_failsTheStageAndNotTheCall() {
    cache("people");
    Cache<Object, Object> cache = manager.getCache("people");
    NonBlockingStore<Object, Object> store = TestingUtil.getFirstStore(cache);
    Object key = new Object();
    MarshallableEntryFactory<Object, Object> entries =
        TestingUtil.extractComponent(cache, MarshallableEntryFactory.class);
    assertThat(store.load(0, key)).isCompletedExceptionally();
    assertThat(store.containsKey(0, key)).isCompletedExceptionally();
    assertThat(store.delete(0, key)).isCompletedExceptionally();
    assertThat(store.write(0, entries.create(key, "value"))).isCompletedExceptionally();
  }

  @Test
  void stores_ofAManager_shareMemory() {
    cache("one").put("key", "value");
    cache("two").put("key", "value");
    ManagerResources shared =
        ManagerResources.acquire(
            manager.getCacheManagerConfiguration(), KvStoreConfiguration.MIN_MEMORY);
    try {
      assertThat(shared.shared().openDatabases()).isEqualTo(2);
      assertThat(shared.shared().settings().offHeapLimit()).isEqualTo(256L << 20);
      manager.stop();
      assertThat(shared.shared().openDatabases()).isZero();
    } finally {
      shared.release();
    }
  }

  @Test
  void store_withAnotherNumberOfSegments_isRefused() {
    cache("people").put("ada", "1815");
    manager.stop();
    manager = null;
    assertThatThrownBy(() -> cache("people", store -> store.segmented(false), c -> {}))
        .hasStackTraceContaining(CacheConfigurationException.class.getName())
        .hasStackTraceContaining("has 256 segments, and its cache has 0")
        .hasStackTraceContaining(directory("people").toString());
  }

  /** Infinispan replaces the characters of a name that a directory cannot have. */
  @Test
  void store_ofACacheWhoseNameGivesTheSameDirectory_isRefused() {
    cache("a/b").put("ada", "1815");
    manager.stop();
    manager = null;
    assertThatThrownBy(() -> cache("a_b"))
        .hasStackTraceContaining(CacheConfigurationException.class.getName())
        .hasStackTraceContaining("is of cache a/b, and this one is a_b")
        .hasStackTraceContaining(directory("a_b").toString());
    manager.stop();
    manager = null;
    assertThat(cache("a/b")).containsOnlyKeys("ada");
  }

  @Test
  void store_withoutTheNameOfItsCache_getsTheNameOfTheNextOne() {
    cache("a/b").put("ada", "1815");
    manager.stop();
    manager = null;
    try (DB db = DB.open(directory("a_b"), Options.DEFAULT)) {
      db.delete(EntryFormat.NAME);
    }
    assertThat(cache("a_b")).containsOnlyKeys("ada");
    manager.stop();
    manager = null;
    assertThatThrownBy(() -> cache("a/b"))
        .hasStackTraceContaining("is of cache a_b, and this one is a/b");
  }

  @ParameterizedTest
  @ValueSource(strings = {".", ".."})
  void store_ofACacheWhoseNameIsAPath_isRefused(String name) {
    assertThatThrownBy(() -> cache(name, store -> store.location("stores"), builder -> {}))
        .hasStackTraceContaining(CacheConfigurationException.class.getName())
        .hasStackTraceContaining("kv-store needs a cache whose name is not . or ..");
    assertThat(temp.resolve("kv")).doesNotExist();
    assertThat(temp.resolve("stores")).doesNotExist();
  }

  @Test
  void open_thatFailsWithAnError_closesTheDatabase() {
    ConfigurationBuilder builder = new ConfigurationBuilder();
    builder.persistence().addStore(KvStoreConfigurationBuilder.class);
    KvStoreConfiguration store =
        (KvStoreConfiguration) builder.build().persistence().stores().get(0);
    KvStoreConfiguration failing = spy(store);
    doThrow(new StackOverflowError()).when(failing).syncWrites();
    GlobalConfiguration global = new GlobalConfigurationBuilder().build();
    assertThatThrownBy(() -> StoreDatabase.open(temp, "people", failing, global, 0))
        .isInstanceOf(StackOverflowError.class);
    // What the stores of a manager share was released: the next one has its own.
    ManagerResources next = ManagerResources.acquire(global, KvStoreConfiguration.MIN_MEMORY);
    assertThat(next.shared().settings().offHeapLimit()).isEqualTo(KvStoreConfiguration.MIN_MEMORY);
    next.release();
    StoreDatabase.open(temp, "people", store, global, 0).close();
  }

  @Test
  void removedCache_hasNoKeys() {
    cache("people").put("ada", "1815", 1, TimeUnit.HOURS);
    manager.administration().removeCache("people");
    assertThat(keys("people")).containsExactly(0, 0);
  }

  @Test
  void destroyedStore_hasNoFiles() throws Exception {
    Cache<String, String> cache = cache("people");
    cache.put("ada", "1815");
    assertThat(directory("people")).isDirectory();
    KvStore<String, String> store = TestingUtil.getFirstStore(cache);
    store.destroy().toCompletableFuture().get(30, TimeUnit.SECONDS);
    assertThat(directory("people")).doesNotExist();
  }

  @Test
  void destroyedStore_whoseCloseFails_hasNoFiles() {
    Cache<String, String> cache = cache("people");
    cache.put("ada", "1815");
    KvStore<String, String> store = TestingUtil.getFirstStore(cache);
    StoreDatabase database = TestingUtil.extractField(store, "database");
    DB db = database.db();
    DB failing = mock(DB.class);
    doAnswer(
            call -> {
              db.close();
              throw new DBIOException("injected");
            })
        .when(failing)
        .close();
    TestingUtil.replaceField(failing, "db", database, StoreDatabase.class);
    assertThatThrownBy(database::destroy).hasMessage("injected");
    assertThat(directory("people")).doesNotExist();
  }

  @Test
  void xml_setsTheAttributes() {
    KvStoreConfiguration store =
        parse("path='people' memory='64 MiB' compression='snappy' sync-writes='true'");
    assertThat(store.location()).isEqualTo("people");
    assertThat(store.memory()).isEqualTo(64L << 20);
    assertThat(store.compression()).isEqualTo(CompressionType.SNAPPY);
    assertThat(store.syncWrites()).isTrue();
    assertThat(store.segmented()).isTrue();
  }

  @ParameterizedTest
  @CsvSource({"true,true", "yes,true", "on,true", "false,false", "no,false", "off,false"})
  void syncWrites_isABooleanOfInfinispan(String value, boolean sync) {
    assertThat(parse("path='people' sync-writes='" + value + "'").syncWrites()).isEqualTo(sync);
  }

  @Test
  void syncWrites_thatIsNoBoolean_isRefused() {
    assertThatThrownBy(() -> parse("path='people' sync-writes='ture'"))
        .isInstanceOf(CacheConfigurationException.class)
        .hasMessageContaining("ture");
  }

  private static KvStoreConfiguration parse(String attributes) {
    var builders =
        new ParserRegistry()
            .parse(
                """
                <infinispan xmlns="urn:infinispan:config:16.0">
                  <cache-container>
                    <local-cache name="people">
                      <persistence>
                        <kv-store xmlns="urn:infinispan:config:store:kv:16.0" %s/>
                      </persistence>
                    </local-cache>
                  </cache-container>
                </infinispan>
                """
                    .formatted(attributes))
            .getNamedConfigurationBuilders();
    return (KvStoreConfiguration) builders.get("people").build().persistence().stores().get(0);
  }

  @ParameterizedTest
  @ValueSource(strings = {"much", "15 MiB"})
  void memory_thatIsNoQuantityOrTooSmall_isRefused(String memory) {
    ConfigurationBuilder builder = new ConfigurationBuilder();
    builder.persistence().addStore(KvStoreConfigurationBuilder.class).memory(memory);
    assertThatThrownBy(builder::build)
        .isInstanceOf(CacheConfigurationException.class)
        .hasMessageContaining(memory);
  }

  @Test
  void memoryOrCompression_thatIsNull_isRefusedWithItsName() {
    KvStoreConfigurationBuilder store =
        new ConfigurationBuilder().persistence().addStore(KvStoreConfigurationBuilder.class);
    assertThatThrownBy(() -> store.memory(null))
        .isInstanceOf(NullPointerException.class)
        .hasMessage("memory");
    assertThatThrownBy(() -> store.compression(null))
        .isInstanceOf(NullPointerException.class)
        .hasMessage("compression");
  }
}
