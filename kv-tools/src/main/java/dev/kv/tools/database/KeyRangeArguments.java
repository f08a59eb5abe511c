package dev.kv.tools.database;

import dev.kv.DB;
import dev.kv.ReadOptions;
import dev.kv.tools.console.Progress;
import dev.kv.tools.text.ByteText;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** The options that select a range of keys to read. */
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
   * Returns the approximate number of bytes of tables that a scan over the range reads, or {@link
   * Progress#UNKNOWN} for a prefix.
   */
  public long approximateSize(DB db) {
    return prefix == null ? bounds.approximateSize(db) : Progress.UNKNOWN;
  }
}
