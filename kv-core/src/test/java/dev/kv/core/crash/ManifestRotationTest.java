package dev.kv.core.crash;

import static org.assertj.core.api.Assertions.assertThat;

import dev.kv.DB;
import dev.kv.Options;
import dev.kv.ReadOptions;
import dev.kv.WriteBatch;
import dev.kv.WriteOptions;
import dev.kv.core.Bytes;
import dev.kv.core.env.FileName;
import dev.kv.core.env.FileNames;
import dev.kv.env.Env;
import dev.kv.testing.FaultEnv;
import dev.kv.testing.FaultEnv.Kind;
import dev.kv.testing.StrictMemEnv;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.HashSet;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;

/** The MANIFEST is replaced while flushes and compactions install versions and power is lost. */
@Tag("one-jdk")
@ExtendWith(Quiet.class)
@Timeout(value = 300, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class ManifestRotationTest {
  private static final Path DIRECTORY = Path.of("/rotation/db");
  private static final int MAX_FILE_SIZE = 1 << 20;
  private static final int ROTATIONS = Seeds.LONG ? 4 : 2;

  /** Long keys make long edits, and so a MANIFEST that grows fast. */
  private static final int KEY_BYTES = 6000;

  /** The number of the last batch. */
  private static final byte[] COUNTER = Bytes.bytes("counter");

  /** The disk after a loss of power, and the last batch whose sync had returned before it. */
  private record Crash(StrictMemEnv disk, int synced) {}

  @Test
  void manifest_underLoad_staysBoundedAndSurvivesLossOfPowerAtEachRotation() throws IOException {
    long seed = Long.getLong("kv.seed", 21);
    StrictMemEnv disk = new StrictMemEnv();
    FaultEnv env = new FaultEnv(disk);
    ConcurrentLinkedQueue<Crash> clones = new ConcurrentLinkedQueue<>();
    AtomicInteger renames = new AtomicInteger();
    AtomicInteger synced = new AtomicInteger(-1);
    Options options =
        Options.builder()
            .createIfMissing(true)
            .writeBufferSize(64 << 10)
            .maxFileSize(MAX_FILE_SIZE)
            .env(env)
            .build();
    TreeMap<byte[], byte[]> model = new TreeMap<>(Arrays::compareUnsigned);
    Set<Long> manifests = new HashSet<>();
    long longest = 0;
    try (DB db = DB.open(DIRECTORY, options)) {
      env.watch(
          operation -> {
            boolean isRotation =
                operation.kind() == Kind.RENAME && operation.isOn("CURRENT")
                    || operation.kind() == Kind.SYNC_DIRECTORY && renames.get() > 0;
            if (isRotation && clones.size() < 24) {
              renames.incrementAndGet();
              int last = synced.get();
              int percent = new int[] {0, 50, 100}[clones.size() % 3];
              clones.add(new Crash(disk.crashClone(percent, seed), last));
            }
          });
      Random random = new Random(seed);
      for (int i = 0; manifests.size() <= ROTATIONS; i++) {
        assertThat(i).as("batches without %d rotations, seed %d", ROTATIONS, seed).isLessThan(9000);
        byte[] key = Arrays.copyOf(Bytes.bytes("key" + random.nextInt(400)), KEY_BYTES);
        byte[] value = new byte[random.nextInt(2000)];
        random.nextBytes(value);
        byte[] counter = Bytes.bytes(Integer.toString(i));
        boolean sync = i % 100 == 0;
        db.write(
            WriteOptions.builder().sync(sync).build(),
            WriteBatch.create().put(COUNTER, counter).put(key, value));
        if (sync) {
          synced.set(i);
        }
        model.put(COUNTER, counter);
        model.put(key, value);
        if (i % 10 == 0) {
          longest = Math.max(longest, look(env, manifests));
        }
        if (i % 500 == 499) {
          Path target = Path.of("/rotation/checkpoint" + i);
          db.admin().checkpoint(target);
          expect(options, target, model);
        }
      }
    }
    env.watch(operation -> {});
    expect(options, DIRECTORY, model);
    // A new MANIFEST begins with the whole tree; four times that is the limit if it is larger.
    assertThat(longest).isBetween(MAX_FILE_SIZE / 2L, 5L * MAX_FILE_SIZE);
    assertThat(clones).hasSizeGreaterThan(ROTATIONS);
    for (Crash crash : clones) {
      try (DB found = DB.open(DIRECTORY, options.toBuilder().env(crash.disk()).build())) {
        assertThat(counter(found)).isGreaterThanOrEqualTo(crash.synced());
        found.admin().compactRange(null, null);
        assertThat(counter(found)).isGreaterThanOrEqualTo(crash.synced());
      }
    }
    System.out.println(
        "ManifestRotationTest: rotations " + (manifests.size() - 1) + ", longest " + longest);
  }

  private static int counter(DB db) {
    byte[] value = db.get(COUNTER);
    return value == null ? -1 : Integer.parseInt(new String(value, StandardCharsets.US_ASCII));
  }

  /** Notes the MANIFESTs that exist, of which there are at most two, and returns the longest. */
  private static long look(Env env, Set<Long> manifests) throws IOException {
    long longest = 0;
    int count = 0;
    for (String name : env.list(DIRECTORY)) {
      FileName parsed = FileNames.parse(name);
      if (parsed != null && parsed.kind() == FileName.Kind.MANIFEST) {
        count++;
        manifests.add(parsed.number());
        try {
          longest = Math.max(longest, env.size(DIRECTORY.resolve(name)));
        } catch (NoSuchFileException e) {
          continue; // it was replaced meanwhile
        }
      }
    }
    assertThat(count).isBetween(1, 2);
    return longest;
  }

  private static void expect(Options options, Path directory, TreeMap<byte[], byte[]> model) {
    try (DB db = DB.open(directory, options)) {
      long[] entries = {0};
      db.forEach(ReadOptions.DEFAULT, (key, value) -> entries[0]++);
      assertThat(entries[0]).isEqualTo(model.size());
      for (Map.Entry<byte[], byte[]> entry : model.entrySet()) {
        assertThat(db.get(entry.getKey())).isEqualTo(entry.getValue());
      }
    }
  }
}
