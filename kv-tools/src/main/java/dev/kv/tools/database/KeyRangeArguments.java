package dev.kv.tools.database;

import dev.kv.DB;
import dev.kv.ReadOptions;
import dev.kv.tools.console.Progress;
import dev.kv.tools.text.ByteText;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** The options that choose a range of keys to read. */
public final class KeyRangeArguments {
  @Mixin private KeyBounds bounds;

  @Option(
      names = "--prefix",
      paramLabel = "KEY",
      description = "Only keys that begin so; needs the bytewise order.",
      converter = ByteText.Converter.class)
  private @Nullable ByteText prefix;

  /** Returns whether the range is that of all keys. */
  public boolean isAll() {
    return bounds.from() == null && bounds.to() == null && prefix == null;
  }

  /** Returns the options of a scan over the range. */
  public ReadOptions readOptions() {
    return ReadOptions.builder()
        .fillCache(false)
        .lowerBound(bounds.from())
        .upperBound(bounds.to())
        .prefix(prefix == null ? null : prefix.bytes())
        .build();
  }

  /**
   * Returns about how many bytes of tables a scan over the range reads; {@link Progress#UNKNOWN}
   * for a prefix.
   */
  public long approximateSize(DB db) {
    return prefix == null ? bounds.approximateSize(db) : Progress.UNKNOWN;
  }
}
