package dev.kv.core.crash;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.kv.DB;
import dev.kv.DBIterator;
import dev.kv.DBReader;
import dev.kv.Options;
import dev.kv.ReadOnlyDB;
import dev.kv.admin.DBStats;
import dev.kv.core.Children;
import dev.kv.core.Directories;
import dev.kv.env.Env;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * A child JVM writes and reports each acknowledged write, until it is killed at a random moment or
 * at a named point. The next open must find every acknowledged write, no gap, and no part of a
 * batch. C++ LevelDB must find the same in a copy. Every checkpoint that the child has written
 * beside the database must be whole. A bulk load or an ingest that the kill interrupted is there
 * completely or not at all, and leaves no table behind. C++ LevelDB is also killed, and kv must
 * recover its database.
 */
@Tag("slow")
class KillLoopTest {
  private static final int CYCLES = Integer.getInteger("kv.kills", Seeds.LONG ? 5000 : 30);
  private static final int CPP_CYCLES = Integer.getInteger("kv.cppKills", Seeds.LONG ? 1000 : 15);
  private static final long SEED = Long.getLong("kv.seed", 1);

  /** The number of children that write to a directory, one after the other. */
  private static final int KILLS_PER_DIRECTORY = 10;

  /** The longest time that the test waits for a child to reach its point. */
  private static final int SECONDS = 60;

  /** The number of opens after which a child no longer reaches its point. */
  private static final int OPENS = 50;

  private static final List<String> POINTS =
      List.of(
          "STORE .log",
          "SYNC .log",
          "RESERVE .log",
          "CREATE .log",
          "CUT .log",
          "CLOSE .log",
          "DELETE .log",
          "CREATE .ldb",
          "WRITE .ldb",
          "SYNC .ldb",
          "CLOSE .ldb",
          "DELETE .ldb",
          "RENAME .ldb",
          "CREATE MANIFEST",
          "WRITE MANIFEST",
          "SYNC MANIFEST",
          "DELETE MANIFEST",
          "WRITE .dbtmp",
          "SYNC .dbtmp",
          "RENAME CURRENT",
          "SYNC_DIRECTORY db",
          "LINK checkpoint",
          "SYNC checkpoint",
          "CLOSE checkpoint",
          "RENAME checkpoint");

  @TempDir Path temp;

  /** The last batch of each history that the child reported. */
  private final int[] acknowledged = new int[4];

  private long batches;
  private int points;
  private int checkpoints;

  /** The number of the last load that the child began, and of the last that it reported. */
  private int loading;

  private int loaded;
  private int interruptedLoads;

  @Test
  void child_killed_losesNothingAcknowledged() throws Exception {
    try (Cpp cpp = Cpp.start()) {
      for (int cycle = 0; cycle < CYCLES; cycle++) {
        long seed = SEED + cycle / KILLS_PER_DIRECTORY;
        Path directory = temp.resolve("seed" + seed).resolve("db");
        if (cycle % KILLS_PER_DIRECTORY == 0) {
          Files.createDirectory(directory.getParent());
          Arrays.fill(acknowledged, 0);
          loading = 0;
          loaded = 0;
        }
        String point = cycle % 2 == 0 ? "-" : POINTS.get(cycle / 2 * 7 % POINTS.size());
        SplittableRandom random = new SplittableRandom(seed * 1000 + cycle);
        int histories = seed % 3 == 0 ? 3 : 1;
        String what = "cycle " + cycle + ", -Dkv.seed=" + SEED + ", point " + point;
        try {
          runAndKill(directory, seed, histories, point, random);
          expect(directory, seed, histories, cpp);
          expectCheckpoints(directory.getParent(), seed, histories, cpp);
        } catch (AssertionError | RuntimeException e) {
          throw new AssertionError(what, e);
        }
        if ((cycle + 1) % KILLS_PER_DIRECTORY == 0) {
          expectNoOrphans(directory, seed);
          Directories.delete(directory);
        }
      }
    }
    System.out.println(
        "KillLoopTest: kills "
            + CYCLES
            + ", of them at their point "
            + points
            + ", acknowledged batches "
            + batches
            + ", checkpoints "
            + checkpoints
            + ", kills during a load "
            + interruptedLoads);
    assertThat(interruptedLoads).isPositive();
    assertThat(checkpoints).isPositive();
    assertThat(batches).isGreaterThan(CYCLES);
    assertThat(points).as("kill points met").isGreaterThan(CYCLES / 8);
  }

  private void runAndKill(
      Path directory, long seed, int histories, String point, SplittableRandom random)
      throws IOException, InterruptedException {
    Path errors = temp.resolve("errors");
    // A file, not a pipe: everything that the child reported before it was killed can be read.
    Path output = temp.resolve("output");
    Process child =
        Children.builder(
                Children.quickCommand(
                    List.of("-Xmx128m"),
                    Victim.class,
                    directory.toString(),
                    Setting.of(seed).name(),
                    Long.toString(seed),
                    Integer.toString(histories),
                    point,
                    Integer.toString(1 + random.nextInt(3))))
            .redirectOutput(output.toFile())
            .redirectError(errors.toFile())
            .start();
    try {
      awaitMoment(child, output, point, random);
    } finally {
      child.destroyForcibly();
    }
    assertThat(child.waitFor()).as("exit; %s", Files.readString(errors)).isEqualTo(137);
    for (String line : Files.readAllLines(output)) {
      int space = line.indexOf(' ');
      if (line.startsWith("loading ")) {
        loading = Integer.parseInt(line.substring(space + 1));
      } else if (line.startsWith("loaded ")) {
        loaded = Integer.parseInt(line.substring(space + 1));
      } else if (space > 0) {
        acknowledged[Integer.parseInt(line.substring(0, space))] =
            Integer.parseInt(line.substring(space + 1));
        batches++;
      }
    }
  }

  /**
   * Returns at the moment to kill the child: when it is at its point, or a random time after its
   * open began. A kill at an arbitrary moment needs a time, not a condition.
   */
  private void awaitMoment(Process child, Path output, String point, SplittableRandom random)
      throws IOException, InterruptedException {
    boolean early = random.nextInt(6) == 0;
    await(child, output, early ? "opening\n" : "open\n", 1);
    if (point.equals("-")) {
      child.waitFor(random.nextInt(early ? 40 : 250), TimeUnit.MILLISECONDS);
    } else if (await(child, output, "open\n", OPENS).contains("point\n")) {
      points++;
    }
  }

  /**
   * Waits until the child is at its point, or has printed {@code line} the given number of times.
   * Returns all of its output.
   */
  private static String await(Process child, Path output, String line, int times)
      throws IOException, InterruptedException {
    long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(SECONDS);
    String text = "";
    while (System.nanoTime() < end && child.isAlive()) {
      text = Files.readString(output);
      if (text.contains("point\n") || text.split(line, -1).length > times) {
        break;
      }
      child.waitFor(3, TimeUnit.MILLISECONDS);
    }
    return text;
  }

  private void expect(Path directory, long seed, int histories, @Nullable Cpp cpp)
      throws IOException {
    if (!Files.exists(directory)) {
      return; // killed before the open created the directory
    }
    int reported = loaded;
    Path copy = cpp == null ? null : Directories.copy(directory, directory.resolveSibling("copy"));
    try (DB db = DB.open(directory, Setting.of(seed).options(Env.fileSystem()))) {
      assertThat(db.admin().stats().recovery().droppedBytes())
          .as("only a torn record is dropped")
          .isLessThan(300_000);
      for (int i = 0; i < histories; i++) {
        int found = Victim.history(seed, i).expectPrefix(db, acknowledged[i], acknowledged[i] + 1);
        acknowledged[i] = found;
      }
      interruptedLoads += loading > loaded ? 1 : 0;
      loaded = Loading.find(db);
      assertThat(loaded).as("loads found").isBetween(reported, Math.max(loading, reported));
      loading = loaded;
      if (cpp != null && Files.exists(copy.resolve("CURRENT"))) {
        expectEqual(entries(db), cpp.read(copy));
      }
    }
    if (copy != null) {
      Directories.delete(copy);
    }
  }

  /** Checks that every table is a part of the tree after the first changes of an open. */
  private static void expectNoOrphans(Path directory, long seed) throws IOException {
    if (!Files.exists(directory)) {
      return;
    }
    int files;
    try (DB db = DB.open(directory, Setting.of(seed).options(Env.fileSystem()))) {
      db.admin().compactRange(null, null);
      db.admin().waitForCompactions();
      files = db.admin().stats().levels().stream().mapToInt(DBStats.Level::files).sum();
    }
    assertThat(Directories.files(directory, ".ldb")).hasSize(files);
  }

  /** Checks that each checkpoint is whole and has the state of its moment, and deletes it. */
  private void expectCheckpoints(Path parent, long seed, int histories, @Nullable Cpp cpp)
      throws IOException {
    for (Path checkpoint : checkpointsIn(parent)) {
      String name = checkpoint.getFileName().toString();
      int number = Integer.parseInt(name.substring(name.indexOf('-') + 1));
      TreeMap<byte[], byte[]> found;
      try (ReadOnlyDB db = DB.openReadOnly(checkpoint, Options.DEFAULT)) {
        Victim.history(seed, 0).expectPrefix(db, number, number);
        for (int i = 1; i < histories; i++) {
          Victim.history(seed, i).expectPrefix(db, 0, acknowledged[i]);
        }
        Loading.find(db);
        found = entries(db);
      }
      if (cpp != null) {
        expectEqual(found, cpp.read(checkpoint));
      }
      Directories.delete(checkpoint);
      checkpoints++;
    }
  }

  private static List<Path> checkpointsIn(Path parent) throws IOException {
    if (!Files.isDirectory(parent)) {
      return List.of();
    }
    try (Stream<Path> files = Files.list(parent)) {
      return files
          .filter(file -> file.getFileName().toString().matches("checkpoint-[0-9]+"))
          .sorted()
          .toList();
    }
  }

  private static TreeMap<byte[], byte[]> entries(DBReader db) {
    TreeMap<byte[], byte[]> entries = new TreeMap<>(Arrays::compareUnsigned);
    try (DBIterator cursor = db.iterator()) {
      for (cursor.seekToFirst(); cursor.isValid(); cursor.next()) {
        entries.put(cursor.key(), cursor.value());
      }
    }
    return entries;
  }

  private static void expectEqual(TreeMap<byte[], byte[]> kv, TreeMap<byte[], byte[]> cpp) {
    assertThat(cpp.keySet().stream().map(dev.kv.bytes.Escape::bytes).toList())
        .as("keys that C++ LevelDB finds")
        .isEqualTo(kv.keySet().stream().map(dev.kv.bytes.Escape::bytes).toList());
    for (Map.Entry<byte[], byte[]> entry : kv.entrySet()) {
      assertThat(Arrays.equals(entry.getValue(), cpp.get(entry.getKey())))
          .as("value of %s in C++ LevelDB", dev.kv.bytes.Escape.bytes(entry.getKey()))
          .isTrue();
    }
  }

  @Test
  void cpp_killed_isRecoveredByKv() throws Exception {
    long written = 0;
    for (int cycle = 0; cycle < CPP_CYCLES; cycle++) {
      Cpp cpp = Cpp.start();
      assumeTrue(cpp != null);
      long seed = SEED + cycle / 5;
      History history = new History(seed, 50, 2500);
      Path directory = temp.resolve("cpp" + seed);
      int last = 0;
      if (cycle % 5 != 0) {
        try (DB db = DB.open(directory, Setting.of(cycle).options(Env.fileSystem()))) {
          last = history.counter(db);
          db.write(history.batch(++last)); // so that C++ LevelDB continues with the files of kv
        }
      }
      int acknowledgedBefore = last;
      cpp.open(directory);
      long millis = new SplittableRandom(seed * 1000 + cycle).nextInt(300);
      Thread killer = new Thread(() -> killAfter(cpp, millis));
      killer.start();
      while (cpp.write(history, last + 1, last % 16 == 0)) {
        last++;
      }
      killer.join();
      written += last - acknowledgedBefore;
      try (DB db = DB.open(directory, Setting.of(cycle).options(Env.fileSystem()))) {
        history.expectPrefix(db, last, last + 1);
      } catch (AssertionError | RuntimeException e) {
        throw new AssertionError("cycle " + cycle + ", -Dkv.seed=" + SEED, e);
      }
    }
    System.out.println(
        "KillLoopTest: kills of C++ LevelDB " + CPP_CYCLES + ", acknowledged batches " + written);
    assertThat(written).isPositive();
  }

  private static void killAfter(Cpp cpp, long millis) {
    try {
      Thread.sleep(millis);
      cpp.kill();
    } catch (InterruptedException e) {
      throw new AssertionError(e);
    }
  }
}
