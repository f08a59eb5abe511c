package example;

import static org.fusesource.leveldbjni.JniDBFactory.asString;
import static org.fusesource.leveldbjni.JniDBFactory.bytes;
import static org.fusesource.leveldbjni.JniDBFactory.factory;

import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import org.fusesource.leveldbjni.internal.NativeDB;
import org.iq80.leveldb.DB;
import org.iq80.leveldb.DBIterator;
import org.iq80.leveldb.Options;
import org.iq80.leveldb.WriteBatch;

/** Counts visits, as a program written for leveldbjni does it. It names nothing of kv. */
public final class Visits {
  private Visits() {}

  /** Runs the example; an exception fails the build. */
  public static void main(String[] arguments) throws IOException {
    File directory = Files.createTempDirectory("visits").toFile();
    try (DB db = openOrCreate(directory)) {
      count(db, "kiev", "paris", "kiev");
      try (WriteBatch batch = db.createWriteBatch()) {
        db.write(batch.put(bytes("oslo"), bytes("7")).delete(bytes("paris")));
      }
      check(list(db).equals("kiev=2 oslo=7 "));
    }
    factory.destroy(directory, new Options());
  }

  private static DB openOrCreate(File directory) throws IOException {
    Options options = new Options().createIfMissing(false);
    try {
      return factory.open(directory, options);
    } catch (NativeDB.DBException e) {
      if (!e.getMessage().contains(" does not exist ")) {
        throw e;
      }
      return factory.open(directory, options.createIfMissing(true));
    }
  }

  private static void count(DB db, String... cities) {
    for (String city : cities) {
      String before = asString(db.get(bytes(city)));
      int visits = before == null ? 1 : Integer.parseInt(before) + 1;
      db.put(bytes(city), bytes(Integer.toString(visits)));
    }
  }

  private static String list(DB db) throws IOException {
    StringBuilder list = new StringBuilder();
    try (DBIterator iterator = db.iterator()) {
      for (iterator.seekToFirst(); iterator.hasNext(); iterator.next()) {
        list.append(asString(iterator.peekNext().getKey())).append('=');
        list.append(asString(iterator.peekNext().getValue())).append(' ');
      }
    }
    return list.toString();
  }

  private static void check(boolean holds) {
    if (!holds) {
      throw new AssertionError("the example does not hold");
    }
  }
}
