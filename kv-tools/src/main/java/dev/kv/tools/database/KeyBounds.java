package dev.kv.tools.database;

import dev.kv.DB;
import dev.kv.DBIterator;
import dev.kv.DBStats;
import dev.kv.Range;
import dev.kv.tools.text.ByteText;
import java.util.List;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** The options that bound keys, in the database's order. */
public final class KeyBounds {
  @Option(
      names = "--from",
      paramLabel = "KEY",
      description = "The first key; by default the database's.",
      converter = ByteText.Converter.class)
  private @Nullable ByteText from;

  @Option(
      names = "--to",
      paramLabel = "KEY",
      description = "The key before which to end; by default behind the database's last.",
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

  /** Returns about how many bytes of tables lie between the bounds. */
  public long approximateSize(DB db) {
    byte[] end = to();
    long whole = db.stats().levels().stream().mapToLong(DBStats.Level::bytes).sum();
    return Math.max(0, (end == null ? whole : offset(db, end)) - offset(db, from()));
  }

  /** Returns about how many bytes lie before a key, none of them before no key. */
  private static long offset(DB db, byte @Nullable [] key) {
    if (key == null) {
      return 0;
    }
    try (DBIterator entries = db.iterator()) {
      entries.seekToFirst();
      return entries.isValid() ? db.approximateSizes(List.of(new Range(entries.key(), key)))[0] : 0;
    }
  }
}
