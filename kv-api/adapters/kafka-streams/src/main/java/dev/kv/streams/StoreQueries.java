package dev.kv.streams;

import java.time.Instant;
import java.util.Map;
import org.apache.kafka.common.utils.Bytes;
import org.apache.kafka.streams.processor.StateStore;
import org.apache.kafka.streams.query.FailureReason;
import org.apache.kafka.streams.query.KeyQuery;
import org.apache.kafka.streams.query.MultiVersionedKeyQuery;
import org.apache.kafka.streams.query.Position;
import org.apache.kafka.streams.query.PositionBound;
import org.apache.kafka.streams.query.Query;
import org.apache.kafka.streams.query.QueryConfig;
import org.apache.kafka.streams.query.QueryResult;
import org.apache.kafka.streams.query.RangeQuery;
import org.apache.kafka.streams.query.ResultOrder;
import org.apache.kafka.streams.query.VersionedKeyQuery;
import org.apache.kafka.streams.query.WindowKeyQuery;
import org.apache.kafka.streams.query.WindowRangeQuery;
import org.apache.kafka.streams.state.KeyValueStore;
import org.apache.kafka.streams.state.SessionStore;
import org.apache.kafka.streams.state.WindowStore;
import org.jspecify.annotations.Nullable;

/**
 * Answers interactive queries of a store.
 *
 * <p>The Position of an answer is read before the entries, and a write updates the Position after
 * the entries. So an answer has at least what its Position says.
 */
final class StoreQueries {
  private StoreQueries() {}

  static <R> QueryResult<R> answer(
      Query<R> query,
      PositionBound bound,
      QueryConfig config,
      StateStore store,
      @Nullable Position current,
      int partition) {
    long start = config.isCollectExecutionInfo() ? System.nanoTime() : 0;
    Position position = current == null ? Position.emptyPosition() : current.copy();
    QueryResult<R> result;
    if (!isKnown(query)) {
      result = QueryResult.forUnknownQueryType(query, store);
    } else if (!reaches(position, bound.position(), partition)) {
      result = QueryResult.notUpToBound(position, bound, partition);
    } else {
      result = run(query, store);
    }
    if (config.isCollectExecutionInfo()) {
      long nanos = System.nanoTime() - start;
      result.addExecutionInfo("Handled in " + store.getClass() + " in " + nanos + "ns");
    }
    result.setPosition(position);
    return result;
  }

  private static boolean isKnown(Query<?> query) {
    return query instanceof KeyQuery
        || query instanceof RangeQuery
        || query instanceof WindowKeyQuery
        || query instanceof WindowRangeQuery
        || query instanceof VersionedKeyQuery
        || query instanceof MultiVersionedKeyQuery;
  }

  /** Returns true if a position is at or after a bound in one partition of all its topics. */
  private static boolean reaches(Position position, Position bound, int partition) {
    for (String topic : bound.getTopics()) {
      Long wanted = bound.getPartitionPositions(topic).get(partition);
      if (wanted != null) {
        Map<Integer, Long> seen = position.getPartitionPositions(topic);
        Long offset = seen.get(partition);
        if (offset == null || offset < wanted) {
          return false;
        }
      }
    }
    return true;
  }

  @SuppressWarnings("unchecked") // Streams passes queries of bytes to stores of bytes
  private static <R> QueryResult<R> run(Query<R> query, StateStore store) {
    try {
      Object result = null;
      boolean understood = false;
      if (store instanceof KvVersionedStore versioned) {
        understood = query instanceof VersionedKeyQuery || query instanceof MultiVersionedKeyQuery;
        result = understood ? versions(versioned, query) : null;
      } else if (store instanceof KeyValueStore && query instanceof KeyQuery) {
        result =
            ((KeyValueStore<Bytes, byte[]>) store).get(((KeyQuery<Bytes, byte[]>) query).getKey());
        understood = true;
      } else if (store instanceof KeyValueStore && query instanceof RangeQuery) {
        result =
            range(
                (KeyValueStore<Bytes, byte[]>) store, (RangeQuery<Bytes, byte[]>) (Query<?>) query);
        understood = true;
      } else if (store instanceof WindowStore && query instanceof WindowKeyQuery) {
        result =
            window(
                (WindowStore<Bytes, byte[]>) store,
                (WindowKeyQuery<Bytes, byte[]>) (Query<?>) query);
        understood = result != null;
      } else if (query instanceof WindowRangeQuery) {
        result = windows(store, (WindowRangeQuery<Bytes, byte[]>) (Query<?>) query);
        understood = result != null;
      }
      return understood
          ? QueryResult.forResult((R) result)
          : QueryResult.forUnknownQueryType(query, store);
    } catch (RuntimeException e) {
      String message =
          store.getClass() + " failed to handle " + query + ": " + e.getMessage() + " (" + e + ")";
      return QueryResult.forFailure(FailureReason.STORE_EXCEPTION, message);
    }
  }

  @SuppressWarnings("unchecked") // Streams passes queries of bytes to stores of bytes
  private static @Nullable Object versions(KvVersionedStore store, Query<?> query) {
    if (query instanceof VersionedKeyQuery) {
      VersionedKeyQuery<Bytes, byte[]> one = (VersionedKeyQuery<Bytes, byte[]>) query;
      Instant asOf = one.asOfTimestamp().orElse(null);
      return asOf == null
          ? store.version(one.key())
          : store.version(one.key(), asOf.toEpochMilli());
    }
    MultiVersionedKeyQuery<Bytes, byte[]> several = (MultiVersionedKeyQuery<Bytes, byte[]>) query;
    return store.versions(
        several.key(),
        several.fromTime().map(Instant::toEpochMilli).orElse(Long.MIN_VALUE),
        several.toTime().map(Instant::toEpochMilli).orElse(Long.MAX_VALUE),
        several.resultOrder() == ResultOrder.ASCENDING);
  }

  private static Object range(KeyValueStore<Bytes, byte[]> store, RangeQuery<Bytes, byte[]> query) {
    Bytes from = query.getLowerBound().orElse(null);
    Bytes to = query.getUpperBound().orElse(null);
    boolean descending = query.resultOrder() == ResultOrder.DESCENDING;
    return descending ? store.reverseRange(from, to) : store.range(from, to);
  }

  private static @Nullable Object window(
      WindowStore<Bytes, byte[]> store, WindowKeyQuery<Bytes, byte[]> query) {
    Instant from = query.getTimeFrom().orElse(null);
    Instant to = query.getTimeTo().orElse(null);
    return from == null || to == null ? null : store.fetch(query.getKey(), from, to);
  }

  @SuppressWarnings("unchecked") // Streams passes queries of bytes to stores of bytes
  private static @Nullable Object windows(StateStore store, WindowRangeQuery<Bytes, byte[]> query) {
    if (store instanceof SessionStore) {
      Bytes key = query.getKey().orElse(null);
      return key == null ? null : ((SessionStore<Bytes, byte[]>) store).fetch(key);
    }
    Instant from = query.getTimeFrom().orElse(null);
    Instant to = query.getTimeTo().orElse(null);
    if (store instanceof WindowStore && from != null && to != null) {
      return ((WindowStore<Bytes, byte[]>) store).fetchAll(from, to);
    }
    return null;
  }
}
