package dev.kv.ttl;

import static org.assertj.core.api.Assertions.assertThat;

import dev.kv.DB;
import dev.kv.DBIterator;
import dev.kv.DBReader;
import dev.kv.Options;
import dev.kv.ReadOptions;
import dev.kv.Snapshot;
import dev.kv.Transaction;
import dev.kv.TransactionOptions;
import dev.kv.WriteBatch;
import dev.kv.errors.ConflictException;
import dev.kv.load.BulkLoader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Random;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Random operations on entries that expire, in step with a map of values and times. The clock moves
 * between the operations, and compactions drop what has expired; every answer is known exactly.
 */
class TimeToLiveModelTest {
  private static final int SCALE = Boolean.getBoolean("kv.long") ? 100 : 1;
  private static final long SEED = Long.getLong("kv.seed", 20_261_124);
  private static final int STEPS = 3_000 * SCALE;
  private static final int KEYS = 200;

  private record Timed(String value, long expiry) {}

  private record View(AutoCloseable handle, long time, TreeMap<String, String> content) {}

  @TempDir Path temp;
  private volatile long now = 1_000_000;
  private final InstantSource clock = () -> Instant.ofEpochMilli(now);
  private final Options options =
      Options.builder()
          .createIfMissing(true)
          .writeBufferSize(64 << 10)
          .compaction(c -> c.filter(TimeToLive.filter(clock)))
          .build();
  private final TreeMap<String, Timed> model = new TreeMap<>();
  private final List<View> views = new ArrayList<>();
  private final Random random = new Random(SEED);
  private DB db;

  private static byte[] b(String text) {
    return text.getBytes(StandardCharsets.ISO_8859_1);
  }

  private static String s(byte[] bytes) {
    return bytes == null ? null : new String(bytes, StandardCharsets.ISO_8859_1);
  }

  private String randomKey() {
    return String.format(Locale.ROOT, "key%03d", random.nextInt(KEYS));
  }

  private String randomValue() {
    return random.nextInt(1_000_000) + "v".repeat(random.nextInt(20) == 0 ? 4000 : 150);
  }

  /** A view with a random time to live, mostly one that ends within the test. */
  private TimeToLive view(int millis) {
    return TimeToLive.of(db, Duration.ofMillis(millis), clock);
  }

  private int randomTime() {
    return random.nextInt(8) == 0 ? 1_000_000_000 : random.nextInt(3000);
  }

  private TreeMap<String, String> live() {
    TreeMap<String, String> live = new TreeMap<>();
    model.forEach(
        (key, timed) -> {
          if (timed.expiry() > now) {
            live.put(key, timed.value());
          }
        });
    return live;
  }

  @Test
  void operations_atRandomWhileTimePasses_agreeWithAMap() throws Exception {
    db = DB.open(temp.resolve("db"), options);
    try {
      for (int step = 0; step < STEPS; step++) {
        try {
          now += random.nextInt(3);
          step();
        } catch (AssertionError | RuntimeException e) {
          throw new AssertionError("-Dkv.seed=" + SEED + ", step " + step, e);
        }
      }
      closeViews();
      db.admin().compactRange(null, null);
      assertThat(content(db)).hasSameSizeAs(live());
      assertThat(db.admin().stats().filtered().dropped()).isPositive();
    } finally {
      closeViews();
      db.close();
    }
  }

  private void step() throws Exception {
    TimeToLive ttl = view(randomTime());
    int choice = random.nextInt(1000);
    if (choice < 550) {
      write();
    } else if (choice < 700) {
      String key = randomKey();
      assertThat(s(ttl.get(b(key)))).as(key).isEqualTo(live().get(key));
    } else if (choice < 780) {
      conditional();
    } else if (choice < 860) {
      transact();
    } else if (choice < 900) {
      openOrCloseView(ttl);
    } else if (choice < 940 && !views.isEmpty()) {
      check(views.get(random.nextInt(views.size())));
    } else if (choice < 960) {
      assertThat(content(ttl)).isEqualTo(live());
    } else if (choice < 975) {
      db.admin().flush();
    } else {
      rare();
    }
  }

  private void write() {
    int millis = randomTime();
    WriteBatch batch = WriteBatch.create();
    for (int i = random.nextInt(3); i >= 0; i--) {
      String key = randomKey();
      if (random.nextInt(6) == 0) {
        batch.delete(b(key));
        model.remove(key);
      } else {
        String value = randomValue();
        batch.put(b(key), b(value));
        model.put(key, new Timed(value, now + millis));
      }
    }
    view(millis).write(batch);
  }

  private void conditional() {
    int millis = randomTime();
    String key = randomKey();
    String value = randomValue();
    String present = live().get(key);
    String expected = random.nextInt(4) == 0 ? "wrong" : present;
    boolean done =
        view(millis).compareAndSet(b(key), expected == null ? null : b(expected), b(value));
    assertThat(done).isEqualTo(expected == present);
    if (done) {
      model.put(key, new Timed(value, now + millis));
    }
  }

  private void transact() {
    int millis = randomTime();
    String read = randomKey();
    String written = randomKey();
    String value = randomValue();
    TreeMap<String, String> live = live();
    try (Transaction transaction = view(millis).transaction(TransactionOptions.SERIALIZABLE)) {
      now += random.nextInt(2000) - 1900 > 0 ? 500 : 0;
      assertThat(s(transaction.get(b(read)))).isEqualTo(live.get(read));
      transaction.put(b(written), b(value));
      assertThat(s(transaction.get(b(written)))).isEqualTo(value);
      transaction.commit();
      model.put(written, new Timed(value, now + millis));
    } catch (ConflictException dropped) {
      // A compaction has dropped the expired entry of a key that the transaction depends on.
      assertThat(model.get(s(dropped.key())).expiry()).isLessThanOrEqualTo(now);
    }
  }

  private TreeMap<String, String> content(DBReader view, ReadOptions read) {
    try (DBIterator cursor = view.iterator(read)) {
      return content(cursor);
    }
  }

  private TreeMap<String, String> content(DBReader view) {
    return content(view, ReadOptions.DEFAULT);
  }

  private TreeMap<String, String> content(DBIterator cursor) {
    TreeMap<String, String> content = new TreeMap<>();
    if (random.nextBoolean()) {
      for (cursor.seekToFirst(); cursor.isValid(); cursor.next()) {
        content.put(s(cursor.key()), s(cursor.value()));
      }
    } else {
      for (cursor.seekToLast(); cursor.isValid(); cursor.prev()) {
        content.put(s(cursor.key()), s(cursor.value()));
      }
    }
    return content;
  }

  private void openOrCloseView(TimeToLive ttl) throws Exception {
    if (views.size() > 4) {
      View view = views.remove(random.nextInt(views.size()));
      check(view);
      view.handle().close();
    } else {
      views.add(new View(random.nextBoolean() ? ttl.snapshot() : ttl.iterator(), now, live()));
    }
  }

  private void check(View view) {
    if (view.handle() instanceof DBIterator cursor) {
      assertThat(content(cursor)).isEqualTo(view.content());
    } else {
      ReadOptions read = ReadOptions.at((Snapshot) view.handle());
      assertThat(content(view(1), read)).isEqualTo(view.content());
      String key = randomKey();
      assertThat(s(view(1).get(read, b(key)))).isEqualTo(view.content().get(key));
    }
  }

  private void closeViews() throws Exception {
    for (View view : views) {
      check(view);
      view.handle().close();
    }
    views.clear();
  }

  private void rare() throws Exception {
    String from = randomKey();
    String to = randomKey();
    switch (random.nextInt(5)) {
      case 0 -> db.admin().compactRange(null, null);
      case 1 -> {
        if (from.compareTo(to) < 0 && random.nextInt(5) == 0) {
          view(1).deleteRange(b(from), b(to));
          model.subMap(from, to).clear();
        }
      }
      case 2 -> {
        int millis = randomTime();
        try (BulkLoader loader = view(millis).loads().bulkLoader()) {
          for (int i = 0; i < 10; i++) {
            String key = String.format(Locale.ROOT, "key%03d", i * 7);
            String value = randomValue();
            loader.put(b(key), b(value));
            model.put(key, new Timed(value, now + millis));
          }
          loader.finish();
        }
      }
      case 3 -> now += random.nextInt(1000);
      default -> {
        if (random.nextInt(5) == 0) {
          closeViews();
          db.close();
          db = DB.open(temp.resolve("db"), options);
        }
      }
    }
  }
}
