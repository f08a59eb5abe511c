package dev.kv.core.db;

import dev.kv.DB;
import dev.kv.DBIterator;
import dev.kv.Options;
import dev.kv.ReadOptions;
import dev.kv.Snapshot;
import dev.kv.WriteBatch;
import dev.kv.WriteOptions;
import dev.kv.bytes.Slice;
import dev.kv.errors.DBClosedException;
import dev.kv.options.CompressionType;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Random;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/**
 * Closes a database under threads that use it in every way. Each call completes, with a right
 * answer, or throws a {@link DBClosedException}. Slices are kept beyond their windows and the
 * close, and used by other threads: that gives one of these, an {@link IllegalStateException} or
 * any bytes. A process of its own: {@code directory seed rounds inPlace}.
 */
final class CloseRace {
  private static final int KEYS = 600;
  private static final int KEPT_SLICES = 200;

  /** Something that a thread does over and over. */
  private interface Use {
    void once(DB db, Random random);
  }

  private final Path directory;
  private final Options options;
  private final AtomicReference<@Nullable Throwable> failure = new AtomicReference<>();
  private final ConcurrentLinkedQueue<Slice> slices = new ConcurrentLinkedQueue<>();

  private CloseRace(Path directory, boolean inPlace) {
    this.directory = directory;
    options =
        Options.builder()
            .createIfMissing(true)
            .writeBufferSize(64 << 10)
            .blockCacheSize(16 << 10)
            .maxOpenFiles(74)
            .compression(inPlace ? CompressionType.NONE : CompressionType.SNAPPY)
            .tables(t -> t.readInPlace(inPlace))
            .build();
  }

  public static void main(String[] args) throws Exception {
    long seed = Long.parseLong(args[1]);
    int rounds = Integer.parseInt(args[2]);
    CloseRace race = new CloseRace(Path.of(args[0], "race"), Boolean.parseBoolean(args[3]));
    race.fill();
    for (int round = 0; round < rounds; round++) {
      try {
        race.round(new Random(seed + round));
      } catch (Throwable e) {
        throw new AssertionError("round " + round + ", seed " + seed, e);
      }
    }
    System.out.println("rounds done: " + rounds);
  }

  private void fill() {
    try (DB db = DB.open(directory, options)) {
      for (int i = 0; i < KEYS; i++) {
        db.put(key(i), value(key(i)));
        if (i % 150 == 149) {
          db.admin().flush();
        }
      }
    }
  }

  private static byte[] key(int i) {
    return String.format(Locale.ROOT, "key%06d", i).getBytes(StandardCharsets.US_ASCII);
  }

  private static byte[] value(byte[] key) {
    byte[] value = new byte[300];
    new Random(Arrays.hashCode(key)).nextBytes(value);
    return value;
  }

  private List<Use> uses() {
    return List.of(
        (db, random) -> {
          byte[] key = key(random.nextInt(KEYS));
          db.put(
              random.nextInt(20) == 0 ? WriteOptions.SYNC : WriteOptions.DEFAULT, key, value(key));
        },
        (db, random) -> {
          byte[] key = key(random.nextInt(KEYS));
          WriteBatch batch = WriteBatch.create().delete(key).put(key, value(key));
          db.write(WriteOptions.DEFAULT, batch);
        },
        (db, random) -> {
          byte[] key = key(random.nextInt(KEYS));
          check(key, db.get(key));
        },
        (db, random) -> {
          ByteBuffer into = ByteBuffer.allocateDirect(300);
          byte[] key = key(random.nextInt(KEYS));
          db.get(ReadOptions.DEFAULT, ByteBuffer.wrap(key), into);
          byte[] found = new byte[into.position()];
          into.get(0, found);
          check(key, found);
        },
        this::scopedRead,
        this::iterate,
        this::snapshotRead,
        this::useKeptSlices,
        (db, random) -> {
          switch (random.nextInt(6)) {
            case 0 -> db.admin().flush();
            case 1 -> db.admin().compactRange(key(random.nextInt(KEYS)), null);
            case 2 -> db.admin().stats();
            case 3 -> db.admin().property("leveldb.stats");
            case 4 ->
                db.admin().approximateSizes(List.of(new dev.kv.bytes.Range(key(0), key(KEYS))));
            default -> {
              db.admin().suspendCompactions();
              db.admin().resumeCompactions();
            }
          }
        });
  }

  private void scopedRead(DB db, Random random) {
    byte[] key = key(random.nextInt(KEYS));
    byte[] found =
        db.read(
            ReadOptions.DEFAULT,
            key,
            value -> {
              keep(value);
              return value.toByteArray();
            });
    check(key, found);
  }

  private void iterate(DB db, Random random) {
    DBIterator cursor = db.iterator();
    try {
      cursor.seek(key(random.nextInt(KEYS)));
      for (int i = 0; i < 30 && cursor.isValid(); i++) {
        keep(cursor.keySlice());
        keep(cursor.valueSlice());
        check(cursor.key(), cursor.value());
        if (random.nextInt(4) > 0) {
          cursor.next();
        } else {
          cursor.prev();
        }
      }
    } finally {
      cursor.close();
    }
  }

  private void snapshotRead(DB db, Random random) {
    Snapshot snapshot = db.snapshot();
    try {
      byte[] key = key(random.nextInt(KEYS));
      check(key, db.get(ReadOptions.at(snapshot), key));
    } finally {
      snapshot.close();
    }
  }

  private void keep(Slice slice) {
    slices.add(slice);
    if (slices.size() > KEPT_SLICES) {
      slices.poll();
    }
  }

  private void useKeptSlices(DB db, Random random) {
    for (Slice slice : slices) {
      try {
        int length = slice.length();
        if (length > 0) {
          slice.byteAt(random.nextInt(length));
        }
        slice.toByteArray();
      } catch (IllegalStateException | DBClosedException | IndexOutOfBoundsException e) {
        continue; // revoked, or pointed at something shorter meanwhile by its own thread
      }
    }
  }

  private static void check(byte[] key, byte @Nullable [] found) {
    if (!Arrays.equals(found, value(key))) {
      throw new AssertionError("wrong answer for " + new String(key, StandardCharsets.US_ASCII));
    }
  }

  private void round(Random random) throws InterruptedException {
    DB db = DB.open(directory, options);
    List<Thread> users = new ArrayList<>();
    for (Use use : uses()) {
      Random own = new Random(random.nextLong());
      Thread user = new Thread(() -> use(db, use, own));
      users.add(user);
      user.start();
    }
    Thread.sleep(random.nextInt(12));
    Thread second = new Thread(db::close);
    second.start();
    db.close();
    second.join();
    for (Thread user : users) {
      user.join(60_000);
      if (user.isAlive()) {
        AssertionError stuck = new AssertionError("stuck after the close: " + user);
        stuck.setStackTrace(user.getStackTrace());
        throw stuck;
      }
    }
    useKeptSlices(db, random);
    Throwable found = failure.get();
    if (found != null) {
      throw new AssertionError("a user", found);
    }
  }

  private void use(DB db, Use use, Random random) {
    try {
      int afterClose = 0;
      while (afterClose < 3) {
        try {
          use.once(db, random);
          afterClose += DbTestBase.isClosed(db) ? 1 : 0;
        } catch (DBClosedException e) {
          afterClose++;
        }
      }
    } catch (Throwable e) {
      failure.compareAndSet(null, e);
    }
  }
}
