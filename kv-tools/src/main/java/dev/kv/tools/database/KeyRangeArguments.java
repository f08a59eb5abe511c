package dev.kv.tools.database;

import dev.kv.DB;
import dev.kv.ReadOptions;
import dev.kv.WriteOptions;
import dev.kv.tools.console.Progress;
import dev.kv.tools.text.ByteText;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** The options that select a range of keys to read or delete. */
public final class KeyRangeArguments {
  @Mixin private KeyBounds bounds;

  @Option(
      names = "--prefix",
      paramLabel = "KEY",
      description = "Only keys that begin with KEY; needs the bytewise order.",
      converter = ByteText.Converter.class)
  private @Nullable ByteText prefix;

  /** Returns true if the range is not bounded. */
  public boolean isAll() {
    return bounds.from() == null && bounds.to() == null && prefix == null;
  }

  /**
   * Returns the options of a scan over the range.
   *
   * @throws picocli.CommandLine.ParameterException if the range begins after its end in the order
   *     of the database
   */
  public ReadOptions readOptions(DatabaseArguments database) {
    bounds.requireAscending(database);
    return ReadOptions.builder()
        .fillCache(false)
        .lowerBound(bounds.from())
        .upperBound(bounds.to())
        .prefix(prefix == null ? null : prefix.bytes())
        .build();
  }

  /**
   * Checks that the range can be deleted.
   *
   * @throws picocli.CommandLine.ParameterException if it has a prefix and bounds, or begins after
   *     its end in the order of the database
   */
  public void requireDeletable(DatabaseArguments database) {
    if (prefix != null && (bounds.from() != null || bounds.to() != null)) {
      throw database.wrongUsage("give --prefix, or --from and --to");
    }
    bounds.requireAscending(database);
  }

  /** Deletes the keys of the range as one write. */
  public void delete(DB db) {
    if (prefix == null) {
      db.deleteRange(WriteOptions.SYNC, bounds.from(), bounds.to());
    } else {
      db.deletePrefix(WriteOptions.SYNC, prefix.bytes());
    }
  }

  /**
   * Returns the approximate number of bytes of tables that a scan over the range reads, or {@link
   * Progress#UNKNOWN} for a prefix.
   */
  public long approximateSize(DB db) {
    return prefix == null ? bounds.approximateSize(db) : Progress.UNKNOWN;
  }
}
