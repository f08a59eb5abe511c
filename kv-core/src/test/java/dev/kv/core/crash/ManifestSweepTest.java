package dev.kv.core.crash;

import static org.assertj.core.api.Assertions.assertThat;

import dev.kv.DB;
import dev.kv.DBIterator;
import dev.kv.Options;
import dev.kv.core.EnvFiles;
import dev.kv.env.Env;
import dev.kv.env.ForwardingEnv;
import dev.kv.errors.CorruptionException;
import dev.kv.load.BulkLoadOptions;
import dev.kv.load.BulkLoader;
import dev.kv.options.CompactionFilter;
import dev.kv.table.TableWriter;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * Damage in each record of a MANIFEST that holds flushes, compactions with a filter, bulk loads,
 * ingests and range deletes, in databases that were killed or closed after each of them. An open
 * gives the right answer or a {@link CorruptionException} and then deletes no table. Every change
 * is acknowledged, so nothing may be missing.
 */
@Tag("one-jdk")
final class ManifestSweepTest {
  private static final Path DIRECTORY = Path.of("/sweep/db");
  private static final Path INGESTED = Path.of("/sweep/table.ldb");
  private static final int SECTOR = 512;
  private static final int HEADER = 7;

  /** The filter drops these keys, at any time. */
  private static final String FILTERED = "filtered";

  /** The files after some changes, and what they hold. */
  private record Moment(String what, Map<String, byte[]> files, TreeMap<String, String> entries) {}

  private final TreeMap<String, String> entries = new TreeMap<>();
  private final List<Moment> moments = new ArrayList<>();
  private int right;
  private int refused;

  private static Options.Builder options(Env env) {
    return Options.builder()
        .env(env)
        .createIfMissing(true)
        .writeBufferSize(64 << 10)
        .compaction(
            compaction ->
                compaction.filter(
                    (level, key, value) ->
                        new String(key.toByteArray(), StandardCharsets.UTF_8).startsWith(FILTERED)
                            ? CompactionFilter.Decision.DROP
                            : CompactionFilter.Decision.KEEP));
  }

  private static byte[] bytes(String text) {
    return text.getBytes(StandardCharsets.UTF_8);
  }

  private static String key(int number) {
    return String.format(Locale.ROOT, "key%05d", number);
  }

  private void change(DB db, Env env, Random random, int number) throws IOException {
    int at = random.nextInt(500);
    switch (number % 7) {
      case 0, 4 -> {
        for (int i = 0; i < 20; i++) {
          String key = key(random.nextInt(500));
          db.put(bytes(key), bytes("put" + number));
          entries.put(key, "put" + number);
          db.put(bytes(FILTERED + i), bytes("x"));
        }
      }
      case 1 -> {
        try (BulkLoader loader =
            db.loads().bulkLoader(BulkLoadOptions.builder().sorted(random.nextBoolean()).build())) {
          for (int i = at; i < at + 30; i++) {
            loader.put(bytes(key(i)), bytes("load" + number));
            entries.put(key(i), "load" + number);
          }
          loader.finish();
        }
      }
      case 2 -> db.admin().flush();
      case 3 -> {
        db.deleteRange(bytes(key(at)), bytes(key(at + 50)));
        entries.subMap(key(at), key(at + 50)).clear();
      }
      case 5 -> {
        int from = 1000 + 20 * number;
        try (TableWriter table = TableWriter.forIngest(INGESTED, options(env).build())) {
          for (int i = from; i < from + 20; i++) {
            table.put(bytes(key(i)), bytes("ingest" + number));
            entries.put(key(i), "ingest" + number);
          }
          table.finish();
        }
        db.loads().ingest(List.of(INGESTED));
        env.delete(INGESTED);
      }
      default -> db.admin().compactRange(null, null);
    }
  }

  private void build(long seed, boolean reuse, int changes) throws IOException {
    Env env = Env.inMemory();
    env.createDirectory(DIRECTORY.getParent());
    Random random = new Random(seed);
    int number = 0;
    while (number < changes) {
      int end = Math.min(changes, number + 8 + random.nextInt(5));
      try (DB db = DB.open(DIRECTORY, options(env).reuseLogs(reuse).build())) {
        for (; number < end; number++) {
          change(db, env, random, number);
          if (number % 7 == 3 || number % 7 == 5 || number == end - 1) {
            remember("killed after change " + number, env);
          }
        }
      }
      remember("closed after change " + (number - 1), env);
    }
  }

  private void remember(String what, Env env) throws IOException {
    Map<String, byte[]> files = new TreeMap<>();
    for (String name : env.list(DIRECTORY)) {
      if (!name.equals("LOCK")) {
        files.put(name, EnvFiles.read(env, DIRECTORY.resolve(name)));
      }
    }
    moments.add(new Moment(what, files, new TreeMap<>(entries)));
  }

  private void sweep(int everyMoment, int bits, int payloadStep) throws IOException {
    for (int i = 0; i < moments.size(); i += everyMoment) {
      Moment moment = moments.get(i);
      open(moment, "undamaged", moment.files());
      assertThat(refused).as("%s, undamaged", moment.what()).isZero();
    }
    for (int i = 0; i < moments.size(); i += everyMoment) {
      Moment moment = moments.get(i);
      for (String name : moment.files().keySet()) {
        if (name.startsWith("MANIFEST-")) {
          sweep(moment, name, bits, payloadStep);
        }
      }
    }
  }

  private void sweep(Moment moment, String name, int bits, int payloadStep) throws IOException {
    byte[] whole = moment.files().get(name);
    List<Integer> records = LostEditTest.recordsOf(whole);
    for (int record : records) {
      int end = record + HEADER + (whole[record + 4] & 0xff | (whole[record + 5] & 0xff) << 8);
      for (int at = record; at < end; at += at < record + HEADER ? 1 : payloadStep) {
        for (int bit = 0; bit < bits; bit++) {
          byte[] damaged = whole.clone();
          damaged[at] ^= (byte) (1 << ((bit + at) % 8));
          damaged(moment, name, damaged, "a flipped bit in byte " + at);
        }
      }
      for (int cut : new int[] {record, record + 3, record + HEADER, (record + end) / 2, end - 1}) {
        damaged(moment, name, Arrays.copyOf(whole, cut), "cut to " + cut);
      }
      byte[] zeros = whole.clone();
      Arrays.fill(zeros, record, whole.length, (byte) 0);
      damaged(moment, name, zeros, "zeros from " + record);
    }
    for (int at = 0; at < whole.length; at += SECTOR) {
      byte[] zeros = whole.clone();
      Arrays.fill(zeros, at, Math.min(at + SECTOR, whole.length), (byte) 0);
      damaged(moment, name, zeros, "a zeroed sector at " + at);
    }
  }

  private void damaged(Moment moment, String name, byte[] damaged, String how) throws IOException {
    Map<String, byte[]> files = new TreeMap<>(moment.files());
    files.put(name, damaged);
    open(moment, name + ": " + how, files);
  }

  private void open(Moment moment, String how, Map<String, byte[]> files) throws IOException {
    Env env = new Unpaused(Env.inMemory());
    env.createDirectory(DIRECTORY);
    for (Map.Entry<String, byte[]> file : files.entrySet()) {
      EnvFiles.write(env, DIRECTORY.resolve(file.getKey()), file.getValue());
    }
    String what = moment.what() + ", " + how;
    TreeMap<String, String> found = new TreeMap<>();
    try (DB db = DB.open(DIRECTORY, options(env).createIfMissing(false).build());
        DBIterator all = db.iterator()) {
      for (all.seekToFirst(); all.isValid(); all.next()) {
        String key = new String(all.key(), StandardCharsets.UTF_8);
        if (!key.startsWith(FILTERED)) {
          found.put(key, new String(all.value(), StandardCharsets.UTF_8));
        }
      }
    } catch (CorruptionException e) {
      refused++;
      Set<String> names = new HashSet<>(files.keySet());
      names.removeIf(each -> !each.endsWith(".ldb"));
      assertThat(env.list(DIRECTORY)).as(what).containsAll(names);
      return;
    }
    assertThat(found).as(what).isEqualTo(moment.entries());
    right++;
  }

  /** An environment without pauses. */
  private static final class Unpaused extends ForwardingEnv {
    Unpaused(Env target) {
      super(target);
    }

    @Override
    public void sleepMicros(long micros) {
      Thread.yield();
    }
  }

  @Test
  void open_afterDamageInAnyRecord_isRightOrRefused() throws IOException {
    for (boolean reuse : new boolean[] {false, true}) {
      for (long seed : Seeds.of(ManifestSweepTest.class, 1, 8).toArray()) {
        moments.clear();
        entries.clear();
        refused = 0;
        build(seed, reuse, Seeds.LONG ? 60 : 22);
        try {
          sweep(Seeds.LONG ? 1 : 2, Seeds.LONG ? 8 : 2, Seeds.LONG ? 1 : 7);
        } catch (AssertionError e) {
          throw new AssertionError("seed " + seed + ", logs reused " + reuse, e);
        }
        assertThat(refused).isGreaterThan(right / 10);
        System.out.println(
            "ManifestSweepTest: seed "
                + seed
                + ", right answers so far "
                + right
                + ", refused "
                + refused);
      }
    }
  }
}
