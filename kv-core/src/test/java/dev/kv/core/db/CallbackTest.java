package dev.kv.core.db;

import static org.assertj.core.api.Assertions.assertThat;

import dev.kv.DB;
import dev.kv.DBIterator;
import dev.kv.Dump;
import dev.kv.FilterPolicy;
import dev.kv.Options;
import dev.kv.ReadOptions;
import dev.kv.WriteBatch;
import dev.kv.backup.Backups;
import dev.kv.bytes.DBComparator;
import dev.kv.bytes.Slice;
import dev.kv.change.ChangePosition;
import dev.kv.change.Changes;
import dev.kv.change.OperationHandler;
import dev.kv.env.Env;
import dev.kv.errors.DBException;
import dev.kv.load.BulkLoadOptions;
import dev.kv.load.BulkLoader;
import dev.kv.map.Codec;
import dev.kv.map.Codecs;
import dev.kv.map.DBMap;
import dev.kv.options.CompactionFilter;
import dev.kv.options.CompressionType;
import dev.kv.options.LogRetention;
import dev.kv.table.TableWriter;
import dev.kv.ttl.TimeToLive;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.TreeMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * What the program's own code can do while the library calls it: close the database, throw, and
 * call the database again. At each place that calls out, the caller gets the result or an
 * exception, nothing hangs, and everything that was acknowledged is there after the next open.
 */
@ExtendWith(LeakCheck.class)
@Timeout(value = 60, unit = TimeUnit.SECONDS, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class CallbackTest {
  private static final Path DIRECTORY = Path.of("/callbacks/db");
  private static final int KEYS = 300;
  private static final Path TABLE = Path.of("/callbacks/table.ldb");

  private final Env env = Env.inMemory();
  private final AtomicBoolean armed = new AtomicBoolean();
  private final AtomicBoolean called = new AtomicBoolean();
  private final CountDownLatch ended = new CountDownLatch(1);
  private volatile @Nullable Throwable inside;
  private final TreeMap<String, String> expected = new TreeMap<>();
  private What what = What.NOTHING;
  private Place place = Place.READ;
  private @Nullable DB db;
  private @Nullable BulkLoader loader;

  /** What the program's code does when it is called. */
  enum What {
    NOTHING,
    CLOSE,
    THROW,
    FAIL,
    REENTER
  }

  /** The failure that the program's code throws. */
  private static final class Mine extends RuntimeException {
    private static final long serialVersionUID = 1;
  }

  /** The places that call the program's code. */
  enum Place {
    READ,
    FIND,
    FOR_EACH,
    FOR_EACH_OF_TRANSACTION,
    UPDATE,
    TRANSACT,
    MAP_COMPUTE,
    MAP_MERGE,
    MAP_REMOVE_IF,
    CODEC_ENCODE,
    CODEC_DECODE,
    BATCH,
    CHANGES,
    UNSORTED_LOAD,
    UNSORTED_LOAD_THAT_CLOSES_ITSELF,
    BACKUP,
    BACKUP_VERIFY,
    BACKUP_RESTORE,
    DUMP,
    CLOCK,
    LISTENER,
    COMPACTION_FILTER,
    COMPARATOR_PUT,
    COMPARATOR_GET,
    COMPARATOR_ITERATOR,
    COMPARATOR_FLUSH,
    COMPARATOR_COMPACTION,
    COMPARATOR_INGEST,
    FILTER_POLICY_FLUSH,
    FILTER_POLICY_GET,
    FILTER_POLICY_LOAD
  }

  static List<Arguments> all() {
    List<Arguments> all = new ArrayList<>();
    for (Place place : Place.values()) {
      for (What what : What.values()) {
        // A comparator must not write: the write that calls it holds back all others.
        if (place != Place.COMPARATOR_PUT || what != What.CLOSE && what != What.REENTER) {
          all.add(Arguments.of(place, what));
        }
      }
    }
    return all;
  }

  @ParameterizedTest
  @MethodSource("all")
  void callback_thatClosesThrowsOrCallsAgain_harmsNothing(Place at, What does) throws Exception {
    place = at;
    what = does;
    Options options = options();
    DB opened = DB.open(DIRECTORY, options);
    db = opened;
    for (int i = 0; i < KEYS; i++) {
      put(key(i), "value " + i);
      if (i % 100 == 99) {
        opened.admin().flush();
      }
    }
    put(key(1), "unflushed");
    if (place == Place.COMPARATOR_INGEST) {
      writeTable(options);
    }
    armed.set(true);
    Throwable thrown = null;
    try {
      run(opened);
    } catch (Throwable e) { // judged below
      thrown = e;
    }
    assertThat(ended.await(30, TimeUnit.SECONDS)).as("the program's code was called").isTrue();
    armed.set(false);
    judge(thrown);
    BulkLoader open = loader;
    if (open != null) {
      open.close();
    }
    opened.close();
    try (DB again = DB.open(DIRECTORY, options)) {
      TreeMap<String, String> found = new TreeMap<>();
      again.forEach(
          ReadOptions.DEFAULT,
          (key, value) -> {
            String text = key.toUtf8String();
            if (text.startsWith("key") && (place != Place.COMPARATOR_PUT || !text.equals(key(0)))) {
              found.put(text, value.toUtf8String());
            }
          });
      assertThat(found).isEqualTo(expected);
    }
  }

  private void judge(@Nullable Throwable thrown) {
    switch (what) {
      case NOTHING, REENTER -> {
        assertThat(thrown).isNull();
        assertThat(inside).as("what the call on the database's own thread threw").isNull();
      }
      case CLOSE ->
          assertThat(thrown)
              .satisfiesAnyOf(
                  e -> assertThat(e).isNull(),
                  e -> assertThat(e).isInstanceOf(DBException.class),
                  e -> assertThat(e).isInstanceOf(IllegalStateException.class));
      default -> {
        for (Throwable e = thrown; e != null; e = e.getCause()) {
          if (e instanceof Mine || e instanceof StackOverflowError) {
            return;
          }
        }
        // On a thread of the database, an exception is logged, and the caller is not affected.
        assertThat(thrown).isNull();
      }
    }
  }

  /** What each place calls. */
  private void callback() {
    if (!armed.get() || !called.compareAndSet(false, true)) {
      return;
    }
    try {
      act();
    } catch (Throwable e) {
      inside = e;
      throw e;
    } finally {
      ended.countDown();
    }
  }

  private void act() {
    DB database = db;
    BulkLoader open = loader;
    switch (what) {
      case NOTHING -> {}
      case CLOSE -> {
        if (place == Place.UNSORTED_LOAD_THAT_CLOSES_ITSELF && open != null) {
          open.close();
        } else if (database != null) {
          database.close();
        }
      }
      case THROW -> throw new Mine();
      case FAIL -> throw new StackOverflowError("mine");
      default -> {
        if (database != null) {
          assertThat(database.get(bytes(key(2)))).isEqualTo(bytes("value 2"));
          put("key again", "again");
          try (DBIterator cursor = database.iterator()) {
            cursor.seekToLast();
            assertThat(cursor.isValid()).isTrue();
          }
          database.transact(transaction -> transaction.put(bytes("other"), bytes("again")));
        }
      }
    }
  }

  private void run(DB opened) throws Exception {
    byte[] key = bytes(key(0));
    switch (place) {
      case READ -> opened.read(key, value -> call(value.toByteArray()));
      case FIND -> opened.find(key, value -> call(value.toByteArray()));
      case FOR_EACH -> opened.forEach(ReadOptions.DEFAULT, (k, value) -> callback());
      case FOR_EACH_OF_TRANSACTION ->
          opened.transact(
              transaction -> {
                transaction.put(bytes("other"), key);
                transaction.forEach(ReadOptions.DEFAULT, (k, value) -> callback());
                return null;
              });
      case UPDATE -> {
        opened.update(key, value -> call(bytes("updated")));
        expected.put(key(0), "updated");
      }
      case TRANSACT -> {
        opened.transact(
            transaction -> {
              transaction.put(key, bytes("updated"));
              callback();
              return null;
            });
        expected.put(key(0), "updated");
      }
      case MAP_COMPUTE -> {
        DBMap.of(opened, Codecs.utf8(), Codecs.utf8()).compute(key(0), (k, v) -> call("updated"));
        expected.put(key(0), "updated");
      }
      case MAP_MERGE -> {
        DBMap.of(opened, Codecs.utf8(), Codecs.utf8())
            .merge(key(0), "x", (a, b) -> call("updated"));
        expected.put(key(0), "updated");
      }
      case MAP_REMOVE_IF ->
          DBMap.of(opened, Codecs.utf8(), Codecs.utf8())
              .values()
              .removeIf(
                  value -> {
                    callback();
                    return false;
                  });
      case CODEC_ENCODE -> {
        DBMap.of(opened, Codecs.utf8(), calling()).set(key(0), "updated");
        expected.put(key(0), "updated");
      }
      case CODEC_DECODE -> DBMap.of(opened, Codecs.utf8(), calling()).get(key(0));
      case BATCH -> WriteBatch.create().put(key, key).iterate(handler());
      case CHANGES -> {
        try (Changes changes = opened.changes().open(opened.changes().oldestPosition())) {
          ChangePosition before = changes.position();
          changes.take().iterate(handler());
          assertThat(before).isNotNull();
        }
      }
      case UNSORTED_LOAD, UNSORTED_LOAD_THAT_CLOSES_ITSELF -> load(opened, false);
      case FILTER_POLICY_LOAD -> load(opened, true);
      case COMPARATOR_INGEST -> {
        opened.loads().ingest(List.of(TABLE));
        expected.put("key ingest", "ingested");
      }
      case BACKUP -> backups().create(opened.admin(), (bytes, total) -> callback());
      case BACKUP_VERIFY -> {
        backups().create(opened.admin());
        backups().verify(1, (bytes, total) -> callback());
      }
      case BACKUP_RESTORE -> {
        backups().create(opened.admin());
        backups().restore(1, Path.of("/callbacks/restored"), (bytes, total) -> callback());
      }
      case DUMP ->
          Dump.file(
              DIRECTORY.resolve("CURRENT").resolveSibling(manifest()),
              options(),
              line -> callback());
      case CLOCK -> {
        TimeToLive times = TimeToLive.of(opened, Duration.ofDays(1), () -> call(Instant.EPOCH));
        times.put(bytes("other"), key);
      }
      case COMPACTION_FILTER, COMPARATOR_COMPACTION -> opened.admin().compactRange(null, null);
      case LISTENER, COMPARATOR_FLUSH, FILTER_POLICY_FLUSH -> opened.admin().flush();
      case COMPARATOR_PUT -> {
        expected.remove(key(0)); // its outcome is unknown if the comparator fails
        opened.put(key, bytes("updated"));
      }
      case COMPARATOR_GET, FILTER_POLICY_GET -> opened.get(key);
      default -> {
        try (DBIterator cursor = opened.iterator()) {
          cursor.seek(key);
        }
      }
    }
  }

  private String manifest() throws Exception {
    return env.list(DIRECTORY).stream()
        .filter(name -> name.startsWith("MANIFEST"))
        .findFirst()
        .orElseThrow();
  }

  private Backups backups() {
    return Backups.at(Path.of("/callbacks/backups"), env);
  }

  private static void writeTable(Options options) {
    try (TableWriter writer = TableWriter.forIngest(TABLE, options)) {
      writer.put(bytes("key ingest"), bytes("ingested"));
      writer.finish();
    }
  }

  private void load(DB opened, boolean sorted) {
    BulkLoadOptions options =
        BulkLoadOptions.builder().sorted(sorted).progress((done, total) -> callback()).build();
    BulkLoader loading = opened.loads().bulkLoader(options);
    loader = loading;
    TreeMap<String, String> loaded = new TreeMap<>();
    String value =
        "loaded".repeat(20); // more than one table, so a thread of the load ends the first
    for (int i = 0; i < 20_000; i++) {
      String key = String.format(Locale.ROOT, "key load %06d", i);
      loading.put(bytes(key), bytes(value));
      loaded.put(key, value);
    }
    loading.finish();
    expected.putAll(loaded);
  }

  private Codec<String> calling() {
    return Codec.of(text -> call(bytes(text)), bytes -> call(bytes.toUtf8String()));
  }

  private OperationHandler handler() {
    return new OperationHandler() {
      @Override
      public void put(Slice key, Slice value) {
        callback();
        assertThat(key.length()).isPositive();
      }

      @Override
      public void delete(Slice key) {
        callback();
      }
    };
  }

  private Options options() {
    Options.Builder options = Options.builder().createIfMissing(true).env(env);
    switch (place) {
      case CHANGES -> options.logRetention(LogRetention.ofBytes(1 << 20));
      case LISTENER -> options.monitoring(m -> m.listener(event -> callback()));
      case COMPACTION_FILTER ->
          options.compaction(
              c -> c.filter((level, key, value) -> call(CompactionFilter.Decision.KEEP)));
      case COMPARATOR_PUT,
          COMPARATOR_GET,
          COMPARATOR_ITERATOR,
          COMPARATOR_FLUSH,
          COMPARATOR_COMPACTION,
          COMPARATOR_INGEST ->
          options.comparator(
              DBComparator.of(
                  "test.Calling",
                  (a, b) -> {
                    callback();
                    return a.compareTo(b);
                  }));
      case FILTER_POLICY_FLUSH, FILTER_POLICY_GET -> options.filterPolicy(new CallingPolicy());
      case FILTER_POLICY_LOAD ->
          options
              .filterPolicy(new CallingPolicy())
              .compression(CompressionType.NONE)
              .maxFileSize(1 << 20);
      default -> {}
    }
    return options.build();
  }

  /** A filter that excludes nothing. */
  private final class CallingPolicy implements FilterPolicy {
    @Override
    public String name() {
      return "test.Calling";
    }

    @Override
    public byte[] createFilter(List<Slice> keys) {
      return call(new byte[1]);
    }

    @Override
    public boolean keyMayMatch(Slice key, Slice filter) {
      return call(true);
    }
  }

  private <T> T call(T result) {
    callback();
    return result;
  }

  private void put(String key, String value) {
    DB database = db;
    if (database != null) {
      database.put(bytes(key), bytes(value));
      expected.put(key, value);
    }
  }

  private static String key(int number) {
    return String.format(Locale.ROOT, "key %03d", number);
  }

  private static byte[] bytes(String text) {
    return text.getBytes(StandardCharsets.UTF_8);
  }
}
