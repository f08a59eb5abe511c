package dev.kv.infinispan;

import dev.kv.WriteBatch;
import io.reactivex.rxjava3.core.Flowable;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletionStage;
import java.util.function.Consumer;
import org.infinispan.persistence.spi.MarshallableEntry;
import org.infinispan.persistence.spi.NonBlockingStore.SegmentedPublisher;
import org.reactivestreams.Publisher;

/**
 * Collects what Infinispan publishes for one batch, in pieces of bounded size. Writes are after
 * removes, so that a key of both is there.
 */
final class Modifications {
  private final Pieces removes = new Pieces();
  private final Pieces writes = new Pieces();
  private final long maxBytes;

  private Modifications(long maxBytes) {
    this.maxBytes = maxBytes;
  }

  /** Adds one modification. */
  private interface Modification {
    void addTo(Modifications all);
  }

  /** Batches to write one after the other. */
  private final class Pieces {
    private final List<WriteBatch> batches = new ArrayList<>();
    private final WriteBatch next = WriteBatch.create();
    private WriteBatch last = WriteBatch.create();

    /** Adds the operations of one modification to one piece. */
    void add(Consumer<WriteBatch> modification) {
      modification.accept(next.clear());
      long bytes = StoreDatabase.bytes(last) + StoreDatabase.bytes(next);
      if (batches.isEmpty() || bytes > maxBytes) {
        last = WriteBatch.create();
        batches.add(last);
      }
      last.append(next);
    }
  }

  /**
   * Returns a stage with the pieces, in the order in which they must be written. Both publishers
   * are subscribed to at once, since neither begins without the other, and all publishers that they
   * publish at once, up to their number.
   *
   * @param maxBytes the most memory that a piece of more than one modification takes, as {@link
   *     StoreDatabase#bytes} counts it
   */
  static <K, V> CompletionStage<List<WriteBatch>> collect(
      int publisherCount,
      Publisher<SegmentedPublisher<Object>> removed,
      Publisher<SegmentedPublisher<MarshallableEntry<K, V>>> written,
      EntryMarshaller<K, V> marshaller,
      long maxBytes) {
    int concurrency = Math.max(1, publisherCount);
    Flowable<Modification> removes =
        Flowable.fromPublisher(removed)
            .flatMap(
                keys ->
                    Flowable.fromPublisher(keys)
                        .map(
                            key ->
                                all ->
                                    all.removes.add(
                                        batch ->
                                            marshaller.addRemove(batch, keys.getSegment(), key))),
                concurrency);
    Flowable<Modification> writes =
        Flowable.fromPublisher(written)
            .flatMap(
                entries ->
                    Flowable.fromPublisher(entries)
                        .map(
                            entry ->
                                all ->
                                    all.writes.add(
                                        batch ->
                                            marshaller.addWrite(
                                                batch, entries.getSegment(), entry))),
                concurrency);
    return Flowable.merge(removes, writes)
        .collect(() -> new Modifications(maxBytes), (all, modification) -> modification.addTo(all))
        .map(Modifications::all)
        .toCompletionStage();
  }

  private List<WriteBatch> all() {
    List<WriteBatch> all = removes.batches;
    all.addAll(writes.batches);
    return all;
  }
}
