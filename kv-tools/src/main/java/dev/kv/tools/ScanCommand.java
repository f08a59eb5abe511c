package dev.kv.tools;

import dev.kv.DB;
import dev.kv.DBIterator;
import dev.kv.ReadOptions;
import java.io.BufferedOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** Prints entries in order. */
@Command(
    name = "scan",
    description = "Print entries in the order of their keys.",
    mixinStandardHelpOptions = true)
final class ScanCommand implements Callable<Integer> {
  @Spec private CommandSpec spec;
  @Mixin private DatabaseArguments database;

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
      description = "Only keys that begin so.",
      converter = ByteText.Converter.class)
  private @Nullable ByteText prefix;

  @Option(names = "--reverse", description = "From the last to the first.")
  private boolean reverse;

  @Option(names = "--limit", paramLabel = "N", description = "At most so many entries.")
  private long limit = Long.MAX_VALUE;

  @Option(
      names = "--format",
      description = "${COMPLETION-CANDIDATES}; default ${DEFAULT-VALUE}.",
      defaultValue = "text")
  private EntryFormat format;

  @Option(
      names = "--raw",
      description = {
        "Print every entry of the tables and logs, file by file, with its sequence number and type;",
        "needs no order of keys, and goes with --format and --limit only."
      })
  private boolean raw;

  @Override
  public Integer call() throws IOException {
    if (limit < 0) {
      throw new ParameterException(spec.commandLine(), "--limit must not be negative");
    }
    if (raw && (from != null || to != null || prefix != null || reverse)) {
      throw new ParameterException(
          spec.commandLine(), "--raw goes with --format and --limit only: it knows no order");
    }
    try (OutputStream out = new BufferedOutputStream(System.out, 1 << 16)) {
      if (raw) {
        new RawScan(database.directory(), format, limit).print(out);
      } else {
        scan(out);
      }
    }
    return 0;
  }

  private void scan(OutputStream out) throws IOException {
    try (DB db = database.openReadOnly();
        DBIterator entries = db.iterator(bounds())) {
      if (reverse) {
        entries.seekToLast();
      } else {
        entries.seekToFirst();
      }
      for (long left = limit; left > 0 && entries.isValid(); left--) {
        out.write(format.encode(entries.key(), entries.value()));
        if (reverse) {
          entries.prev();
        } else {
          entries.next();
        }
      }
    }
  }

  private ReadOptions bounds() {
    return ReadOptions.builder()
        .fillCache(false)
        .lowerBound(from == null ? null : from.bytes())
        .upperBound(to == null ? null : to.bytes())
        .prefix(prefix == null ? null : prefix.bytes())
        .build();
  }
}
