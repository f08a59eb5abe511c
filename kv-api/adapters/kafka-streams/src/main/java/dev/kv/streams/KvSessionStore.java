package dev.kv.streams;

import dev.kv.env.Env;
import dev.kv.streams.database.TimedKey;
import dev.kv.streams.scan.EmptyIterator;
import dev.kv.streams.scan.ScanIterator;
import org.apache.kafka.common.utils.Bytes;
import org.apache.kafka.streams.kstream.Windowed;
import org.apache.kafka.streams.kstream.internals.SessionWindow;
import org.apache.kafka.streams.state.HeadersBytesStore;
import org.apache.kafka.streams.state.KeyValueIterator;
import org.apache.kafka.streams.state.SessionStore;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** A session store. */
class KvSessionStore extends SegmentedStore implements SessionStore<Bytes, byte[]> {
  private static final Logger log = LoggerFactory.getLogger(KvSessionStore.class);

  /**
   * Creates a store, which is opened later.
   *
   * @param env the file system, or null for that of the machine
   */
  KvSessionStore(SessionSupplier supplier, @Nullable Env env) {
    super(
        supplier.name(),
        supplier.kind(),
        supplier.retentionPeriod(),
        supplier.segmentIntervalMs(),
        env);
  }

  /** A store whose values have headers. */
  static final class WithHeaders extends KvSessionStore implements HeadersBytesStore {
    WithHeaders(SessionSupplier supplier) {
      super(supplier, null);
    }
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
    put(entry(session), aggregate);
  }

  @Override
  public void remove(Windowed<Bytes> session) {
    remove(entry(session));
  }

  @Override
  public byte @Nullable [] fetchSession(Bytes key, long start, long end) {
    return get(TimedKey.session(key.get(), start, end));
  }

  /** Shows expired sessions, too: the DSL emits a session after it has expired. */
  @Override
  public KeyValueIterator<Windowed<Bytes>, byte[]> findSessions(long earliestEnd, long latestEnd) {
    requireOpen();
    return new ScanIterator<>(() -> scanTimes(earliestEnd, latestEnd), KvSessionStore::windowed);
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
    requireOpen();
    return new ScanIterator<>(
        () ->
            scanKey(
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
    requireOpen();
    return new ScanIterator<>(
        () ->
            scanKeys(
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
}
