package dev.kv.tools.database;

import dev.kv.DBIterator;
import dev.kv.ReadOnlyDB;
import dev.kv.admin.DBStats;
import dev.kv.bytes.Range;
import dev.kv.bytes.Slice;
import dev.kv.errors.CorruptionException;
import dev.kv.tools.console.Failure;
import dev.kv.tools.console.Progress;
import dev.kv.tools.text.ByteText;
import java.util.List;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Option;

/** The options that bound a range of keys, in the order of the database. */
public final class KeyBounds {
  @Option(
      names = "--from",
      paramLabel = "KEY",
      description = "The first key of the range; default the first key of all.",
      converter = ByteText.Converter.class)
  private @Nullable ByteText from;

  @Option(
      names = "--to",
      paramLabel = "KEY",
      description = "The key before which the range ends; default the end of all keys.",
      converter = ByteText.Converter.class)
  private @Nullable ByteText to;

  /** Returns the first key, or null for no bound. */
  public byte @Nullable [] from() {
    return from == null ? null : from.bytes();
  }

  /** Returns the key before which the range ends, or null for no bound. */
  public byte @Nullable [] to() {
    return to == null ? null : to.bytes();
  }

  /**
   * Checks that the bounds are in order.
   *
   * @throws CommandLine.ParameterException if the range begins after its end in the order of the
   *     database
   * @throws Failure if that order is unknown
   */
  public void requireAscending(DatabaseArguments database) {
    byte[] first = from();
    byte[] end = to();
    if (first != null && end != null) {
      database.requireDatabase();
      if (database.requireComparator().compare(Slice.of(first), Slice.of(end)) > 0) {
        throw database.wrongUsage("--from lies after --to in the order of the database");
      }
    }
  }

  /**
   * Returns the approximate number of bytes that the range takes in tables, or {@link
   * Progress#UNKNOWN} if a damaged block hides it.
   */
  public long approximateSize(ReadOnlyDB db) {
    try {
      return approximateSize(db, from(), to());
    } catch (CorruptionException damaged) {
      return Progress.UNKNOWN;
    }
  }

  /** Returns the approximate number of bytes that the keys between two take in tables. */
  public static long approximateSize(ReadOnlyDB db, byte @Nullable [] from, byte @Nullable [] end) {
    long whole = db.admin().stats().levels().stream().mapToLong(DBStats.Level::bytes).sum();
    return Math.max(0, (end == null ? whole : offset(db, end)) - offset(db, from));
  }

  /** Returns the approximate number of bytes before a key; 0 if the key is null. */
  private static long offset(ReadOnlyDB db, byte @Nullable [] key) {
    if (key == null) {
      return 0;
    }
    try (DBIterator entries = db.iterator()) {
      entries.seekToFirst();
      return entries.isValid()
          ? db.admin().approximateSizes(List.of(new Range(entries.key(), key)))[0]
          : 0;
    }
  }
}
