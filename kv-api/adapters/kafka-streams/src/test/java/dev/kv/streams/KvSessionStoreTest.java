package dev.kv.streams;

import static org.assertj.core.api.Assertions.assertThat;

import dev.kv.streams.database.StoreKind.Structure;
import dev.kv.streams.database.StoreKind.Values;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.apache.kafka.common.utils.Bytes;
import org.apache.kafka.streams.kstream.Windowed;
import org.apache.kafka.streams.kstream.internals.SessionWindow;
import org.apache.kafka.streams.query.PositionBound;
import org.apache.kafka.streams.query.QueryConfig;
import org.apache.kafka.streams.query.WindowRangeQuery;
import org.apache.kafka.streams.state.KeyValueIterator;
import org.apache.kafka.streams.state.SessionStore;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests session stores: random operations against a map, and queries. */
class KvSessionStoreTest {
  private static final long MINUTE = 60_000;

  @TempDir private Path directory;
  private SessionStore<Bytes, byte[]> store = KvStores.session("store", Duration.ofHours(1)).get();

  private void open(Structure structure) {
    store = KvStores.sessionStore("store", Duration.ofHours(1), structure, Values.PLAIN).get();
    store.init(new TestContext(directory), store);
  }

  @AfterEach
  void close() {
    store.close();
  }

  private static Bytes key(Random random) {
    byte[] key = new byte[random.nextInt(3)];
    for (int i = 0; i < key.length; i++) {
      key[i] = new byte[] {0, 'a', -1}[random.nextInt(3)];
    }
    return Bytes.wrap(key);
  }

  private static Windowed<Bytes> session(Bytes key, long start, long end) {
    return new Windowed<>(key, new SessionWindow(start, end));
  }

  private static List<Windowed<Bytes>> keys(KeyValueIterator<Windowed<Bytes>, byte[]> sessions) {
    List<Windowed<Bytes>> keys = new ArrayList<>();
    try (sessions) {
      while (sessions.hasNext()) {
        keys.add(sessions.next().key);
      }
    }
    return keys;
  }

  @ParameterizedTest
  @ValueSource(longs = {1, 2})
  void randomOperations_agreeWithAMap(long seed) {
    Random random = new Random(seed);
    open(seed % 2 == 0 ? Structure.SESSION : Structure.SESSION_BY_TIME);
    Map<Windowed<Bytes>, byte[]> model = new HashMap<>();
    for (int i = 0; i < 800; i++) {
      long start = random.nextInt(50) * MINUTE;
      Windowed<Bytes> session = session(key(random), start, start + random.nextInt(5) * MINUTE);
      if (random.nextInt(4) == 0) {
        store.remove(session);
        model.remove(session);
      } else {
        store.put(session, ("v" + i).getBytes());
        model.put(session, ("v" + i).getBytes());
      }
    }
    for (int i = 0; i < 150; i++) {
      long earliestEnd = random.nextInt(50) * MINUTE;
      long latest = earliestEnd + random.nextInt(10) * MINUTE;
      Bytes first = key(random);
      Bytes last = key(random);
      String what = "seed " + seed + ": " + first + ".." + last + ", " + earliestEnd;
      assertThat(keys(store.findSessions(first, earliestEnd, latest)))
          .as(what)
          .containsExactlyInAnyOrderElementsOf(found(model, first, first, earliestEnd, latest))
          .isEqualTo(reversed(keys(store.backwardFindSessions(first, earliestEnd, latest))));
      assertThat(keys(store.findSessions(first, last, earliestEnd, latest)))
          .as(what)
          .containsExactlyInAnyOrderElementsOf(found(model, first, last, earliestEnd, latest))
          .isEqualTo(reversed(keys(store.backwardFindSessions(first, last, earliestEnd, latest))));
      assertThat(keys(store.findSessions(null, null, earliestEnd, latest)))
          .as(what)
          .containsExactlyInAnyOrderElementsOf(found(model, null, null, earliestEnd, latest));
      assertThat(keys(store.findSessions(earliestEnd, latest)))
          .as(what)
          .containsExactlyInAnyOrderElementsOf(
              model.keySet().stream()
                  .filter(s -> s.window().end() >= earliestEnd && s.window().end() <= latest)
                  .toList());
    }
  }

  private static List<Windowed<Bytes>> found(
      Map<Windowed<Bytes>, byte[]> model,
      @org.jspecify.annotations.Nullable Bytes first,
      @org.jspecify.annotations.Nullable Bytes last,
      long earliestEnd,
      long latestStart) {
    return model.keySet().stream()
        .filter(s -> first == null || s.key().compareTo(first) >= 0)
        .filter(s -> last == null || s.key().compareTo(last) <= 0)
        .filter(s -> s.window().end() >= earliestEnd && s.window().start() <= latestStart)
        .toList();
  }

  private static <T> List<T> reversed(List<T> list) {
    List<T> reversed = new ArrayList<>(list);
    java.util.Collections.reverse(reversed);
    return reversed;
  }

  @Test
  void query_knowsSessionsOfAKey() {
    open(Structure.SESSION);
    Bytes key = Bytes.wrap("a".getBytes());
    store.put(session(key, 1, 2), "v".getBytes());
    store.put(session(Bytes.wrap("ab".getBytes()), 1, 2), "w".getBytes());
    var result =
        store.query(
            WindowRangeQuery.<Bytes, byte[]>withKey(key),
            PositionBound.unbounded(),
            new QueryConfig(false));
    assertThat(keys(result.getResult())).containsExactly(session(key, 1, 2));
    assertThat(store.fetchSession(key, 1, 2)).isEqualTo("v".getBytes());
    assertThat(store.fetchSession(key, 1, 3)).isNull();
  }
}
