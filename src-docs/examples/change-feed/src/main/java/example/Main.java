package example;

import static java.nio.charset.StandardCharsets.US_ASCII;

import dev.kv.DB;
import dev.kv.Options;
import dev.kv.WriteBatch;
import dev.kv.WriteOptions;
import java.nio.file.Path;

/**
 * Counts in one database while a second one follows. It never ends: kill it, and start it again.
 *
 * <p>Arguments: the directories of the two databases.
 */
final class Main {
  private static final byte[] COUNT = "count".getBytes(US_ASCII);
  private static final int KEYS = 1000;

  private Main() {}

  public static void main(String[] args) throws InterruptedException {
    Options options = Options.builder().createIfMissing(true).build();
    try (DB source = DB.open(Path.of(args[0]), Follower.KEEPS_LOGS);
        DB copy = DB.open(Path.of(args[1]), options)) {
      Thread writer = new Thread(() -> write(source, copy));
      writer.setDaemon(true);
      writer.start();
      new Follower(source, copy).run();
    }
  }

  private static void write(DB source, DB copy) {
    while (true) {
      long count = writeNext(source);
      if (count % 100 == 0) {
        System.out.println("source " + count + " copy " + count(copy));
      }
    }
  }

  /** Writes the count with an entry, or without one that is deleted. One write in 50 is synced. */
  static long writeNext(DB source) {
    long count = count(source) + 1;
    byte[] value = Long.toString(count).getBytes(US_ASCII);
    byte[] key = ("key" + count * 7919 % KEYS).getBytes(US_ASCII);
    WriteBatch batch = WriteBatch.create().put(COUNT, value);
    source.write(
        count % 50 == 0 ? WriteOptions.SYNC : WriteOptions.DEFAULT,
        count % 3 == 0 ? batch.delete(key) : batch.put(key, value));
    return count;
  }

  static long count(DB db) {
    byte[] count = db.get(COUNT);
    return count == null ? 0 : Long.parseLong(new String(count, US_ASCII));
  }
}
