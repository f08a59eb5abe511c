package dev.kv.streams;

import dev.kv.env.Env;
import java.util.Map;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.utils.Bytes;
import org.apache.kafka.streams.kstream.Windowed;
import org.apache.kafka.streams.kstream.internals.SessionWindow;
import org.apache.kafka.streams.processor.StateStore;
import org.apache.kafka.streams.processor.StateStoreContext;
import org.apache.kafka.streams.query.Position;
import org.apache.kafka.streams.query.PositionBound;
import org.apache.kafka.streams.query.Query;
import org.apache.kafka.streams.query.QueryConfig;
import org.apache.kafka.streams.query.QueryResult;
import org.apache.kafka.streams.state.HeadersBytesStore;
import org.apache.kafka.streams.state.KeyValueIterator;
import org.apache.kafka.streams.state.SessionStore;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** A session store. */
class KvSessionStore implements SessionStore<Bytes, byte[]> {
  private static final Logger log = LoggerFactory.getLogger(KvSessionStore.class);

  private final String name;
  private final SegmentedStore entries;

  /**
   * Creates a store, which is opened later.
   *
   * @param env the file system, or null for that of the machine
   */
  KvSessionStore(SessionSupplier supplier, @Nullable Env env) {
    this.name = supplier.name();
    this.entries =
        new SegmentedStore(
            name, supplier.kind(), supplier.retentionPeriod(), supplier.segmentIntervalMs(), env);
  }

  /** A store whose values have headers. */
  static final class WithHeaders extends KvSessionStore implements HeadersBytesStore {
    WithHeaders(SessionSupplier supplier) {
      super(supplier, null);
    }
  }

  @Override
  public String name() {
    return name;
  }

  @Override
  public void init(StateStoreContext context, StateStore root) {
    entries.init(context, root);
  }

  private static byte[] entry(Windowed<Bytes> session) {
    return TimedKey.session(session.key().get(), session.window().start(), session.window().end());
  }

  private static Windowed<Bytes> windowed(byte[] entry) {
    return new Windowed<>(
        Bytes.wrap(TimedKey.SESSION.key(entry)),
        new SessionWindow(TimedKey.sessionStart(entry), TimedKey.SESSION.time(entry)));
  }

  @Override
  public void put(Windowed<Bytes> session, byte @Nullable [] aggregate) {
    entries.put(entry(session), aggregate);
  }

  @Override
  public void remove(Windowed<Bytes> session) {
    entries.remove(entry(session));
  }

  @Override
  public byte @Nullable [] fetchSession(Bytes key, long start, long end) {
    return entries.get(TimedKey.session(key.get(), start, end));
  }

  /** Shows expired sessions, too: the DSL emits a session after it has expired. */
  @Override
  public KeyValueIterator<Windowed<Bytes>, byte[]> findSessions(long earliestEnd, long latestEnd) {
    entries.requireOpen();
    return new ScanIterator<>(
        () -> entries.scanTimes(earliestEnd, latestEnd), KvSessionStore::windowed);
  }

  @Override
  public KeyValueIterator<Windowed<Bytes>, byte[]> findSessions(
      Bytes key, long earliestEnd, long latestStart) {
    return sessions(key, earliestEnd, latestStart, true);
  }

  @Override
  public KeyValueIterator<Windowed<Bytes>, byte[]> backwardFindSessions(
      Bytes key, long earliestEnd, long latestStart) {
    return sessions(key, earliestEnd, latestStart, false);
  }

  private KeyValueIterator<Windowed<Bytes>, byte[]> sessions(
      Bytes key, long earliestEnd, long latestStart, boolean forward) {
    byte[] bytes = key.get();
    entries.requireOpen();
    return new ScanIterator<>(
        () ->
            entries.scanKey(
                bytes,
                earliestEnd,
                Long.MAX_VALUE,
                entry -> TimedKey.sessionStart(entry) <= latestStart,
                forward),
        KvSessionStore::windowed);
  }

  @Override
  public KeyValueIterator<Windowed<Bytes>, byte[]> findSessions(
      @Nullable Bytes keyFrom, @Nullable Bytes keyTo, long earliestEnd, long latestStart) {
    return sessionsOfKeys(keyFrom, keyTo, earliestEnd, latestStart, true);
  }

  @Override
  public KeyValueIterator<Windowed<Bytes>, byte[]> backwardFindSessions(
      @Nullable Bytes keyFrom, @Nullable Bytes keyTo, long earliestEnd, long latestStart) {
    return sessionsOfKeys(keyFrom, keyTo, earliestEnd, latestStart, false);
  }

  private KeyValueIterator<Windowed<Bytes>, byte[]> sessionsOfKeys(
      @Nullable Bytes keyFrom,
      @Nullable Bytes keyTo,
      long earliestEnd,
      long latestStart,
      boolean forward) {
    if (keyFrom != null && keyTo != null && keyFrom.compareTo(keyTo) > 0) {
      log.warn(KeyBytes.INVALID_RANGE);
      return new EmptyIterator<>();
    }
    byte[] first = keyFrom == null ? null : keyFrom.get();
    byte[] last = keyTo == null ? null : keyTo.get();
    entries.requireOpen();
    return new ScanIterator<>(
        () ->
            entries.scanKeys(
                first,
                last,
                earliestEnd,
                Long.MAX_VALUE,
                entry -> TimedKey.sessionStart(entry) <= latestStart,
                forward),
        KvSessionStore::windowed);
  }

  @Override
  public KeyValueIterator<Windowed<Bytes>, byte[]> fetch(Bytes key) {
    return findSessions(key, 0, Long.MAX_VALUE);
  }

  @Override
  public KeyValueIterator<Windowed<Bytes>, byte[]> backwardFetch(Bytes key) {
    return backwardFindSessions(key, 0, Long.MAX_VALUE);
  }

  @Override
  public KeyValueIterator<Windowed<Bytes>, byte[]> fetch(
      @Nullable Bytes keyFrom, @Nullable Bytes keyTo) {
    return findSessions(keyFrom, keyTo, 0, Long.MAX_VALUE);
  }

  @Override
  public KeyValueIterator<Windowed<Bytes>, byte[]> backwardFetch(
      @Nullable Bytes keyFrom, @Nullable Bytes keyTo) {
    return backwardFindSessions(keyFrom, keyTo, 0, Long.MAX_VALUE);
  }

  @Override
  public <R> QueryResult<R> query(Query<R> query, PositionBound bound, QueryConfig config) {
    return StoreQueries.answer(
        query, bound, config, this, entries.positionOrNull(), entries.partition());
  }

  @Override
  public Position getPosition() {
    return entries.position();
  }

  @Override
  public void commit(Map<TopicPartition, Long> changelogOffsets) {
    entries.commit(changelogOffsets);
  }

  @Override
  public @Nullable Long committedOffset(TopicPartition partition) {
    return entries.committedOffset(partition);
  }

  @Override
  @Deprecated
  public boolean managesOffsets() {
    return true;
  }

  @Override
  public boolean persistent() {
    return true;
  }

  @Override
  public boolean isOpen() {
    return entries.isOpen();
  }

  @Override
  public void close() {
    entries.close();
  }
}
