package dev.kv.ttl;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.kv.DB;
import dev.kv.DBIterator;
import dev.kv.DBReader;
import dev.kv.KeyValueStore;
import dev.kv.Options;
import dev.kv.ReadOptions;
import dev.kv.Snapshot;
import dev.kv.Transaction;
import dev.kv.WriteBatch;
import dev.kv.WriteOptions;
import dev.kv.bytes.PinnedValue;
import dev.kv.env.Env;
import dev.kv.errors.ConflictException;
import dev.kv.errors.UnsupportedFormatException;
import dev.kv.load.BulkLoader;
import dev.kv.map.Codecs;
import dev.kv.map.DBMap;
import dev.kv.options.CompactionFilter;
import dev.kv.space.Space;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentNavigableMap;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Entries that expire, with a clock that the test moves. */
class TimeToLiveTest {
  private volatile long now = 1_000_000;
  private final InstantSource clock = () -> Instant.ofEpochMilli(now);
  private DB db;
  private TimeToLive ttl;

  @BeforeEach
  void open() {
    db = DB.open(Path.of("/db"), options(TimeToLive.filter(clock)));
    ttl = TimeToLive.of(db, Duration.ofMillis(100), clock);
  }

  private static Options options(CompactionFilter filter) {
    return Options.builder()
        .createIfMissing(true)
        .env(Env.inMemory())
        .compaction(c -> c.filter(filter))
        .build();
  }

  @AfterEach
  void close() {
    db.close();
  }

  private static byte[] b(String text) {
    return text.getBytes(StandardCharsets.ISO_8859_1);
  }

  private static String s(byte[] bytes) {
    return bytes == null ? "-" : new String(bytes, StandardCharsets.ISO_8859_1);
  }

  private static String content(DBReader view, ReadOptions options) {
    List<String> entries = new ArrayList<>();
    view.forEach(options, (key, value) -> entries.add(key.toUtf8String() + value.toUtf8String()));
    return String.join(" ", entries);
  }

  private static String content(DBReader view) {
    String forward = content(view, ReadOptions.DEFAULT);
    List<String> backward =
        Arrays.asList(content(view, ReadOptions.builder().descending(true).build()).split(" ", -1));
    java.util.Collections.reverse(backward);
    assertThat(String.join(" ", backward)).isEqualTo(forward);
    return forward;
  }

  @Test
  void entry_isFoundUpToItsTimeByEveryKindOfRead() throws Exception {
    ttl.put(b("a"), b("1"));
    now += 50;
    ttl.put(b("b"), b("2"));
    now += 49;
    assertThat(content(ttl)).isEqualTo("a1 b2");
    now += 1;
    assertThat(content(ttl)).isEqualTo("b2");
    assertThat(s(ttl.get(b("a")))).isEqualTo("-");
    assertThat(s(ttl.get(b("b")))).isEqualTo("2");
    assertThat(ttl.getAll(List.of(b("a"), b("b"), b("c"))))
        .extracting(TimeToLiveTest::s)
        .containsExactly("-", "2", "-");
    assertThat(ttl.find(b("a"), value -> 1)).isEmpty();
    assertThat(ttl.find(b("b"), value -> value.toUtf8String())).contains("2");
    assertThat(ttl.pinned(b("a"))).isNull();
    try (PinnedValue value = ttl.pinned(b("b"))) {
      assertThat(value.slice().toUtf8String()).isEqualTo("2");
    }
    ByteBuffer into = ByteBuffer.allocate(8);
    assertThat(ttl.get(ReadOptions.DEFAULT, ByteBuffer.wrap(b("a")), into)).isEqualTo(DB.NOT_FOUND);
    assertThat(ttl.get(ReadOptions.DEFAULT, ByteBuffer.wrap(b("b")), into)).isEqualTo(1);
    assertThat(into.position()).isEqualTo(1);
    try (DBIterator cursor = ttl.iterator()) {
      cursor.seek(b("a"));
      assertThat(s(cursor.key())).isEqualTo("b");
      assertThat(s(cursor.value())).isEqualTo("2");
      cursor.seekForPrev(ByteBuffer.wrap(b("aa")));
      assertThat(cursor.isValid()).isFalse();
      cursor.seek(ByteBuffer.wrap(b("b")));
      cursor.prev();
      assertThat(cursor.isValid()).isFalse();
    }
    now += 50;
    assertThat(content(ttl)).isEmpty();
  }

  @Test
  void keysOnly_readsKeysThatHaveNotExpired() {
    ttl.put(b("a"), b("1"));
    now += 100;
    ttl.put(b("b"), b("2"));
    assertThat(content(ttl, ReadOptions.KEYS)).isEqualTo("b");
    assertThat(ttl.containsKey(b("a"))).isFalse();
    assertThat(ttl.containsKey(b("b"))).isTrue();
    assertThat(ttl.get(ReadOptions.KEYS, b("a"))).isNull();
    assertThat(ttl.get(ReadOptions.KEYS, b("b"))).isEmpty();
    assertThat(ttl.getAll(ReadOptions.KEYS, List.of(b("a"), b("b"))))
        .extracting(TimeToLiveTest::s)
        .containsExactly("-", "");
  }

  @Test
  void snapshotsIteratorsAndTransactions_keepTheirTime() {
    ttl.put(b("a"), b("1"));
    ttl.put(b("b"), b("2"));
    try (Snapshot snapshot = ttl.snapshot();
        DBIterator cursor = ttl.iterator();
        Transaction transaction = ttl.transaction()) {
      now += 500;
      db.admin().compactRange(null, null);
      assertThat(content(ttl)).isEmpty();
      ReadOptions from = ReadOptions.at(snapshot);
      assertThat(content(ttl, from)).isEqualTo("a1 b2");
      assertThat(s(ttl.get(from, b("a")))).isEqualTo("1");
      assertThat(s(ttl.getAll(from, List.of(b("b"))).get(0))).isEqualTo("2");
      cursor.seekToLast();
      assertThat(s(cursor.value())).isEqualTo("2");
      assertThat(s(transaction.get(b("a")))).isEqualTo("1");
      assertThat(s(transaction.getForUpdate(b("b")))).isEqualTo("2");
      assertThat(content(ttl, ReadOptions.at(transaction.snapshot()))).isEqualTo("a1 b2");
      transaction.put(b("c"), b("3"));
      assertThat(transaction.stream(ReadOptions.DEFAULT)).hasSize(3);
      transaction.commit();
      assertThat(content(ttl)).isEqualTo("c3");
      assertThat(snapshot.sequence()).isEqualTo(2);
    }
  }

  @Test
  void expiredEntries_leaveTheDiskInACompaction() {
    ttl.put(b("a"), b("1"));
    ttl.withTimeToLive(ChronoUnit.FOREVER.getDuration()).put(b("b"), b("2"));
    now += 100;
    assertThat(db.get(b("a"))).isNotNull();
    db.admin().compactRange(null, null);
    assertThat(db.get(b("a"))).isNull();
    now = Long.MAX_VALUE;
    db.admin().compactRange(null, null);
    assertThat(content(ttl)).isEqualTo("b2");
    assertThat(ttl.expiresAt(b("b"))).contains(Instant.MAX);
  }

  @Test
  void expiredEntry_overAnOlderOneThatLives_hidesIt() {
    ttl.withTimeToLive(Duration.ofDays(1)).put(b("a"), b("old"));
    db.admin().compactRange(null, null);
    ttl.put(b("a"), b("new"));
    now += 100;
    assertThat(s(ttl.get(b("a")))).isEqualTo("-");
    db.admin().compactRange(null, null);
    assertThat(s(ttl.get(b("a")))).isEqualTo("-");
    assertThat(db.get(b("a"))).isNull();
  }

  @Test
  void entry_writtenAgain_livesAgain() {
    ttl.put(b("a"), b("1"));
    assertThat(ttl.expiresAt(b("a"))).contains(Instant.ofEpochMilli(1_000_100));
    now += 99;
    put(ByteBuffer.wrap(b("a")), ByteBuffer.wrap(b("2")));
    now += 99;
    assertThat(s(ttl.get(b("a")))).isEqualTo("2");
    now += 1;
    assertThat(ttl.expiresAt(b("a"))).isEmpty();
    assertThat(ttl.expiresAt(b("never"))).isEmpty();
  }

  private void put(ByteBuffer key, ByteBuffer value) {
    ttl.put(WriteOptions.DEFAULT, key, value);
  }

  @Test
  void conditions_takeExpiredEntriesForAbsent() {
    assertThat(ttl.putIfAbsent(b("a"), b("1"))).isTrue();
    assertThat(ttl.putIfAbsent(b("a"), b("2"))).isFalse();
    assertThat(ttl.compareAndSet(b("a"), b("1"), b("3"))).isTrue();
    now += 100;
    assertThat(ttl.compareAndSet(b("a"), b("3"), b("4"))).isFalse();
    assertThat(ttl.putIfAbsent(b("a"), b("5"))).isTrue();
    assertThat(s(ttl.update(b("a"), old -> b(s(old) + "6")))).isEqualTo("56");
    WriteBatch batch = WriteBatch.create().expectAbsent(b("a")).put(b("b"), b("1"));
    assertThatThrownBy(() -> ttl.write(batch))
        .isInstanceOfSatisfying(ConflictException.class, e -> assertThat(s(e.key())).isEqualTo("a"))
        .hasMessageContaining("'a'");
    WriteBatch longKey = WriteBatch.create().expect(b("k".repeat(1 << 20)), b("1"));
    assertThatThrownBy(() -> ttl.write(longKey))
        .hasMessageContaining("'" + "k".repeat(64) + "... (1048576 bytes)'");
    now += 100;
    ttl.write(batch.delete(b("c")));
    assertThat(content(ttl)).isEqualTo("b1");
  }

  /** A compaction may drop an entry between the time that is compared and its read. */
  @Test
  void expectations_areComparedAtATimeAfterTheirReads() {
    ttl.put(b("a"), b("1"));
    ttl.put(b("b"), b("1"));
    Runnable[] whenAsked = {() -> {}};
    TimeToLive other =
        TimeToLive.of(
            db,
            Duration.ofMillis(100),
            () -> {
              whenAsked[0].run();
              return Instant.ofEpochMilli(now);
            });
    whenAsked[0] = () -> db.delete(b("b"));
    WriteBatch batch =
        WriteBatch.create().expect(b("a"), b("1")).expectAbsent(b("b")).put(b("c"), b("1"));
    assertThatThrownBy(() -> other.write(batch)).isInstanceOf(ConflictException.class);
    assertThat(db.get(b("c"))).isNull();
  }

  @Test
  void viewOfABatch_appendsOperationsAndRefusesExpectations() {
    WriteBatch batch = WriteBatch.create();
    ttl.within(batch).append(WriteBatch.create().put(b("a"), b("1")).delete(b("b")));
    assertThatThrownBy(() -> ttl.within(batch).append(WriteBatch.create().expect(b("a"), b("1"))))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("TimeToLive.write");
    assertThat(batch.count()).isEqualTo(2);
    assertThat(batch.expectationCount()).isZero();
    db.write(batch);
    assertThat(content(ttl)).isEqualTo("a1");
  }

  @Test
  void expectation_ofASpaceOfTheView_isOneOfValuesWithoutTimes() {
    Space space = Space.of(ttl, "s/");
    space.put(b("a"), b("1"));
    WriteBatch batch = WriteBatch.create();
    space.within(batch).put(b("b"), b("2"));
    batch.expect(space.whole(b("a")), b("1"));
    ttl.write(batch);
    assertThat(content(ttl)).isEqualTo("s/a1 s/b2");
    now += 100;
    assertThat(ttl.tryWrite(WriteOptions.DEFAULT, batch)).isFalse();
  }

  @Test
  void updates_ofSeveralThreads_areAllThere() throws Exception {
    ttl.put(b("count"), b(""));
    List<Thread> threads = new ArrayList<>();
    for (int i = 0; i < 4; i++) {
      Thread thread =
          new Thread(
              () -> {
                for (int j = 0; j < 200; j++) {
                  ttl.update(b("count"), old -> b(s(old) + "x"));
                }
              });
      threads.add(thread);
      thread.start();
    }
    for (Thread thread : threads) {
      thread.join();
    }
    assertThat(ttl.get(b("count"))).hasSize(800);
  }

  @Test
  void batchLoadAndEncodedValue_liveFromTheirWriteOn() {
    ttl.write(WriteBatch.create().put(b("a"), b("1")));
    try (BulkLoader loader = ttl.loads().bulkLoader()) {
      loader.put(b("b"), b("2"));
      loader.put(ByteBuffer.wrap(b("c")), ByteBuffer.wrap(b("3")));
      assertThat(loader.entryCount()).isEqualTo(2);
      loader.finish();
    }
    db.write(WriteBatch.create().put(b("d"), ttl.encode(b("4"))).delete(b("x")));
    assertThat(content(ttl)).isEqualTo("a1 b2 c3 d4");
    now += 100;
    assertThat(content(ttl)).isEmpty();
  }

  @Test
  void value_thatWasWrittenBeside_isRefusedByReadsAndKeptByTheFilter() {
    db.put(b("a"), b("short"));
    db.put(b("b"), new byte[8]);
    for (String key : List.of("a", "b")) {
      assertThatThrownBy(() -> ttl.get(b(key))).isInstanceOf(UnsupportedFormatException.class);
    }
    assertThatThrownBy(() -> content(ttl)).isInstanceOf(UnsupportedFormatException.class);
    db.admin().compactRange(null, null);
    assertThat(db.get(b("b"))).hasSize(8);
  }

  /** The filter knows a value by its first byte alone. */
  @Test
  void filterOfAWholeDatabase_dropsOtherValuesThatLookExpired() {
    byte[] like = {(byte) 0xd7, 0, 0, 0, 0, 0, 0, 1, 'x'};
    db.put(b("a"), like);
    db.admin().compactRange(null, null);
    assertThat(db.get(b("a"))).isNull();
    db.close();
    db = DB.open(Path.of("/db"), options(TimeToLive.filter(clock).forPrefix(b("session/"))));
    db.put(b("a"), like);
    db.admin().compactRange(null, null);
    assertThat(db.get(b("a"))).isEqualTo(like);
  }

  @Test
  void transactionOfTheDatabase_readThroughAMap_hasTheTimeOfItsView() {
    DBMap<String, String> map = DBMap.of(ttl, Codecs.utf8(), Codecs.utf8());
    map.put("a", "1");
    try (Transaction transaction = db.transaction()) {
      Transaction view = ttl.within(transaction);
      assertThat(map.get(transaction, "a")).isEqualTo("1");
      now += 100;
      assertThat(map.get(view, "a")).isEqualTo("1");
      assertThat(map.get(transaction, "a")).as("each call is at the present time").isNull();
    }
  }

  @Test
  void clockThatThrows_leavesNothingOpen() {
    ttl.put(b("a"), b("1"));
    IllegalStateException failure = new IllegalStateException("no time");
    TimeToLive broken =
        TimeToLive.of(
            db,
            Duration.ofMillis(100),
            () -> {
              throw failure;
            });
    assertThatThrownBy(broken::snapshot).isSameAs(failure);
    assertThatThrownBy(broken::transaction).isSameAs(failure);
    assertThatThrownBy(broken::iterator).isSameAs(failure);
    assertThat(db.admin().stats().views().snapshots()).isZero();
    assertThat(db.admin().stats().views().iterators()).isZero();
  }

  @Test
  void spacesAndMaps_expireInAPartOfTheDatabase() {
    db.close();
    db = DB.open(Path.of("/db"), options(TimeToLive.filter(clock).forPrefix(b("session/"))));
    TimeToLive sessions = TimeToLive.of(Space.of(db, "session/"), Duration.ofMillis(100), clock);
    ConcurrentNavigableMap<String, String> map = DBMap.of(sessions, Codecs.utf8(), Codecs.utf8());
    map.put("ada", "1");
    assertThat(map.putIfAbsent("ada", "2")).isEqualTo("1");
    byte[] like = sessions.encode(b("x"));
    db.put(b("other"), like);
    Space inner = Space.of(sessions, "x");
    inner.put(b("y"), b("3"));
    try (Snapshot snapshot = inner.snapshot()) {
      now += 100;
      assertThat(map).isEmpty();
      assertThat(inner.get(b("y"))).isNull();
      assertThat(s(inner.get(ReadOptions.at(snapshot), b("y")))).isEqualTo("3");
    }
    assertThat(map.put("ada", "4")).isNull();
    now += 100;
    db.admin().compactRange(null, null);
    assertThat(content(db, ReadOptions.KEYS)).isEqualTo("other");
    assertThat(sessions.toString()).contains("PT0.1S").contains("session/");
  }

  @Test
  void timesOfAllSizes_neitherOverflowNorAreNegative() {
    assertThatThrownBy(() -> ttl.withTimeToLive(Duration.ofMillis(-1)))
        .isInstanceOf(IllegalArgumentException.class);
    ttl.withTimeToLive(Duration.ZERO).put(b("a"), b("1"));
    ttl.withTimeToLive(Duration.ofMillis((1L << 56) - 2 - now)).put(b("b"), b("2"));
    ttl.withTimeToLive(Duration.ofSeconds(Long.MAX_VALUE / 1000)).put(b("c"), b("3"));
    assertThat(content(ttl)).isEqualTo("b2 c3");
    assertThat(ttl.expiresAt(b("b"))).contains(Instant.ofEpochMilli((1L << 56) - 2));
    assertThat(ttl.expiresAt(b("c"))).contains(Instant.MAX);
  }

  /** A method of DB that the view inherits unseen would show stored values. */
  @Test
  void everyMethodOfADatabase_isDeclaredOrBuiltOnOthers() {
    Set<String> builtOnOthers =
        Set.of(
            "pinned",
            "get", // built on read
            "containsKey",
            "entries",
            "stream",
            "forEach",
            "find",
            "putIfAbsent",
            "compareAndSet",
            "update",
            "transact",
            "inTransaction",
            "writeAsync");
    Set<String> missing = new TreeSet<>();
    for (Method method : KeyValueStore.class.getMethods()) {
      boolean known =
          Modifier.isStatic(method.getModifiers())
              || !Modifier.isPublic(method.getModifiers())
              || builtOnOthers.contains(method.getName())
              || Arrays.stream(TimeToLive.class.getMethods())
                  .filter(own -> !own.getDeclaringClass().isInterface())
                  .anyMatch(own -> own.getName().equals(method.getName()));
      if (!known) {
        missing.add(method.toString());
      }
    }
    assertThat(missing).isEmpty();
  }

  @Test
  void cursor_atAValueWithoutATime_showsNoPartOfIt() {
    ttl.put(b("a"), b("1"));
    db.put(b("b"), b("0123456789"));
    try (DBIterator cursor = ttl.iterator()) {
      cursor.seekToFirst();
      assertThat(cursor.value()).isEqualTo(b("1"));
      assertThatThrownBy(cursor::next).isInstanceOf(UnsupportedFormatException.class);
      assertThatThrownBy(cursor::value).isInstanceOf(UnsupportedFormatException.class);
      assertThatThrownBy(cursor::valueSlice).isInstanceOf(UnsupportedFormatException.class);
    }
  }
}
