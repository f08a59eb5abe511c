package dev.kv.core.db;

import static org.assertj.core.api.Assertions.assertThat;

import dev.kv.BlockCache;
import dev.kv.CompressionType;
import dev.kv.DBComparator;
import dev.kv.DBIterator;
import dev.kv.Env;
import dev.kv.FilterPolicy;
import dev.kv.Options;
import dev.kv.ReadOptions;
import dev.kv.Slice;
import dev.kv.Snapshot;
import dev.kv.WriteOptions;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Random;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** A random walk over the operations, in step with a map, under several configurations. */
class ModelTest extends DbTestBase {
  private static final int STEPS = Boolean.getBoolean("kv.long") ? 200_000 : 4000;
  private static final long SEED = Long.getLong("kv.model.seed", 301);

  private static final DBComparator REVERSE =
      new DBComparator() {
        @Override
        public String name() {
          return "test.Reverse";
        }

        @Override
        public int compare(Slice a, Slice b) {
          return b.compareTo(a);
        }
      };

  enum Setting {
    DEFAULT {
      @Override
      Options.Builder set(Options.Builder options) {
        return options;
      }
    },
    TINY_BUFFERS {
      @Override
      Options.Builder set(Options.Builder options) {
        return options.writeBufferSize(64 << 10).maxFileSize(1 << 20).blockSize(1 << 10);
      }
    },
    NO_CACHE_FEW_FILES {
      @Override
      Options.Builder set(Options.Builder options) {
        return options
            .writeBufferSize(64 << 10)
            .blockCacheSize(0)
            .maxOpenFiles(74)
            .maxMappedTables(2)
            .compression(CompressionType.NONE);
      }
    },
    REUSE_LOGS {
      @Override
      Options.Builder set(Options.Builder options) {
        return options.writeBufferSize(128 << 10).reuseLogs(true);
      }
    },
    ZSTD_AND_FILTER {
      @Override
      Options.Builder set(Options.Builder options) {
        return options
            .writeBufferSize(64 << 10)
            .compression(CompressionType.ZSTD)
            .filterPolicy(FilterPolicy.bloom(10));
      }
    },
    REVERSE_COMPARATOR {
      @Override
      Options.Builder set(Options.Builder options) {
        return options.writeBufferSize(64 << 10).comparator(REVERSE).blockRestartInterval(1);
      }
    },
    IN_MEMORY_PARALLEL {
      @Override
      Options.Builder set(Options.Builder options) {
        return options
            .writeBufferSize(64 << 10)
            .env(Env.inMemory())
            .nativeSnappy(false)
            .maxBackgroundCompactions(3);
      }
    },
    SHARED_CACHE {
      @Override
      Options.Builder set(Options.Builder options) {
        return options.writeBufferSize(64 << 10).blockCache(BlockCache.create(256 << 10));
      }
    };

    abstract Options.Builder set(Options.Builder options);
  }

  private final List<Map.Entry<Snapshot, NavigableMap<String, String>>> snapshots =
      new ArrayList<>();
  private NavigableMap<String, String> model = new TreeMap<>();

  @ParameterizedTest
  @EnumSource
  void operations_atRandom_agreeWithAMap(Setting setting) {
    Options with = setting.set(Options.builder().createIfMissing(true)).build();
    Comparator<String> order = Comparator.naturalOrder();
    model = new TreeMap<>(setting == Setting.REVERSE_COMPARATOR ? order.reversed() : order);
    open(with);
    Random random = new Random(SEED + setting.ordinal());
    int step = 0;
    try {
      for (; step < STEPS; step++) {
        step(random);
      }
      compareAll(null, model);
    } catch (RuntimeException | AssertionError e) {
      throw new AssertionError(
          "step " + step + " under " + setting + ", -Dkv.model.seed=" + SEED, e);
    } finally {
      snapshots.forEach(each -> each.getKey().close());
      BlockCache shared = with.blockCache();
      if (shared != null) {
        close();
        shared.close();
      }
    }
  }

  private void step(Random random) {
    int choice = random.nextInt(1000);
    if (choice < 450) {
      String key = randomKey(random);
      String value = randomValue(random, random.nextInt(20) == 0 ? 20_000 : random.nextInt(150));
      db.put(new WriteOptions(random.nextInt(200) == 0), b(key), b(value));
      model.put(key, value);
    } else if (choice < 600) {
      String key = randomKey(random);
      delete(key);
      model.remove(key);
    } else if (choice < 700) {
      writeBatch(random);
    } else if (choice < 900) {
      get(random);
    } else if (choice < 960) {
      walk(random);
    } else if (choice < 975) {
      takeOrDropSnapshot(random);
    } else if (choice < 985) {
      checkSnapshot(random);
    } else if (choice < 990) {
      db.flush();
    } else if (choice < 993) {
      compact(null, randomKey(random));
    } else if (choice < 996) {
      compareAll(null, model);
    } else {
      snapshots.forEach(each -> each.getKey().close());
      snapshots.clear();
      reopen();
    }
  }

  private static String randomKey(Random random) {
    int kind = random.nextInt(10);
    if (kind == 0) {
      return "";
    }
    return kind < 3
        ? "x".repeat(random.nextInt(40)) + (char) random.nextInt(256)
        : key(random.nextInt(1500));
  }

  private void writeBatch(Random random) {
    var batch = batch();
    for (int i = random.nextInt(8); i >= 0; i--) {
      String key = randomKey(random);
      if (random.nextInt(3) == 0) {
        batch.delete(b(key));
        model.remove(key);
      } else {
        String value = randomValue(random, random.nextInt(100));
        batch.put(b(key), b(value));
        model.put(key, value);
      }
    }
    db.write(batch);
  }

  private void get(Random random) {
    String key = randomKey(random);
    assertThat(get(key)).as(key).isEqualTo(model.getOrDefault(key, NOT_FOUND));
  }

  private void takeOrDropSnapshot(Random random) {
    if (snapshots.size() < 4 || random.nextBoolean()) {
      snapshots.add(Map.entry(db.snapshot(), new TreeMap<>(model)));
    } else {
      snapshots.remove(random.nextInt(snapshots.size())).getKey().close();
    }
  }

  private void checkSnapshot(Random random) {
    if (!snapshots.isEmpty()) {
      Map.Entry<Snapshot, NavigableMap<String, String>> one =
          snapshots.get(random.nextInt(snapshots.size()));
      String key = randomKey(random);
      assertThat(get(key, one.getKey())).isEqualTo(one.getValue().getOrDefault(key, NOT_FOUND));
      compareAll(one.getKey(), one.getValue());
    }
  }

  private void compareAll(@Nullable Snapshot snapshot, NavigableMap<String, String> expected) {
    ReadOptions read = ReadOptions.builder().snapshot(snapshot).build();
    try (DBIterator cursor = db.iterator(read)) {
      cursor.seekToFirst();
      for (Map.Entry<String, String> entry : expected.entrySet()) {
        assertThat(at(cursor)).isEqualTo(entry.getKey() + "->" + entry.getValue());
        cursor.next();
      }
      assertThat(cursor.isValid()).isFalse();
      cursor.seekToLast();
      for (Map.Entry<String, String> entry : expected.descendingMap().entrySet()) {
        assertThat(at(cursor)).isEqualTo(entry.getKey() + "->" + entry.getValue());
        cursor.prev();
      }
      assertThat(cursor.isValid()).isFalse();
    }
  }

  /** Moves a cursor to and fro at random, from a random place, sometimes within bounds. */
  private void walk(Random random) {
    NavigableMap<String, String> view = model;
    ReadOptions.Builder read = ReadOptions.builder().fillCache(random.nextBoolean());
    if (random.nextInt(3) == 0) {
      String lower = randomKey(random);
      String upper = randomKey(random);
      Comparator<? super String> order = model.comparator();
      if (order != null && order.compare(lower, upper) <= 0) {
        read.lowerBound(b(lower)).upperBound(b(upper));
        view = model.subMap(lower, true, upper, false);
      }
    }
    try (DBIterator cursor = db.iterator(read.build())) {
      String target = randomKey(random);
      Map.Entry<String, String> expected;
      if (random.nextBoolean()) {
        cursor.seek(b(target));
        expected = view.ceilingEntry(target);
      } else {
        cursor.seekForPrev(b(target));
        expected = view.floorEntry(target);
      }
      for (int i = 0; i < 12; i++) {
        assertThat(at(cursor))
            .isEqualTo(
                expected == null ? "(invalid)" : expected.getKey() + "->" + expected.getValue());
        if (expected == null) {
          return;
        }
        if (random.nextInt(3) > 0) {
          cursor.next();
          expected = view.higherEntry(expected.getKey());
        } else {
          cursor.prev();
          expected = view.lowerEntry(expected.getKey());
        }
      }
    }
  }
}
