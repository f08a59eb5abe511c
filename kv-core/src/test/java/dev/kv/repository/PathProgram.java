package dev.kv.repository;

import static java.nio.charset.StandardCharsets.US_ASCII;

import dev.kv.DB;
import dev.kv.DBIterator;
import dev.kv.FilterPolicy;
import dev.kv.Options;
import dev.kv.options.CompressionType;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Locale;

/**
 * Goes each path through the engine once, after a round that loads the classes and fills the cache.
 * {@link CountsIT} watches it: a call of {@link Mark#enter} says which path begins.
 */
final class PathProgram {
  private static final int KEYS = 1_000;

  private final Path directory;

  /** Where the watcher looks: a class of its own, whose calls are few. */
  static final class Mark {
    private Mark() {}

    /** Names the path that what follows belongs to. */
    static void enter(String path) {}
  }

  private PathProgram(Path directory) {
    this.directory = directory;
  }

  public static void main(String[] args) throws IOException {
    new PathProgram(Path.of(args[0])).run();
  }

  private void run() {
    Options options =
        Options.builder()
            .createIfMissing(true)
            .compression(CompressionType.SNAPPY)
            .filterPolicy(FilterPolicy.bloom(10))
            .build();
    try (DB db = DB.open(directory, options)) {
      fill(db, KEYS);
      db.admin().compactRange(null, null);
      fill(db, 100);
      steps(db);
    }
    Mark.enter("open");
    try (DB db = DB.open(directory, options)) {
      Mark.enter("none");
      fill(db, 100);
      steps(db);
      Mark.enter("put");
      db.put(key(7), key(7));
      Mark.enter("none");
      db.admin().flush();
      db.get(key(KEYS / 2));
      Mark.enter("cached get");
      db.get(key(KEYS / 2));
      Mark.enter("none");
      steps(db);
      fill(db, KEYS);
      Mark.enter("flush");
      db.admin().flush();
      Mark.enter("compaction");
      db.admin().compactRange(null, null);
      Mark.enter("none");
    }
  }

  /** Walks over cached blocks; only the steps after the first are of the path. */
  private static void steps(DB db) {
    try (DBIterator entries = db.iterator()) {
      entries.seekToFirst();
      entries.next();
      Mark.enter("iterator step");
      entries.next();
      entries.next();
      Mark.enter("none");
    }
  }

  private static void fill(DB db, int keys) {
    for (int i = 0; i < keys; i++) {
      db.put(key(i), key(i));
    }
  }

  private static byte[] key(int i) {
    return String.format(Locale.ROOT, "key%06d", i).getBytes(US_ASCII);
  }
}
