package dev.kv.core.db;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static java.nio.charset.StandardCharsets.UTF_8;

import dev.kv.DB;
import dev.kv.DBIterator;
import dev.kv.DBReader;
import dev.kv.FilterPolicy;
import dev.kv.Options;
import dev.kv.Transaction;
import dev.kv.TransactionOptions;
import dev.kv.WriteBatch;
import dev.kv.backup.Backups;
import dev.kv.bytes.DBComparator;
import dev.kv.bytes.Slice;
import dev.kv.load.BulkLoader;
import dev.kv.options.CompressionType;
import dev.kv.options.LogRetention;
import dev.kv.space.Space;
import dev.kv.table.TableWriter;
import dev.kv.ttl.TimeToLive;
import dev.kv.tuple.Tuples;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Locale;
import java.util.UUID;

/**
 * Writes what a release leaves for the tests of all later builds: databases, backups and a table,
 * and beside each a text with the entries that it must have, as lines of hex.
 */
final class ReleaseDirectory {
  /** The databases of a release. */
  enum Database {
    /** Snappy, filters, tables on two levels, each kind of write, and a log in use. */
    FEATURES(Options.builder().filterPolicy(FilterPolicy.bloom(10))),
    NONE(Options.builder().compression(CompressionType.NONE)),
    ZSTD(Options.builder().compression(CompressionType.ZSTD)),
    /** An order of the program's own. */
    REVERSE(Options.builder().comparator(new ReverseOrder())),
    /** Logs that are kept for readers of changes. */
    FEED(Options.builder().logRetention(LogRetention.ofBytes(1 << 20)));

    private final Options options;

    Database(Options.Builder options) {
      this.options = options.blockSize(512).build();
    }

    String directory() {
      return name().toLowerCase(java.util.Locale.ROOT);
    }

    /** Returns the options that it was written with. */
    Options options() {
      return options;
    }
  }

  /** The moment of the entries that expire. */
  static final Instant WRITTEN = Instant.parse("2026-01-01T00:00:00Z");

  static final Duration LIFE = Duration.ofDays(30);
  static final String SESSIONS = "session/";
  static final String TUPLES = "tuple/";

  /** A tuple of each type. */
  static final Object[] TUPLE = {
    "text \u0000 ü", -7L, Long.MAX_VALUE, 1.5, -2.5f, true, null, new byte[] {0, -1}, new UUID(1, 2)
  };

  private static final HexFormat HEX = HexFormat.of();

  private ReleaseDirectory() {}

  /** Writes all of it into a new directory. */
  static void write(Path release) throws IOException {
    Files.createDirectories(release.getParent());
    Files.createDirectory(release);
    for (Database database : Database.values()) {
      Path directory = release.resolve(database.directory());
      Options options = database.options().toBuilder().createIfMissing(true).build();
      try (DB db = DB.open(directory, options)) {
        tables(db, database);
        if (database == Database.FEED) {
          Files.writeString(
              release.resolve("feed.position"), db.changes().position().toString(), UTF_8);
        }
        if (database == Database.FEATURES) {
          views(db);
          loads(db, release);
          Backups backups = Backups.at(release.resolve("backups"));
          backups.create(db.admin());
          entries(db, release.resolve("backup-1.txt"));
          log(db);
          backups.create(db.admin());
          entries(db, release.resolve("backup-2.txt"));
        } else {
          log(db);
        }
        entries(db, release.resolve(database.directory() + ".txt"));
      }
      Files.delete(directory.resolve("LOCK"));
    }
    Files.deleteIfExists(release.resolve("backups/LOCK"));
  }

  /** Entries on two levels, with overwritten and deleted ones. */
  private static void tables(DB db, Database database) {
    for (int i = 0; i < 300; i++) {
      db.put(key(i), ("value " + i + ", and text that repeats, that repeats").getBytes(UTF_8));
    }
    db.put(new byte[0], b("the empty key"));
    db.put(b("an empty value"), new byte[0]);
    db.put(new byte[] {-1, -1, 0}, "a long value ".repeat(300).getBytes(UTF_8));
    db.admin().compactRange(null, null);
    for (int i = 0; i < 300; i += 7) {
      db.put(key(i), b("overwritten " + i));
    }
    for (int i = 0; i < 300; i += 11) {
      db.delete(key(i));
    }
    if (database == Database.REVERSE) {
      db.deleteRange(key(119), key(99));
    } else {
      db.deleteRange(key(100), key(120));
    }
    db.admin().flush();
  }

  private static void views(DB db) {
    Space tuples = Space.of(db, TUPLES);
    tuples.put(Tuples.pack(TUPLE), b("a tuple of each type"));
    for (int i = -3; i < 3; i++) {
      tuples.put(Tuples.pack("number", i), b("number " + i));
    }
    TimeToLive sessions = TimeToLive.of(Space.of(db, SESSIONS), LIFE, InstantSource.fixed(WRITTEN));
    sessions.put(b("month"), b("for thirty days"));
    sessions.withTimeToLive(Duration.ofDays(36_500)).put(b("century"), b("for a hundred years"));
  }

  private static void loads(DB db, Path release) throws IOException {
    try (BulkLoader loader = db.loads().bulkLoader()) {
      for (int i = 0; i < 100; i++) {
        loader.put(b(String.format(Locale.ROOT, "load/%04d", i)), b("loaded " + i));
      }
      loader.finish();
    }
    Path ingested = release.resolve("ingested.ldb");
    try (TableWriter writer = TableWriter.forIngest(ingested, Database.FEATURES.options())) {
      for (int i = 0; i < 50; i++) {
        writer.put(b(String.format(Locale.ROOT, "ingest/%04d", i)), b("ingested " + i));
      }
      writer.finish();
    }
    db.loads().ingest(List.of(ingested));
    Files.deleteIfExists(ingested);
    try (TableWriter writer =
        TableWriter.create(release.resolve("table.ldb"), Database.FEATURES.options())) {
      for (int i = 0; i < 50; i++) {
        writer.put(b(String.format(Locale.ROOT, "entry %04d", i)), b("of a table " + i));
      }
      writer.finish();
    }
  }

  /** Writes that no flush follows: they stand in the log alone. */
  private static void log(DB db) {
    for (int i = 250; i < 350; i++) {
      db.put(key(i), b("in the log " + i));
    }
    db.delete(key(1));
    db.write(
        WriteBatch.create().put(b("batch 1"), b("a")).delete(key(2)).put(b("batch 2"), b("b")));
    db.putIfAbsent(b("absent"), b("put, since it was absent"));
    try (Transaction transaction = db.transaction(TransactionOptions.DEFAULT)) {
      transaction.put(b("transaction"), b("committed"));
      transaction.delete(key(3));
      transaction.commit();
    }
  }

  private static void entries(DBReader db, Path file) throws IOException {
    Files.write(file, entries(db));
  }

  /** Returns the entries as lines of hex, in the order of the database. */
  static List<String> entries(DBReader db) {
    List<String> lines = new ArrayList<>();
    try (DBIterator cursor = db.iterator()) {
      for (cursor.seekToFirst(); cursor.isValid(); cursor.next()) {
        lines.add(HEX.formatHex(cursor.key()) + " " + HEX.formatHex(cursor.value()));
      }
    }
    return lines;
  }

  static byte[] key(int i) {
    return b(String.format(Locale.ROOT, "key %04d", i));
  }

  static byte[] b(String text) {
    return text.getBytes(US_ASCII);
  }

  /** The other way round. */
  private static final class ReverseOrder implements DBComparator {
    @Override
    public String name() {
      return "releases.ReverseBytewise";
    }

    @Override
    public int compare(Slice a, Slice b) {
      return b.compareTo(a);
    }
  }
}
