package dev.kv.core.compaction;

import static org.assertj.core.api.Assertions.assertThat;

import dev.kv.DBIterator;
import dev.kv.Options;
import dev.kv.ReadOptions;
import dev.kv.Snapshot;
import dev.kv.Transaction;
import dev.kv.TransactionOptions;
import dev.kv.WriteBatch;
import dev.kv.core.db.DbTestBase;
import dev.kv.errors.ConflictException;
import dev.kv.load.BulkLoader;
import dev.kv.options.CompactionFilter;
import dev.kv.options.CompactionFilter.Decision;
import dev.kv.options.CompressionType;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Random;
import java.util.TreeMap;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Random writes, reads, snapshots, iterators, transactions, range deletes, loads and reopens with a
 * filter, in step with a map. When a compaction drops an entry is not known, but two things are: a
 * read gives what the map has, or what the filter makes of it; and a snapshot or an iterator always
 * gives what it gave first.
 */
@Tag("one-jdk")
class CompactionFilterModelTest extends DbTestBase {
  private static final int SCALE = Boolean.getBoolean("kv.long") ? 100 : 1;
  private static final long SEED = Long.getLong("kv.seed", 20_261_123);
  private static final int STEPS = 3_000 * SCALE;
  private static final int KEYS = 300;

  /** Drops what begins with "d", and replaces what begins with "r" by "s" and the rest. */
  private static final CompactionFilter FILTER =
      (level, key, value) -> {
        String text = s(value.toByteArray());
        if (text.startsWith("r")) {
          return Decision.replace(b("s" + text.substring(1)));
        }
        return text.startsWith("d") ? Decision.DROP : Decision.KEEP;
      };

  /** A view that must not change, and what it showed first. */
  private record View(AutoCloseable handle, DBIterator cursor, Map<String, String> content) {}

  private final NavigableMap<String, String> model = new TreeMap<>();
  private final List<View> views = new ArrayList<>();
  private Random random;

  /** Returns the value after the filter; null if there is none. */
  private static String filtered(String value) {
    if (value == null || value.startsWith("d")) {
      return null;
    }
    return value.startsWith("r") ? "s" + value.substring(1) : value;
  }

  private Options options(int kind) {
    Options.Builder with =
        defaults().toBuilder()
            .compaction(c -> c.filter(FILTER))
            .writeBufferSize(64 << 10)
            .maxFileSize(1 << 20);
    return switch (kind) {
      case 0 -> with.build();
      case 1 -> with.compression(CompressionType.NONE).blockSize(1024).build();
      default -> with.compaction(c -> c.maxBackground(3)).reuseLogs(true).blockCacheSize(0).build();
    };
  }

  @ParameterizedTest
  @ValueSource(ints = {0, 1, 2})
  void operations_atRandomWithAFilter_agreeWithAMap(int kind) throws Exception {
    long seed = SEED + kind;
    random = new Random(seed);
    open(options(kind));
    for (int step = 0; step < STEPS; step++) {
      try {
        step();
      } catch (AssertionError | RuntimeException e) {
        throw new AssertionError("-Dkv.seed=" + SEED + ", step " + step + " of " + kind, e);
      }
    }
    closeViews();
    compact(null, null);
    model.replaceAll((key, value) -> filtered(value) == null ? "" : filtered(value));
    model.values().removeIf(String::isEmpty);
    assertThat(content((Snapshot) null)).isEqualTo(model);
    assertThat(db.admin().stats().filtered().dropped()).isPositive();
    assertThat(db.admin().stats().filtered().failures()).isZero();
  }

  private void step() throws Exception {
    int choice = random.nextInt(1000);
    if (choice < 600) {
      write();
    } else if (choice < 750) {
      check(randomKey());
    } else if (choice < 850) {
      conditional();
    } else if (choice < 920) {
      transact();
    } else if (choice < 950) {
      openOrCloseView();
    } else if (choice < 970) {
      checkView();
    } else if (choice < 980) {
      checkAll();
    } else {
      rare();
    }
  }

  private String randomKey() {
    return key(random.nextInt(KEYS));
  }

  private String randomValue() {
    String kind = List.of("d", "r", "k", "k").get(random.nextInt(4));
    return kind + random.nextInt(1_000_000) + "v".repeat(random.nextInt(20) == 0 ? 5000 : 200);
  }

  private void write() {
    WriteBatch batch = batch();
    for (int i = random.nextInt(4); i >= 0; i--) {
      String key = randomKey();
      if (random.nextInt(5) == 0) {
        batch.delete(b(key));
        model.remove(key);
      } else {
        String value = randomValue();
        batch.put(b(key), b(value));
        model.put(key, value);
      }
    }
    db.write(batch);
  }

  /** Compares a key with the map, and from then on expects what was found. */
  private String check(String key) {
    byte[] bytes = db.get(b(key));
    String found = bytes == null ? null : s(bytes);
    settle(key, found);
    return found;
  }

  private void settle(String key, String found) {
    String expected = model.get(key);
    assertThat(found).as(key).isIn(expected, filtered(expected));
    if (found == null) {
      model.remove(key);
    } else {
      model.put(key, found);
    }
  }

  private void conditional() {
    String key = randomKey();
    String before = model.get(key);
    String after = randomValue();
    byte[] expected = before == null ? null : b(before);
    if (db.compareAndSet(b(key), expected, b(after))) {
      model.put(key, after);
    } else {
      assertThat(filtered(before)).as(key).isNotEqualTo(before);
      assertThat(check(key)).isEqualTo(filtered(before));
    }
  }

  private void transact() {
    String read = randomKey();
    String written = randomKey();
    String value = randomValue();
    String seen = null;
    try (Transaction transaction = db.transaction(TransactionOptions.SERIALIZABLE)) {
      byte[] bytes = transaction.get(b(read));
      seen = bytes == null ? null : s(bytes);
      settle(read, seen);
      if (random.nextInt(4) == 0) {
        db.admin().flush();
      }
      transaction.put(b(written), b(value));
      transaction.commit();
      model.put(written, value);
    } catch (ConflictException e) {
      assertThat(s(e.key())).isIn(read, written);
      assertThat(filtered(model.get(s(e.key())))).isNotEqualTo(model.get(s(e.key())));
    }
  }

  private Map<String, String> content(Snapshot snapshot) {
    try (DBIterator cursor = db.iterator(ReadOptions.builder().snapshot(snapshot).build())) {
      return content(cursor);
    }
  }

  private Map<String, String> content(DBIterator cursor) {
    Map<String, String> content = new TreeMap<>();
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

  private void checkAll() {
    Map<String, String> content = content((Snapshot) null);
    for (int i = 0; i < KEYS; i++) {
      settle(key(i), content.get(key(i)));
    }
    assertThat(content).isEqualTo(model);
  }

  private void openOrCloseView() throws Exception {
    if (views.size() > 4 || (!views.isEmpty() && random.nextInt(3) == 0)) {
      View view = views.remove(random.nextInt(views.size()));
      checkView(view);
      view.handle().close();
    } else if (random.nextBoolean()) {
      Snapshot snapshot = db.snapshot();
      views.add(new View(snapshot, null, content(snapshot)));
    } else {
      DBIterator cursor = db.iterator();
      views.add(new View(cursor, cursor, content(cursor)));
    }
  }

  private void checkView() {
    if (!views.isEmpty()) {
      checkView(views.get(random.nextInt(views.size())));
    }
  }

  private void checkView(View view) {
    if (view.cursor() != null) {
      assertThat(content(view.cursor())).isEqualTo(view.content());
      return;
    }
    Snapshot snapshot = (Snapshot) view.handle();
    assertThat(content(snapshot)).isEqualTo(view.content());
    String key = randomKey();
    assertThat(get(key, snapshot)).isEqualTo(view.content().getOrDefault(key, NOT_FOUND));
  }

  private void closeViews() throws Exception {
    for (View view : views) {
      checkView(view);
      view.handle().close();
    }
    views.clear();
  }

  private void rare() throws Exception {
    int from = random.nextInt(KEYS);
    int to = Math.min(KEYS, from + random.nextInt(30));
    switch (random.nextInt(8)) {
      case 0 -> {
        db.deleteRange(b(key(from)), b(key(to)));
        model.subMap(key(from), key(to)).clear();
      }
      case 1 -> load(from, to);
      case 2 -> compact(key(from), key(to));
      case 3 -> compact(null, null);
      case 4 -> {
        if (random.nextInt(4) == 0) {
          closeViews();
          reopen();
          checkAll();
        }
      }
      default -> db.admin().flush();
    }
  }

  private void load(int from, int to) {
    try (BulkLoader loader = db.loads().bulkLoader()) {
      for (int i = from; i < to; i++) {
        String value = randomValue();
        loader.put(b(key(i)), b(value));
        model.put(key(i), value);
      }
      loader.finish();
    }
  }
}
