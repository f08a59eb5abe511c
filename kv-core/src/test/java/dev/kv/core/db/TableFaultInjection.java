package dev.kv.core.db;

import dev.kv.DB;
import dev.kv.DBIterator;
import dev.kv.Options;
import dev.kv.ReadOptions;
import dev.kv.errors.CorruptionException;
import dev.kv.errors.DBException;
import dev.kv.errors.DBIOException;
import dev.kv.options.CompressionType;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.charset.StandardCharsets;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Random;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/**
 * Cuts, unlinks and overwrites the tables of an open database while four threads read it. Every
 * answer is right, or a {@link CorruptionException} or {@link DBIOException}. Blocks that are read
 * in place are not overwritten, because only their first visit verifies them. A process of its own:
 * {@code directory seed rounds access}.
 */
final class TableFaultInjection {
  /** How the tables are read. */
  private enum Access {
    MAPPED,
    IN_PLACE,
    READ
  }

  private static final int KEYS = 4000;
  private static final int READERS = 4;

  /** So many reads come after the last damage. */
  private static final int LAST_READS = 1000;

  private final Path directory;
  private final Access access;
  private final Options options;
  private final AtomicReference<@Nullable Throwable> failure = new AtomicReference<>();
  private final AtomicLong reads = new AtomicLong();
  private volatile boolean stop;
  private int refused;

  private TableFaultInjection(Path directory, Access access) {
    this.directory = directory;
    this.access = access;
    options =
        Options.builder()
            .createIfMissing(true)
            .writeBufferSize(64 << 10)
            .maxOpenFiles(74)
            .memory(m -> m.maxMappedTables(access == Access.READ ? 0 : 1000))
            .tables(t -> t.readInPlace(access == Access.IN_PLACE))
            .blockCacheSize(32 << 10)
            .compression(CompressionType.NONE)
            .build();
  }

  public static void main(String[] args) throws Exception {
    long seed = Long.parseLong(args[1]);
    int rounds = Integer.parseInt(args[2]);
    long refused = 0;
    for (int round = 0; round < rounds; round++) {
      Path directory = Path.of(args[0], "faults-" + round);
      TableFaultInjection injection = new TableFaultInjection(directory, Access.valueOf(args[3]));
      try {
        injection.round(new Random(seed + round));
      } catch (Throwable e) {
        throw new AssertionError("round " + round + ", seed " + seed, e);
      }
      refused += injection.refused;
      DB.destroy(directory, injection.options);
    }
    if (refused == 0) {
      throw new AssertionError("no reader met the damage");
    }
    System.out.println("rounds done: " + rounds + ", answers refused: " + refused);
  }

  private static byte[] key(int i) {
    return String.format(Locale.ROOT, "key%06d", i).getBytes(StandardCharsets.US_ASCII);
  }

  private static byte[] value(byte[] key) {
    byte[] value = new byte[100];
    new Random(Arrays.hashCode(key)).nextBytes(value);
    return value;
  }

  private void round(Random random) throws Exception {
    boolean damaging = false;
    try (DB db = DB.open(directory, options)) {
      for (int i = 0; i < KEYS; i++) {
        db.put(key(i), value(key(i)));
      }
      db.admin().flush();
      db.admin().suspendCompactions();
      List<Thread> readers = new ArrayList<>();
      for (int i = 0; i < READERS; i++) {
        Random own = new Random(random.nextLong());
        Thread reader = new Thread(() -> read(db, own));
        readers.add(reader);
        reader.start();
      }
      damaging = true;
      for (int i = 0; i < 12; i++) {
        Thread.sleep(random.nextInt(15));
        damage(random);
      }
      long last = reads.get() + LAST_READS;
      while (reads.get() < last && failure.get() == null) {
        Thread.sleep(1);
      }
      stop = true;
      for (Thread reader : readers) {
        reader.join();
      }
    } catch (CorruptionException | DBIOException e) {
      if (!damaging) {
        throw e;
      }
      refused++;
    }
    Throwable found = failure.get();
    if (found != null) {
      throw new AssertionError("a reader", found);
    }
  }

  private void damage(Random random) throws IOException {
    List<Path> tables = new ArrayList<>();
    try (DirectoryStream<Path> found = Files.newDirectoryStream(directory, "*.ldb")) {
      found.forEach(tables::add);
    }
    if (tables.isEmpty()) {
      return;
    }
    tables.sort(null);
    Path table = tables.get(random.nextInt(tables.size()));
    int how = random.nextInt(access == Access.IN_PLACE ? 3 : 4);
    if (how == 0) {
      Files.deleteIfExists(table); // the database may have, of a table that is obsolete
      return;
    }
    try (RandomAccessFile file = new RandomAccessFile(table.toFile(), "rw")) {
      long length = file.length();
      if (how == 1) {
        file.setLength(0);
      } else if (how == 2) {
        file.setLength(length / 2);
      } else if (length > 0) {
        byte[] garbage = new byte[random.nextInt(8 << 10)];
        random.nextBytes(garbage);
        file.seek((long) (random.nextDouble() * length));
        file.write(garbage);
      }
    }
  }

  private void read(DB db, Random random) {
    while (!stop) {
      try {
        readOnce(db, random);
      } catch (CorruptionException | DBIOException e) {
        count();
      } catch (Throwable e) {
        failure.compareAndSet(null, e);
        return;
      }
      reads.incrementAndGet();
    }
  }

  private synchronized void count() {
    refused++;
  }

  private static void readOnce(DB db, Random random) throws DBException {
    byte[] key = key(random.nextInt(KEYS));
    switch (random.nextInt(3)) {
      case 0 -> check(key, db.get(key));
      case 1 -> check(key, db.read(ReadOptions.DEFAULT, key, value -> value.toByteArray()));
      default -> {
        try (DBIterator cursor = db.iterator()) {
          cursor.seek(key);
          for (int i = 0; i < 50 && cursor.isValid(); i++) {
            check(cursor.key(), cursor.value());
            cursor.next();
          }
        }
      }
    }
  }

  private static void check(byte[] key, byte @Nullable [] found) {
    if (!Arrays.equals(found, value(key))) {
      throw new AssertionError("wrong answer for " + new String(key, StandardCharsets.US_ASCII));
    }
  }
}
