package dev.kv.tools;

import dev.kv.DB;
import dev.kv.ReadOptions;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** The options that choose a range of keys to read. */
final class KeyRangeArguments {
  @Mixin private KeyBounds bounds;

  @Option(
      names = "--prefix",
      paramLabel = "KEY",
      description = "Only keys that begin so; needs the bytewise order.",
      converter = ByteText.Converter.class)
  private @Nullable ByteText prefix;

  boolean isAll() {
    return bounds.from() == null && bounds.to() == null && prefix == null;
  }

  /** Returns the options of a scan over the range. */
  ReadOptions readOptions() {
    return ReadOptions.builder()
        .fillCache(false)
        .lowerBound(bounds.from())
        .upperBound(bounds.to())
        .prefix(prefix == null ? null : prefix.bytes())
        .build();
  }

  /** Returns about how many bytes of tables a scan over the range reads; {@link Progress#UNKNOWN} for a prefix. */
  long approximateSize(DB db) {
    return prefix == null ? bounds.approximateSize(db) : Progress.UNKNOWN;
  }
}
