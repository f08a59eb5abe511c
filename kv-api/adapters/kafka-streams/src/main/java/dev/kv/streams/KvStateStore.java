package dev.kv.streams;

import dev.kv.env.Env;
import dev.kv.streams.database.StoreDatabase;
import dev.kv.streams.database.StoreKind;
import java.util.Collection;
import java.util.Map;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.metrics.Sensor;
import org.apache.kafka.streams.StreamsConfig;
import org.apache.kafka.streams.processor.StateStore;
import org.apache.kafka.streams.processor.StateStoreContext;
import org.apache.kafka.streams.processor.internals.RecordBatchingStateRestoreCallback;
import org.apache.kafka.streams.processor.internals.metrics.StreamsMetricsImpl;
import org.apache.kafka.streams.processor.internals.metrics.TaskMetrics;
import org.apache.kafka.streams.query.Position;
import org.apache.kafka.streams.query.PositionBound;
import org.apache.kafka.streams.query.Query;
import org.apache.kafka.streams.query.QueryConfig;
import org.apache.kafka.streams.query.QueryResult;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A state store on one {@link StoreDatabase}: what all stores have in common. {@link #init} opens
 * the database, and {@link #close} closes it. Subclasses read and write it through {@link #open}.
 */
abstract class KvStateStore implements StateStore {
  private static final Logger log = LoggerFactory.getLogger(KvStateStore.class);

  private final String name;
  private final StoreKind kind;
  private final @Nullable Env env;

  private volatile @Nullable StoreDatabase database;
  private @Nullable Sensor droppedRecords;
  private int partition = -1;

  /**
   * Creates a store, which is opened later.
   *
   * @param env the file system, or null for that of the machine
   */
  KvStateStore(String name, StoreKind kind, @Nullable Env env) {
    this.name = name;
    this.kind = kind;
    this.env = env;
  }

  @Override
  public final String name() {
    return name;
  }

  @Override
  public final void init(StateStoreContext context, StateStore root) {
    partition = context.taskId().partition();
    if (kind.structure() != StoreKind.Structure.KEY_VALUE) {
      droppedRecords =
          TaskMetrics.droppedRecordsSensor(
              Thread.currentThread().getName(),
              context.taskId().toString(),
              (StreamsMetricsImpl) context.metrics());
    }
    Object upgradeFrom = context.appConfigs().get(StreamsConfig.UPGRADE_FROM_CONFIG);
    if (upgradeFrom != null) {
      // Streams 4.3.1 knows older versions only, and writes the file for each of them
      log.warn(
          "{} is {}: Streams writes the offsets of store {} to a file .checkpoint in {}; delete"
              + " that directory before the store is one of the built-in stores again, or the"
              + " built-in store lacks all records before its offset",
          StreamsConfig.UPGRADE_FROM_CONFIG,
          upgradeFrom,
          name,
          context.stateDir());
    }
    StoreDatabase opened = StoreDatabase.open(name, kind, context, env);
    boolean registered = false;
    try {
      prepare(opened);
      database = opened;
      context.register(root, (RecordBatchingStateRestoreCallback) this::restore);
      registered = true;
    } finally {
      if (!registered) {
        opened.close(); // Kafka does not close a store that it does not know
      }
    }
  }

  /** Reads what a store keeps in its database besides the data. Called by {@link #init}. */
  void prepare(StoreDatabase opened) {}

  /** Adds records of the changelog. */
  abstract void restore(Collection<ConsumerRecord<byte[], byte[]>> records);

  /**
   * Returns the database.
   *
   * @throws org.apache.kafka.streams.errors.InvalidStateStoreException if it was never opened. If
   *     it is closed, its own methods throw this.
   */
  final StoreDatabase open() {
    StoreDatabase found = database;
    if (found == null) {
      throw StoreDatabase.closed(name);
    }
    return found;
  }

  /** Throws if the store is closed. */
  final void requireOpen() {
    if (!isOpen()) {
      throw StoreDatabase.closed(name);
    }
  }

  /** Counts a record that is too late to be stored. */
  final void countDropped() {
    if (droppedRecords != null) {
      droppedRecords.record();
    }
  }

  @Override
  public final <R> QueryResult<R> query(Query<R> query, PositionBound bound, QueryConfig config) {
    StoreDatabase found = database;
    Position position = found == null ? null : found.position();
    return StoreQueries.answer(query, bound, config, this, position, partition);
  }

  @Override
  public final Position getPosition() {
    return open().position();
  }

  @Override
  public final void commit(Map<TopicPartition, Long> changelogOffsets) {
    open().commit(changelogOffsets);
  }

  @Override
  public final @Nullable Long committedOffset(TopicPartition changelog) {
    return open().committedOffset(changelog);
  }

  @Override
  @Deprecated
  public final boolean managesOffsets() {
    return true;
  }

  @Override
  public final boolean persistent() {
    return true;
  }

  @Override
  public final boolean isOpen() {
    StoreDatabase found = database;
    return found != null && found.isOpen();
  }

  @Override
  public final void close() {
    StoreDatabase found = database;
    if (found != null) {
      found.close();
    }
  }
}
