package dev.kv.tools;

import dev.kv.ReadOptions;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** The options that choose a range of keys to read. */
final class KeyRangeArguments {
  @Option(
      names = "--from",
      paramLabel = "KEY",
      description = "The first key, inclusive.",
      converter = ByteText.Converter.class)
  private @Nullable ByteText from;

  @Option(
      names = "--to",
      paramLabel = "KEY",
      description = "The last key, exclusive.",
      converter = ByteText.Converter.class)
  private @Nullable ByteText to;

  @Option(
      names = "--prefix",
      paramLabel = "KEY",
      description = "Only keys that begin so; needs the bytewise order.",
      converter = ByteText.Converter.class)
  private @Nullable ByteText prefix;

  boolean isAll() {
    return from == null && to == null && prefix == null;
  }

  /** Returns the options of a scan over the range. */
  ReadOptions readOptions() {
    return ReadOptions.builder()
        .fillCache(false)
        .lowerBound(from == null ? null : from.bytes())
        .upperBound(to == null ? null : to.bytes())
        .prefix(prefix == null ? null : prefix.bytes())
        .build();
  }
}
