package org.fusesource.leveldbjni;

import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.fusesource.leveldbjni.internal.JniDB;
import org.fusesource.leveldbjni.test.DBTest;
import org.iq80.leveldb.DB;
import org.iq80.leveldb.Options;

/**
 * leveldbjni's own tests. One of them fails if flushes are late, or if a compaction takes half a
 * second: it compares whole lines of the statistics, with the time in them. Here it waits for the
 * flushes, and compares the number of tables.
 */
public class DBTestOnKvTest extends DBTest {
  private static final int KEYS = 5 * 1024;
  private static final long MAX_SECONDS = 60;

  @Override
  public void testCompactRanges() throws IOException, InterruptedException {
    File directory = Files.createTempDirectory("compact").toFile();
    JniDBFactory factory = JniDBFactory.factory;
    try (DB db = factory.open(directory, new Options().createIfMissing(true))) {
      byte[] value = JniDBFactory.bytes("123".repeat(1000));
      for (int i = 0; i < KEYS; i++) {
        db.put(key(i), value);
      }
      for (int i = 0; i < KEYS; i++) {
        db.delete(key(i));
      }
      // Three of four memtables were full: the first goes to level 2, and the second to level 1.
      long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(MAX_SECONDS);
      while (tables(db, 1) == 0 || tables(db, 2) == 0) {
        assertTrue(stats(db), System.nanoTime() < end);
        Thread.sleep(10);
      }
      ((JniDB) db).compactRange(null, null);
      assertEquals(stats(db), 0, tables(db, 1));
      assertEquals(stats(db), 0, tables(db, 2));
    }
    factory.destroy(directory, new Options());
  }

  private static byte[] key(int i) {
    return JniDBFactory.bytes("row" + i);
  }

  private static String stats(DB db) {
    return db.getProperty("leveldb.stats");
  }

  /** Returns the number of tables in a level. */
  private static int tables(DB db, int level) {
    Matcher line = Pattern.compile("(?m)^ *" + level + " +(\\d+) ").matcher(stats(db));
    return line.find() ? Integer.parseInt(line.group(1)) : 0;
  }
}
