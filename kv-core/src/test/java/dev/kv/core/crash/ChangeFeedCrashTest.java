package dev.kv.core.crash;

import static org.assertj.core.api.Assertions.assertThat;

import dev.kv.DB;
import dev.kv.Options;
import dev.kv.ReadOptions;
import dev.kv.WriteBatch;
import dev.kv.WriteOptions;
import dev.kv.bytes.Entry;
import dev.kv.change.ChangeOptions;
import dev.kv.core.Children;
import dev.kv.env.Env;
import dev.kv.errors.ChangesLostException;
import dev.kv.testing.FaultEnv;
import dev.kv.testing.StrictMemEnv;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.LongStream;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Loss of power and kills, with a second database that follows the change feed. After each of them
 * the follower goes on where it was, and both databases are equal. Only a follower of unsynced
 * groups may be told that changes are lost; it must never go on with other ones.
 */
@Tag("one-jdk")
@ExtendWith(Quiet.class)
class ChangeFeedCrashTest {
  private static final Path SOURCE = Path.of("/feed/source");
  private static final Path COPY = Path.of("/feed/copy");
  private static final int[] PERCENT_KEPT = {0, 10, 50, 100};
  private static final int KILLS = Integer.getInteger("kv.feedKills", Seeds.LONG ? 500 : 12);

  @TempDir Path temp;

  /** The copies of the durable and of the unsynced follower, replaced after each catch-up. */
  private volatile StrictMemEnv durableCopy = new StrictMemEnv();

  private volatile StrictMemEnv unsyncedCopy = new StrictMemEnv();

  private int clones;
  private int refused;
  private final AtomicReference<@Nullable Throwable> failure = new AtomicReference<>();

  static LongStream seeds() {
    return Seeds.of(ChangeFeedCrashTest.class, 3, 500);
  }

  @ParameterizedTest
  @MethodSource("seeds")
  void powerLoss_ofTheSource_leavesTheFollowerInStep(long seed) throws Throwable {
    StrictMemEnv disk = new StrictMemEnv();
    disk.createDurableDirectory(SOURCE.getParent());
    durableCopy.createDurableDirectory(COPY.getParent());
    unsyncedCopy.createDurableDirectory(COPY.getParent());
    SplittableRandom random = new SplittableRandom(seed);
    SplittableRandom crashes = random.split();
    FaultEnv env = new FaultEnv(disk);
    env.watch(
        operation -> {
          synchronized (crashes) {
            if (crashes.nextInt(25) == 0 && failure.get() == null) {
              crash(disk, crashes);
            }
          }
        });
    DB source = DB.open(SOURCE, Follower.options(env));
    try {
      for (int i = 0; i < 250 && failure.get() == null; i++) {
        Follower.writeNext(source, random);
        if (random.nextInt(10) == 0) {
          durableCopy = caughtUp(source, durableCopy, ChangeOptions.DEFAULT);
        }
        if (random.nextInt(10) == 0) {
          unsyncedCopy = caughtUp(source, unsyncedCopy, ChangeOptions.UNSYNCED);
        }
        if (random.nextInt(80) == 0) {
          source.close();
          source = DB.open(SOURCE, Follower.options(env));
        }
      }
    } finally {
      source.close();
    }
    Throwable thrown = failure.get();
    if (thrown != null) {
      throw new AssertionError(Seeds.again(ChangeFeedCrashTest.class, seed), thrown);
    }
    System.out.println("ChangeFeedCrashTest: clones " + clones + ", refused unsynced " + refused);
    assertThat(clones).isGreaterThan(20);
  }

  /** Returns a clone of the copy that has applied everything that the source delivers now. */
  private static StrictMemEnv caughtUp(DB source, StrictMemEnv before, ChangeOptions options) {
    StrictMemEnv next = before.crashClone(100, 1);
    try (DB copy = open(next)) {
      Follower.catchUp(source, copy, options);
    }
    return next;
  }

  private static DB open(Env env) {
    return DB.open(COPY, Options.builder().createIfMissing(true).env(env).build());
  }

  private void crash(StrictMemEnv disk, SplittableRandom random) {
    try {
      StrictMemEnv durable = durableCopy.crashClone(100, 1);
      StrictMemEnv unsynced = unsyncedCopy.crashClone(100, 1);
      int kept = PERCENT_KEPT[random.nextInt(PERCENT_KEPT.length)];
      StrictMemEnv clone = disk.crashClone(kept, random.nextLong());
      clones++;
      try (DB source = DB.open(SOURCE, Follower.options(clone))) {
        for (int i = 0; i < 5; i++) {
          Follower.writeNext(source, random);
        }
        source.write(WriteOptions.SYNC, WriteBatch.create());
        expectInStep(source, durable, ChangeOptions.DEFAULT);
        try {
          expectInStep(source, unsynced, ChangeOptions.UNSYNCED);
        } catch (ChangesLostException e) {
          refused++;
        }
      }
    } catch (Throwable e) {
      failure.compareAndSet(null, e);
    }
  }

  private static void expectInStep(DB source, Env env, ChangeOptions options) {
    try (DB copy = open(env)) {
      Follower.catchUp(source, copy, options);
      expectEqual(source, copy);
    }
  }

  private static void expectEqual(DB source, DB copy) {
    TreeMap<String, String> expected = entries(source);
    TreeMap<String, String> found = entries(copy);
    found.remove(HexFormat.of().formatHex(Follower.POSITION));
    assertThat(found).isEqualTo(expected);
  }

  private static TreeMap<String, String> entries(DB db) {
    TreeMap<String, String> entries = new TreeMap<>();
    try (Stream<Entry> all = db.stream(ReadOptions.DEFAULT)) {
      all.forEach(
          entry ->
              entries.put(HexFormat.of().formatHex(entry.key()), Arrays.toString(entry.value())));
    }
    return entries;
  }

  @Test
  @Tag("slow")
  void kill_ofBothSides_leavesTheFollowerInStep() throws IOException, InterruptedException {
    Path source = temp.resolve("source");
    Path copy = temp.resolve("copy");
    SplittableRandom random = new SplittableRandom(Long.getLong("kv.seed", 1));
    List<Integer> written = new ArrayList<>();
    for (int kill = 0; kill < KILLS; kill++) {
      runAndKill(source, copy, random);
      if (kill % 3 == 2) {
        try (DB db = DB.open(source, Follower.options(Env.fileSystem()));
            DB follower = DB.open(copy, Options.builder().createIfMissing(true).build())) {
          Follower.catchUp(db, follower, ChangeOptions.DEFAULT);
          expectEqual(db, follower);
          written.add(Follower.counter(db));
        }
      }
    }
    assertThat(written).as("batches of the source").isSorted();
    assertThat(new TreeSet<>(written)).as("it writes between kills").hasSizeGreaterThan(1);
  }

  private void runAndKill(Path source, Path copy, SplittableRandom random)
      throws IOException, InterruptedException {
    Path errors = temp.resolve("errors");
    Path output = temp.resolve("output");
    Process child =
        Children.builder(
                Children.quickCommand(
                    List.of("-Xmx128m"),
                    Follower.class,
                    source.toString(),
                    copy.toString(),
                    Long.toString(random.nextLong())))
            .redirectOutput(output.toFile())
            .redirectError(errors.toFile())
            .start();
    try {
      long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(60);
      while (child.isAlive()
          && System.nanoTime() < end
          && !Files.readString(output).contains("open")) {
        child.waitFor(3, TimeUnit.MILLISECONDS);
      }
      // A kill at an arbitrary moment needs a time, not a condition.
      child.waitFor(random.nextInt(300), TimeUnit.MILLISECONDS);
    } finally {
      child.destroyForcibly();
    }
    assertThat(child.waitFor()).as("exit; %s", Files.readString(errors)).isEqualTo(137);
    assertThat(output).content().startsWith("open");
  }
}
