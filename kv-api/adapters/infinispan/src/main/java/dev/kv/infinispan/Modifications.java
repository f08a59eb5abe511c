package dev.kv.infinispan;

import dev.kv.WriteBatch;
import io.reactivex.rxjava3.core.Flowable;
import java.util.concurrent.CompletionStage;
import org.infinispan.persistence.spi.MarshallableEntry;
import org.infinispan.persistence.spi.NonBlockingStore.SegmentedPublisher;
import org.reactivestreams.Publisher;

/**
 * Collects what Infinispan publishes for one batch. Writes are after removes, so that a key of both
 * is there.
 */
final class Modifications {
  private final WriteBatch removes = WriteBatch.create();
  private final WriteBatch writes = WriteBatch.create();

  private Modifications() {}

  /** Translates modifications into operations on the database. */
  interface Translation<K, V> {
    /** Adds the remove of a key to a batch. */
    void addRemove(WriteBatch batch, int segment, Object key);

    /** Adds the write of an entry to a batch. */
    void addWrite(WriteBatch batch, int segment, MarshallableEntry<? extends K, ? extends V> entry);
  }

  /** Adds one modification. */
  private interface Modification {
    void addTo(Modifications all);
  }

  /**
   * Returns a stage with the batch. Both publishers are subscribed to at once, since neither begins
   * without the other, and all publishers that they publish at once, up to their number.
   */
  static <K, V> CompletionStage<WriteBatch> collect(
      int publisherCount,
      Publisher<SegmentedPublisher<Object>> removed,
      Publisher<SegmentedPublisher<MarshallableEntry<K, V>>> written,
      Translation<K, V> translation) {
    int concurrency = Math.max(1, publisherCount);
    Flowable<Modification> removes =
        Flowable.fromPublisher(removed)
            .flatMap(
                keys ->
                    Flowable.fromPublisher(keys)
                        .map(
                            key ->
                                all -> translation.addRemove(all.removes, keys.getSegment(), key)),
                concurrency);
    Flowable<Modification> writes =
        Flowable.fromPublisher(written)
            .flatMap(
                entries ->
                    Flowable.fromPublisher(entries)
                        .map(
                            entry ->
                                all ->
                                    translation.addWrite(all.writes, entries.getSegment(), entry)),
                concurrency);
    return Flowable.merge(removes, writes)
        .collect(Modifications::new, (all, modification) -> modification.addTo(all))
        .map(all -> all.removes.append(all.writes))
        .toCompletionStage();
  }
}
