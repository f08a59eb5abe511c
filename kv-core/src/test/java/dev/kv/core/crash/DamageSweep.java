package dev.kv.core.crash;

import dev.kv.DB;
import dev.kv.DBReader;
import dev.kv.FilterPolicy;
import dev.kv.Options;
import dev.kv.ReadOnlyDB;
import dev.kv.admin.DBInspector;
import dev.kv.core.EnvFiles;
import dev.kv.env.Env;
import dev.kv.env.ForwardingEnv;
import dev.kv.errors.CorruptionException;
import dev.kv.errors.DBException;
import dev.kv.errors.DBReadOnlyException;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.EnumMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * The child process of {@link DamageTest}, which has a small heap. It makes a small database. For
 * each case it damages one place in one file, opens the database, reads everything, and records the
 * outcome. It exits with 0 if every outcome is one that is promised. It halts with another code at
 * the first other outcome, and if a case hangs.
 *
 * <p>Arguments: {@code flips}, {@code cuts} or {@code zeros}; the step from one place to the next;
 * the number of masks with which a byte is flipped; and {@code n}, if every n-th case opens the
 * database for writing and compacts it.
 */
final class DamageSweep {
  private static final Path DIRECTORY = Path.of("/damaged/db");
  private static final int[] MASKS = {0x10, 0x01, 0x80, 0x02, 0x40, 0x04, 0x20, 0x08};
  private static final int SECTOR = 512;
  private static final int BLOCK = 32 << 10;
  private static final int HEADER = 7;

  /** The ticks after which a case hangs. A case takes milliseconds, but a machine may be slow. */
  private static final int HANG_TICKS = 100;

  private static final long TICK_MILLIS = 100;

  private static final History HISTORY = new History(11, 40, 220);
  private static final int IN_TABLES = 100;
  private static final int BATCHES = 120;

  /** The outcome of a case. */
  private enum Outcome {
    RIGHT_ANSWER,
    CORRUPTION_AT_OPEN,
    CORRUPTION_AT_READ,
    SHORTER_PREFIX
  }

  private final Map<String, byte[]> files;
  private final int writeEvery;
  private final Map<Outcome, Integer> outcomes = new EnumMap<>(Outcome.class);
  private volatile String what = "the start";
  private long cases;
  private volatile int longestTicks;
  private boolean endsOnRecord;

  private DamageSweep(Map<String, byte[]> files, int writeEvery) {
    this.files = files;
    this.writeEvery = writeEvery;
  }

  public static void main(String[] args) throws IOException {
    DamageSweep sweep = new DamageSweep(database(), Integer.parseInt(args[3]));
    Thread watchdog = new Thread(sweep::watch, "watchdog");
    watchdog.setDaemon(true);
    watchdog.start();
    try {
      sweep.run(args[0], Integer.parseInt(args[1]), Integer.parseInt(args[2]));
    } catch (Throwable e) {
      System.out.println("FAILED: " + sweep.what);
      e.printStackTrace(System.out);
      System.out.flush();
      Runtime.getRuntime().halt(2);
    }
    System.out.println(
        args[0]
            + ": cases "
            + sweep.cases
            + " "
            + sweep.outcomes
            + ", none over "
            + TICK_MILLIS * (sweep.longestTicks + 1)
            + " ms, files "
            + sweep.sizes());
  }

  private static Options.Builder options() {
    return Options.builder()
        .writeBufferSize(64 << 10)
        .blockSize(1 << 10)
        .blockCacheSize(64 << 10)
        .filterPolicy(FilterPolicy.bloom(10));
  }

  /**
   * Returns the files of a database with tables in two levels, a log, and a MANIFEST of several
   * edits.
   */
  private static Map<String, byte[]> database() throws IOException {
    Env env = Env.inMemory();
    env.createDirectory(DIRECTORY.getParent());
    try (DB db = DB.open(DIRECTORY, options().createIfMissing(true).env(env).build())) {
      for (int number = 1; number <= BATCHES; number++) {
        db.write(HISTORY.batch(number));
        if (number == IN_TABLES / 2) {
          db.admin().compactRange(null, null);
        } else if (number == IN_TABLES) {
          db.admin().flush();
        }
      }
    }
    Map<String, byte[]> files = new TreeMap<>();
    for (String name : env.list(DIRECTORY)) {
      if (!name.equals("LOCK")) {
        files.put(name, EnvFiles.read(env, DIRECTORY.resolve(name)));
      }
    }
    return files;
  }

  private String sizes() {
    StringBuilder sizes = new StringBuilder();
    files.forEach((name, bytes) -> sizes.append(' ').append(name).append(' ').append(bytes.length));
    return sizes.substring(1);
  }

  private void watch() {
    // Counts ticks and does not read the clock: if the whole machine stops, the ticks stop too.
    String before = what;
    for (int ticks = 0; ticks < HANG_TICKS; ticks++) {
      try {
        Thread.sleep(TICK_MILLIS);
      } catch (InterruptedException e) {
        return;
      }
      if (!what.equals(before)) {
        before = what;
        ticks = 0;
      }
      longestTicks = Math.max(longestTicks, ticks + 1);
    }
    System.out.println("HANGS: " + what);
    Thread.getAllStackTraces()
        .forEach((thread, stack) -> System.out.println(thread + " " + Arrays.toString(stack)));
    System.out.flush();
    Runtime.getRuntime().halt(4);
  }

  private void run(String mode, int step, int masks) throws IOException {
    what = "undamaged";
    require(open(files, "", true) == Outcome.RIGHT_ANSWER, "the undamaged database");
    for (String name : files.keySet()) {
      byte[] bytes = files.get(name);
      switch (mode) {
        case "flips" -> {
          for (int at = 0; at < bytes.length; at += step) {
            for (int i = 0; i < masks; i++) {
              byte[] damaged = bytes.clone();
              damaged[at] ^= (byte) MASKS[(at + i) % MASKS.length];
              one(name, damaged, "byte " + at + " is " + damaged[at] + ", not " + bytes[at]);
            }
          }
        }
        case "cuts" -> {
          for (int length = 0; length < bytes.length; length += step) {
            one(name, Arrays.copyOf(bytes, length), "cut to " + length);
          }
        }
        case "zeros" -> {
          for (int at = 0; at < bytes.length; at += step) {
            byte[] damaged = bytes.clone();
            Arrays.fill(damaged, at, Math.min(at + SECTOR, bytes.length), (byte) 0);
            if (!Arrays.equals(damaged, bytes)) {
              one(name, damaged, "zeros from " + at);
            }
          }
        }
        default -> throw new IllegalArgumentException(mode);
      }
    }
  }

  private void one(String name, byte[] damaged, String how) throws IOException {
    what = name + ": " + how;
    Map<String, byte[]> with = new TreeMap<>(files);
    with.put(name, damaged);
    endsOnRecord = name.endsWith(".log") && recordEnds(files.get(name)).contains(damaged.length);
    Outcome outcome = open(with, name, cases++ % writeEvery == 0);
    outcomes.merge(outcome, 1, Integer::sum);
  }

  private Outcome open(Map<String, byte[]> with, String damaged, boolean write) throws IOException {
    Env env = new Unpaused(Env.inMemory());
    env.createDirectory(DIRECTORY);
    for (Map.Entry<String, byte[]> file : with.entrySet()) {
      EnvFiles.write(env, DIRECTORY.resolve(file.getKey()), file.getValue());
    }
    Options options = options().env(env).build();
    if (!write) {
      ReadOnlyDB db;
      try {
        db = DB.openReadOnly(DIRECTORY, options);
      } catch (CorruptionException named) {
        requireNamed(named);
        return Outcome.CORRUPTION_AT_OPEN;
      }
      try (db) {
        return look(db, db.admin(), damaged);
      }
    }
    DB db;
    try {
      db = DB.open(DIRECTORY, options);
    } catch (CorruptionException named) {
      requireNamed(named);
      return Outcome.CORRUPTION_AT_OPEN;
    }
    try (db) {
      Outcome outcome = look(db, db.admin(), damaged);
      compactAndLook(db, outcome, damaged);
      return outcome;
    }
  }

  private static void requireNamed(CorruptionException e) {
    require(e.file() != null && !e.file().isEmpty(), "a corruption without a file: " + e);
  }

  /**
   * Returns the offsets at which a record of an undamaged log ends, and 0. A log that is truncated
   * there looks complete.
   */
  private static Set<Integer> recordEnds(byte[] log) {
    Set<Integer> ends = new HashSet<>(Set.of(0));
    for (int at = 0; at + HEADER <= log.length; ) {
      if (BLOCK - at % BLOCK < HEADER) {
        at += BLOCK - at % BLOCK;
      }
      int length = (log[at + 4] & 0xff) | (log[at + 5] & 0xff) << 8;
      at += HEADER + length;
      if (log[at - length - 1] == 1 || log[at - length - 1] == 4) {
        ends.add(at);
      }
    }
    return ends;
  }

  private Outcome look(DBReader db, DBInspector admin, String damaged) {
    int least = damaged.endsWith(".log") ? IN_TABLES : BATCHES;
    Outcome outcome = null;
    int count = -1;
    try {
      count = HISTORY.counter(db);
    } catch (CorruptionException e) {
      requireNamed(e);
      outcome = Outcome.CORRUPTION_AT_READ;
    }
    int prefix = count < 0 ? BATCHES : count;
    require(prefix >= least && prefix <= BATCHES, "batches " + prefix);
    boolean reported = admin.stats().recovery().droppedBytes() > 0;
    require(
        prefix == BATCHES || reported || endsOnRecord,
        "a prefix of " + prefix + " that was not reported");
    TreeMap<byte[], History.Operation> expected = HISTORY.after(prefix);
    for (int key = 0; key < HISTORY.keys(); key++) {
      if (!isRight(db, HISTORY.key(key), expected)) {
        outcome = Outcome.CORRUPTION_AT_READ;
      }
    }
    try {
      HISTORY.expectPrefix(db, prefix, prefix);
    } catch (CorruptionException e) {
      requireNamed(e);
      outcome = Outcome.CORRUPTION_AT_READ;
    }
    if (outcome != null) {
      return outcome;
    }
    return prefix < BATCHES ? Outcome.SHORTER_PREFIX : Outcome.RIGHT_ANSWER;
  }

  /** Checks one key. Returns false if the read throws a corruption that names its file. */
  private static boolean isRight(
      DBReader db, byte[] key, TreeMap<byte[], History.Operation> expected) {
    byte @Nullable [] found;
    try {
      found = db.get(key);
    } catch (CorruptionException e) {
      requireNamed(e);
      return false;
    }
    History.Operation there = expected.get(key);
    byte[] right = there == null ? null : there.value();
    require(Arrays.equals(found, right), "a wrong value of key " + new String(key));
    return true;
  }

  /** Compacts the database. This may fail, but must not turn damage into a wrong answer. */
  private void compactAndLook(DB db, Outcome before, String damaged) {
    try {
      db.admin().compactRange(null, null);
    } catch (DBReadOnlyException | CorruptionException e) {
      require(before != Outcome.RIGHT_ANSWER || hasCorruption(e), "compaction fails: " + e);
    } catch (DBException e) {
      throw new AssertionError("compaction fails otherwise", e);
    }
    Outcome after = look(db, db.admin(), damaged);
    require(
        after == before
            || before == Outcome.CORRUPTION_AT_READ
            || after == Outcome.CORRUPTION_AT_READ,
        before + " becomes " + after);
  }

  private static boolean hasCorruption(@Nullable Throwable e) {
    for (Throwable each = e; each != null; each = each.getCause()) {
      if (each instanceof CorruptionException) {
        return true;
      }
    }
    return false;
  }

  /**
   * An environment without pauses. A read-only open pauses before it reads a damaged file again.
   */
  private static final class Unpaused extends ForwardingEnv {
    Unpaused(Env target) {
      super(target);
    }

    @Override
    public void sleepMicros(long micros) {
      Thread.yield();
    }
  }

  private static void require(boolean condition, String message) {
    if (!condition) {
      throw new AssertionError(message);
    }
  }
}
