package dev.kv.leveldbjni;

import java.io.File;
import java.io.FileInputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import org.fusesource.leveldbjni.JniDBFactory;
import org.iq80.leveldb.DB;
import org.iq80.leveldb.DBIterator;
import org.iq80.leveldb.Options;

/**
 * One use of a database in a new JVM, on the library that is first on the class path: prints the
 * microseconds from before the first class of the library is loaded until after the close, and the
 * processor time of the whole process, which other work on the machine disturbs less. Programs of
 * this kind load most of their classes for the first time, so it uses no more of Java than it must.
 */
final class ShortProcess {
  private static final String CREATE = "create, put, close";
  private static final String GET = "open, get, close";
  private static final String FILL = "create, 5,000 puts, close";
  private static final String ALL = "open, iterate over 5,000, close";

  /** In this order, on one directory for the first two, and on another for the others. */
  static final String[] KINDS = {CREATE, GET, FILL, ALL};

  private static final int ENTRIES = 5000;

  private ShortProcess() {}

  public static void main(String[] arguments) throws IOException {
    String kind = arguments[0];
    File directory = new File(arguments[1], kind.equals(CREATE) || kind.equals(GET) ? "1" : "2");
    long start = System.nanoTime();
    try (DB db = JniDBFactory.factory.open(directory, new Options())) {
      switch (kind) {
        case CREATE -> db.put(key(7), new byte[100]);
        case GET -> require(db.get(key(7)) != null);
        case FILL -> {
          for (int i = 0; i < ENTRIES; i++) {
            db.put(key(i), new byte[100]);
          }
        }
        case ALL -> require(count(db) == ENTRIES);
        default -> throw new IllegalArgumentException(kind);
      }
    }
    print(kind, System.nanoTime() - start);
    long processor = processorNanos();
    if (processor > 0) {
      print(kind.concat(", processor time of the process"), processor);
    }
  }

  private static byte[] key(int number) {
    return "key".concat(Integer.toString(1_000_000 + number)).getBytes(StandardCharsets.UTF_8);
  }

  private static int count(DB db) throws IOException {
    int count = 0;
    try (DBIterator entries = db.iterator()) {
      entries.seekToFirst();
      while (entries.hasNext()) {
        Map.Entry<byte[], byte[]> entry = entries.next();
        require(entry.getValue().length == 100);
        count++;
      }
    }
    return count;
  }

  private static void require(boolean right) {
    if (!right) {
      throw new IllegalStateException("an entry is missing");
    }
  }

  /** Sums the threads' times on a processor; 0 if this is not Linux. */
  private static long processorNanos() throws IOException {
    File[] threads = new File("/proc/self/task").listFiles();
    long sum = 0;
    for (File thread : threads == null ? new File[0] : threads) {
      File times = new File(thread, "schedstat");
      if (times.exists()) {
        try (FileInputStream in = new FileInputStream(times)) {
          String text = new String(in.readAllBytes(), StandardCharsets.US_ASCII);
          sum += Long.parseLong(text.substring(0, text.indexOf(' ')));
        }
      }
    }
    return sum;
  }

  /** Prints what {@link SideBySideIT} reads: the name, and the mean as the third column. */
  private static void print(String name, long nanos) {
    System.out.println(name + "\t1\t" + nanos / 1000 + "\t\t\t.");
  }
}
