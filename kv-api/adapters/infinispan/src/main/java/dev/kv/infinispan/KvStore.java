package dev.kv.infinispan;

import dev.kv.WriteBatch;
import dev.kv.bytes.Slice;
import dev.kv.errors.DBClosedException;
import dev.kv.errors.DBReadOnlyException;
import dev.kv.errors.OffHeapExhaustedException;
import dev.kv.infinispan.configuration.KvStoreConfiguration;
import io.reactivex.rxjava3.core.Flowable;
import jakarta.transaction.Transaction;
import java.nio.file.Path;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.PrimitiveIterator;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;
import java.util.function.Predicate;
import java.util.stream.IntStream;
import org.infinispan.commons.CacheConfigurationException;
import org.infinispan.commons.configuration.ConfiguredBy;
import org.infinispan.commons.time.TimeService;
import org.infinispan.commons.util.IntSet;
import org.infinispan.configuration.cache.Configuration;
import org.infinispan.distribution.ch.KeyPartitioner;
import org.infinispan.persistence.PersistenceUtil;
import org.infinispan.persistence.spi.InitializationContext;
import org.infinispan.persistence.spi.MarshallableEntry;
import org.infinispan.persistence.spi.NonBlockingStore;
import org.infinispan.persistence.spi.PersistenceException;
import org.jspecify.annotations.Nullable;
import org.reactivestreams.Publisher;

/**
 * A store of Infinispan in a kv database. Infinispan creates it if the configuration of a cache has
 * a {@link KvStoreConfiguration}.
 *
 * <p>A segment is one range of keys, so that Infinispan reads it with one scan and removes it with
 * one range delete. The index of the entries that expire is in the same database, and changes with
 * them in one atomic write. All stores of a cache manager share one cache and one memory limit.
 *
 * <p>A write that has completed survives the death of the process; with {@link
 * KvStoreConfiguration#syncWrites} it survives a loss of power. Thread-safe. No method blocks:
 * those that read or write files run on Infinispan's blocking threads.
 *
 * @param <K> the type of the keys
 * @param <V> the type of the values
 */
@ConfiguredBy(KvStoreConfiguration.class)
public final class KvStore<K, V> implements NonBlockingStore<K, V> {
  private static final String DIRECTORY = "kv";

  private final Map<Transaction, WriteBatch> prepared = new ConcurrentHashMap<>();
  private final OwnedSegments owned = new OwnedSegments();

  // Set by start
  private boolean segmented;
  private boolean transfersState;
  private boolean readOnly;
  private boolean transactional;
  private boolean writeBehind;
  private int segments;
  private StoreDatabase database;
  private TimeService time;
  private KeyPartitioner partitioner;
  private EntryMarshaller<K, V> marshaller;
  private BlockingCalls calls;

  /** Creates a store that is not started. Infinispan calls this. */
  @SuppressWarnings("NullAway.Init")
  public KvStore() {}

  @Override
  public CompletionStage<Void> start(InitializationContext ctx) {
    KvStoreConfiguration configuration = ctx.getConfiguration();
    String cache = ctx.getCache().getName();
    Configuration cacheConfiguration = ctx.getCache().getCacheConfiguration();
    owned.reset();
    segmented = configuration.segmented();
    readOnly = configuration.ignoreModifications();
    transactional = configuration.transactional();
    writeBehind = configuration.async().enabled();
    transfersState = cacheConfiguration.clustering().stateTransfer().fetchInMemoryState();
    segments = cacheConfiguration.clustering().hash().numSegments();
    time = ctx.getTimeService();
    partitioner = ctx.getKeyPartitioner();
    marshaller = new EntryMarshaller<>(ctx, segmented);
    calls = new BlockingCalls(ctx.getBlockingManager());
    try {
      ConfigurationChecks.check(configuration, cache, cacheConfiguration);
    } catch (CacheConfigurationException e) {
      return CompletableFuture.failedStage(e);
    }
    Path directory =
        PersistenceUtil.getQualifiedLocation(
            ctx.getGlobalConfiguration(), configuration.location(), cache, DIRECTORY);
    return calls.run(
        () ->
            database =
                StoreDatabase.open(
                    directory,
                    cache,
                    configuration,
                    ctx.getGlobalConfiguration(),
                    segmented ? segments : 0),
        "kv-start");
  }

  @Override
  public CompletionStage<Void> stop() {
    return calls.run(() -> closed(StoreDatabase::close), "kv-stop");
  }

  @Override
  public CompletionStage<Void> destroy() {
    return calls.run(() -> closed(StoreDatabase::destroy), "kv-destroy");
  }

  private void closed(Consumer<StoreDatabase> close) {
    prepared.clear();
    // Null if the start failed
    if (database != null) {
      close.accept(database);
    }
  }

  @Override
  public Set<Characteristic> characteristics() {
    return EnumSet.of(
        Characteristic.BULK_READ,
        Characteristic.EXPIRATION,
        Characteristic.SEGMENTABLE,
        Characteristic.TRANSACTIONAL);
  }

  /**
   * Returns false behind a write-behind queue if the database takes no writes: Infinispan keeps the
   * queue then, and would drop it after some attempts otherwise. Without such a queue, always
   * returns true, because Infinispan does not read from a store that is not available either.
   */
  @Override
  public CompletionStage<Boolean> isAvailable() {
    return writeBehind
        ? calls.supply(this::takesWrites, "kv-available")
        : CompletableFuture.completedStage(true);
  }

  private boolean takesWrites() {
    try {
      database.db().write(WriteBatch.create());
      return true;
    } catch (DBReadOnlyException | DBClosedException e) {
      return false;
    }
  }

  @Override
  public CompletionStage<MarshallableEntry<K, V>> load(int segment, Object key) {
    return calls.supply(
        () -> marshaller.entryKey(segment, key),
        entryKey -> {
          byte[] value = database.db().get(entryKey);
          return value == null || isExpired(value) ? null : marshaller.entry(key, value);
        },
        "kv-load");
  }

  private boolean isExpired(byte[] value) {
    return EntryFormat.isExpired(EntryFormat.expiry(Slice.of(value)), time.wallClockTime());
  }

  @Override
  public CompletionStage<Boolean> containsKey(int segment, Object key) {
    return calls.supply(
        () -> marshaller.entryKey(segment, key),
        entryKey -> {
          Long expiry = database.db().read(entryKey, EntryFormat::expiry);
          return expiry != null && !EntryFormat.isExpired(expiry, time.wallClockTime());
        },
        "kv-contains");
  }

  @Override
  public CompletionStage<Void> write(
      int segment, MarshallableEntry<? extends K, ? extends V> entry) {
    return calls.supply(
        () -> {
          WriteBatch batch = WriteBatch.create();
          marshaller.addWrite(batch, segment, entry);
          return batch;
        },
        batch -> {
          database.write(batch);
          return null;
        },
        "kv-write");
  }

  /** Deletes an entry. The stage has null: whether the entry was there is not read. */
  @Override
  public CompletionStage<Boolean> delete(int segment, Object key) {
    return calls.supply(
        () -> marshaller.entryKey(segment, key),
        entryKey -> {
          database.delete(entryKey);
          return null;
        },
        "kv-delete");
  }

  /** Writes a batch in pieces, so that it need not fit into the memory. */
  @Override
  public CompletionStage<Void> batch(
      int publisherCount,
      Publisher<SegmentedPublisher<Object>> removePublisher,
      Publisher<SegmentedPublisher<MarshallableEntry<K, V>>> writePublisher) {
    return calls.runAfter(
        collect(publisherCount, removePublisher, writePublisher), this::write, "kv-batch");
  }

  private CompletionStage<List<WriteBatch>> collect(
      int publisherCount,
      Publisher<SegmentedPublisher<Object>> removePublisher,
      Publisher<SegmentedPublisher<MarshallableEntry<K, V>>> writePublisher) {
    return Modifications.collect(
        publisherCount, removePublisher, writePublisher, marshaller, database.pieceBytes());
  }

  /**
   * Writes pieces of a batch. If one is too large for the memory, the others are written before
   * this fails: write-behind drops a batch that fails again and again.
   */
  private void write(List<WriteBatch> pieces) {
    OffHeapExhaustedException tooLarge = null;
    for (WriteBatch piece : pieces) {
      try {
        database.write(piece);
      } catch (OffHeapExhaustedException e) {
        if (StoreDatabase.bytes(piece) <= database.maxBatchBytes()) {
          throw e;
        }
        tooLarge = e;
      }
    }
    if (tooLarge != null) {
      throw tooLarge;
    }
  }

  /**
   * Keeps the modifications of a transaction until its commit or rollback. Fails if the store is
   * not configured as transactional: Infinispan makes this call to all stores of a cache that has a
   * transactional one, but commits the transactional ones only. Fails also if the modifications are
   * too many for the memory, because a commit must not fail.
   */
  @Override
  public CompletionStage<Void> prepareWithModifications(
      Transaction transaction,
      int publisherCount,
      Publisher<SegmentedPublisher<Object>> removePublisher,
      Publisher<SegmentedPublisher<MarshallableEntry<K, V>>> writePublisher) {
    if (!transactional) {
      return CompletableFuture.failedStage(
          new PersistenceException(
              "the store is not transactional, and another one of its cache is"));
    }
    return collect(publisherCount, removePublisher, writePublisher)
        .thenAccept(
            pieces -> {
              WriteBatch batch = WriteBatch.create();
              pieces.forEach(batch::append);
              prepare(transaction, batch);
            });
  }

  private void prepare(Transaction transaction, WriteBatch batch) {
    if (StoreDatabase.bytes(batch) > database.maxBatchBytes()) {
      throw new PersistenceException(
          "a transaction of "
              + batch.count()
              + " operations needs "
              + StoreDatabase.bytes(batch)
              + " bytes, and may have "
              + database.maxBatchBytes()
              + ", a quarter of the memory; "
              + ManagerResources.MORE_MEMORY);
    }
    if (batch.count() > 0) {
      prepared.put(transaction, batch);
    }
  }

  @Override
  public CompletionStage<Void> commit(Transaction transaction) {
    WriteBatch batch = prepared.remove(transaction);
    return batch == null
        ? CompletableFuture.completedStage(null)
        : calls.run(() -> database.write(batch), "kv-commit");
  }

  @Override
  public CompletionStage<Void> rollback(Transaction transaction) {
    prepared.remove(transaction);
    return CompletableFuture.completedStage(null);
  }

  @Override
  public CompletionStage<Void> clear() {
    return calls.run(
        () -> database.db().deleteRange(EntryFormat.start(), EntryFormat.end()), "kv-clear");
  }

  /**
   * Empties segments that the node gets from others. Those that it has when the cluster begins stay
   * as they are, and so do all if the cache has no state transfer: nobody would send their entries.
   * So do those of a read-only store, for which Infinispan makes this call, too. Segments that
   * could not be emptied are not owned, so that they are emptied at the next call.
   */
  @Override
  public CompletionStage<Void> addSegments(IntSet segments) {
    IntSet emptied = owned.add(segments);
    return emptied.isEmpty() || !transfersState || readOnly
        ? CompletableFuture.completedStage(null)
        : deleteSegments(emptied)
            .whenComplete(
                (done, failure) -> {
                  if (failure != null) {
                    owned.remove(emptied);
                  }
                });
  }

  /**
   * Deletes segments, but not those of a read-only store. Infinispan calls this and {@link
   * #addSegments} if the store has segments.
   */
  @Override
  public CompletionStage<Void> removeSegments(IntSet segments) {
    owned.remove(segments);
    return readOnly ? CompletableFuture.completedStage(null) : deleteSegments(segments);
  }

  private CompletionStage<Void> deleteSegments(IntSet segments) {
    return calls.run(
        () -> database.removeSegments(segments.intStream().sorted().iterator()),
        "kv-remove-segments");
  }

  @Override
  public CompletionStage<Long> size(IntSet segments) {
    Predicate<? super K> filter = filter(segments, null);
    return calls.supply(
        () -> {
          long size = 0;
          try (EntryScan scan = scan(segments)) {
            while (scan.next()) {
              if (filter == null || filter.test(marshaller.key(scan))) {
                size++;
              }
            }
          }
          return size;
        },
        "kv-size");
  }

  /**
   * Returns an estimate in constant time, of all entries if the store has no segments. Those of
   * some segments are taken to be as many as in the others. An entry that expires counts twice, for
   * it has a key in the index, an overwritten one again until its compaction; the remove of an
   * absent key takes one away until then.
   */
  @Override
  public CompletionStage<Long> approximateSize(IntSet segments) {
    int present = readOnly ? this.segments : owned.count(this.segments); // those with files
    return calls.supply(
        () -> {
          long keys = database.estimatedKeys();
          return keys > 0 && segmented && segments.size() < present
              ? keys * segments.size() / present
              : keys;
        },
        "kv-approximate-size");
  }

  @Override
  public Publisher<K> publishKeys(IntSet segments, @Nullable Predicate<? super K> filter) {
    Predicate<? super K> all = filter(segments, filter);
    return publish(
        segments,
        scan -> {
          K key = marshaller.key(scan);
          return all == null || all.test(key) ? key : null;
        });
  }

  @Override
  public Publisher<MarshallableEntry<K, V>> publishEntries(
      IntSet segments, @Nullable Predicate<? super K> filter, boolean includeValues) {
    Predicate<? super K> all = filter(segments, filter);
    return publish(
        segments,
        scan -> {
          MarshallableEntry<K, V> entry = marshaller.entry(scan, includeValues);
          return all == null || all.test(entry.getKey()) ? entry : null;
        });
  }

  private <T> Publisher<T> publish(@Nullable IntSet segments, EntryScan.Reader<T> reader) {
    return calls.publish(
        () -> scan(segments),
        (scan, emitter) -> {
          while (scan.next()) {
            T found = reader.read(scan);
            if (found != null) {
              emitter.onNext(found);
              return;
            }
          }
          emitter.onComplete();
        });
  }

  private EntryScan scan(@Nullable IntSet segments) {
    PrimitiveIterator.OfInt scanned;
    if (!segmented) {
      scanned = IntStream.of(0).iterator();
    } else if (segments == null) {
      scanned = IntStream.range(0, this.segments).iterator();
    } else {
      scanned = segments.intStream().sorted().iterator();
    }
    return new EntryScan(database.cursor(), scanned, time.wallClockTime());
  }

  /** Returns the filter for a scan of segments, or null if all its entries pass. */
  private @Nullable Predicate<? super K> filter(
      @Nullable IntSet segments, @Nullable Predicate<? super K> filter) {
    if (segmented || segments == null || segments.size() == this.segments) {
      return filter;
    }
    Predicate<K> ofSegments = key -> segments.contains(partitioner.getSegment(key));
    return filter == null ? ofSegments : ofSegments.and(filter);
  }

  @Override
  public Publisher<MarshallableEntry<K, V>> purgeExpired() {
    if (readOnly) {
      return Flowable.empty(); // no read shows an expired entry
    }
    Publisher<List<MarshallableEntry<K, V>>> purged =
        calls.publish(
            () -> new ExpirationScan(database, time.wallClockTime()),
            (scan, emitter) -> {
              List<ExpirationScan.Expired> expired = scan.next();
              if (expired == null) {
                emitter.onComplete();
              } else {
                emitter.onNext(marshaller.entries(expired));
              }
            });
    return Flowable.fromPublisher(purged).concatMapIterable(chunk -> chunk);
  }
}
