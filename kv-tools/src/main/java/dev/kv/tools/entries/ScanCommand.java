package dev.kv.tools.entries;

import dev.kv.DB;
import dev.kv.DBIterator;
import dev.kv.tools.console.Meter;
import dev.kv.tools.console.Output;
import dev.kv.tools.console.Progress;
import dev.kv.tools.database.DatabaseArguments;
import dev.kv.tools.database.KeyRangeArguments;
import dev.kv.tools.dump.RawScan;
import dev.kv.tools.text.EntryFormat;
import java.io.IOException;
import java.io.PrintWriter;
import java.util.concurrent.Callable;
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
public final class ScanCommand implements Callable<Integer> {
  @Spec private CommandSpec spec;
  @Mixin private DatabaseArguments database;

  @Mixin private KeyRangeArguments range;

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
      description =
          "Print every entry of the tables and logs, file by file, with its sequence number and type; "
              + "needs no order of keys, goes on behind damage, which is told on standard error, and goes "
              + "with --format and --limit only.")
  private boolean raw;

  @Override
  public Integer call() throws IOException {
    if (limit < 0) {
      throw new ParameterException(spec.commandLine(), "--limit must not be negative");
    }
    if (raw && (!range.isAll() || reverse)) {
      throw new ParameterException(
          spec.commandLine(), "--raw goes with --format and --limit only: it knows no order");
    }
    try (Output out = new Output()) {
      if (raw) {
        database.requireDirectory();
        PrintWriter messages = spec.commandLine().getErr();
        boolean damaged = new RawScan(database.directory(), format, limit, out, messages).run();
        return damaged ? 1 : 0;
      }
      scan(out);
    }
    return 0;
  }

  private void scan(Output out) {
    Meter meter = new Meter();
    try (DB db = database.openReadOnly(meter);
        DBIterator entries = db.iterator(range.readOptions());
        Progress progress =
            Progress.printing("scan", range.approximateSize(db), meter::bytesRead)) {
      progress.begin();
      if (reverse) {
        entries.seekToLast();
      } else {
        entries.seekToFirst();
      }
      for (long left = limit; left > 0 && entries.isValid(); left--) {
        out.line(format.line(entries.key(), entries.value()));
        if (reverse) {
          entries.prev();
        } else {
          entries.next();
        }
      }
    }
  }
}
