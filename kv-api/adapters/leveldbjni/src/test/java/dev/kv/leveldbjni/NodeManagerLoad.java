package dev.kv.leveldbjni;

import java.io.File;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Locale;
import java.util.Map;
import java.util.Random;
import org.fusesource.leveldbjni.JniDBFactory;
import org.iq80.leveldb.DB;
import org.iq80.leveldb.DBIterator;
import org.iq80.leveldb.Options;
import org.iq80.leveldb.WriteBatch;
import org.iq80.leveldb.WriteOptions;

/**
 * What YARN's NodeManager does with its state store while it runs, on the library that is first on
 * the class path: for each container a batch at its start, single puts while it runs, a batch of
 * deletes after its end, and a synced put per application. Prints the microseconds of each kind of
 * operation, and leaves the database to {@link NodeManagerRestart}.
 */
final class NodeManagerLoad {
  private static final int CONTAINERS = 50_000;
  private static final int PER_APPLICATION = 100;
  private static final int ALIVE = 2_000;
  private static final String[] KEYS = {
    "request", "version", "starttime", "launched", "workdir", "logdir", "diagnostics", "exitcode"
  };

  private final File directory;
  private final byte[] noise = new byte[1 << 20];
  private final Random random = new Random(3);

  private NodeManagerLoad(File directory) {
    this.directory = directory;
    random.nextBytes(noise);
    for (int i = 0; i < noise.length; i++) {
      noise[i] = (byte) ('a' + (noise[i] & 7)); // compresses to about half, as protobuf does
    }
  }

  public static void main(String[] arguments) throws IOException {
    File directory = new File(arguments[0]);
    JniDBFactory.factory.destroy(directory, new Options());
    new NodeManagerLoad(directory).run();
  }

  private static byte[] bytes(String text) {
    return text.getBytes(StandardCharsets.UTF_8);
  }

  private static byte[] key(int container, String name) {
    return bytes(
        String.format(
            Locale.ROOT,
            "ContainerManager/containers/container_1700000000000_%04d_01_%06d/%s",
            container / PER_APPLICATION,
            container,
            name));
  }

  private byte[] value(int length) {
    int from = random.nextInt(noise.length - length);
    return Arrays.copyOfRange(noise, from, from + length);
  }

  private void run() throws IOException {
    Timer start = new Timer("start of a container");
    Timer put = new Timer("put while it runs");
    Timer end = new Timer("end of a container");
    Timer application = new Timer("application, synced");
    try (DB db = JniDBFactory.factory.open(directory, new Options())) {
      for (int container = 0; container < CONTAINERS; container++) {
        if (container % PER_APPLICATION == 0) {
          byte[] key = bytes("ContainerManager/applications/application_" + container);
          byte[] value = value(400);
          application.time(() -> db.put(key, value, new WriteOptions().sync(true)));
        }
        start(db, container, start);
        for (int i = 3; i < KEYS.length; i++) {
          byte[] key = key(container, KEYS[i]);
          byte[] value = value(i == 6 ? 200 : 40);
          put.time(() -> db.put(key, value));
        }
        if (container >= ALIVE) {
          end(db, container - ALIVE, end);
        }
      }
    }
    for (Timer timer : new Timer[] {start, put, end, application}) {
      timer.print();
    }
  }

  private void start(DB db, int container, Timer timer) throws IOException {
    byte[] request = value(1200);
    timer.time(
        () -> {
          try (WriteBatch batch = db.createWriteBatch()) {
            batch.put(key(container, KEYS[0]), request);
            batch.put(key(container, KEYS[1]), bytes("1"));
            batch.put(key(container, KEYS[2]), bytes("1700000000000"));
            db.write(batch);
          }
        });
  }

  private static void end(DB db, int container, Timer timer) throws IOException {
    timer.time(
        () -> {
          try (WriteBatch batch = db.createWriteBatch()) {
            for (String name : KEYS) {
              batch.delete(key(container, name));
            }
            db.write(batch);
          }
        });
  }

  /** Opens the database, reads everything by peeking at each entry before taking it, closes. */
  static void restart(File directory) throws IOException {
    int entries = 0;
    try (DB db = JniDBFactory.factory.open(directory, new Options());
        DBIterator iterator = db.iterator()) {
      iterator.seek(bytes("ContainerManager/"));
      while (iterator.hasNext()) {
        Map.Entry<byte[], byte[]> peeked = iterator.peekNext();
        if (!new String(peeked.getKey(), StandardCharsets.UTF_8).startsWith("ContainerManager/")) {
          break;
        }
        iterator.next();
        entries++;
      }
    }
    int expected = ALIVE * KEYS.length + CONTAINERS / PER_APPLICATION;
    if (entries != expected) {
      throw new IllegalStateException(entries + " entries, not " + expected);
    }
  }

  /** Something that is timed. */
  interface Operation {
    void run() throws IOException;
  }

  /** Sums times, without the first tenth, in which the code is not yet compiled. */
  static final class Timer {
    private final String name;
    private long[] nanos = new long[1024];
    private int count;

    Timer(String name) {
      this.name = name;
    }

    void time(Operation operation) throws IOException {
      long start = System.nanoTime();
      operation.run();
      if (count == nanos.length) {
        nanos = Arrays.copyOf(nanos, 2 * count);
      }
      nanos[count++] = System.nanoTime() - start;
    }

    /** Prints count, mean, least, greatest and 95th percentile, as Spark's benchmark does. */
    void print() {
      long[] counted = Arrays.copyOfRange(nanos, count / 10, count);
      Arrays.sort(counted);
      System.out.printf(
          Locale.ROOT,
          "%s\t%d\t%.3f\t%.3f\t%.3f\t%.3f%n",
          name,
          counted.length,
          Arrays.stream(counted).average().orElse(0) / 1e3,
          counted[0] / 1e3,
          counted[counted.length - 1] / 1e3,
          counted[(int) (counted.length * 0.95)] / 1e3);
    }
  }
}
