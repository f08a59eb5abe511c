package dev.kv.tools.entries;

import dev.kv.DBIterator;
import dev.kv.ReadOnlyDB;
import dev.kv.tools.console.Meter;
import dev.kv.tools.console.Output;
import dev.kv.tools.console.Progress;
import dev.kv.tools.database.DatabaseArguments;
import dev.kv.tools.database.KeyRangeArguments;
import dev.kv.tools.dump.VersionScan;
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

/** Prints entries in the order of their keys. */
@Command(
    name = "scan",
    description = "Print entries in the order of their keys.",
    mixinStandardHelpOptions = true)
public final class ScanCommand implements Callable<Integer> {
  @Spec private CommandSpec spec;
  @Mixin private DatabaseArguments database;

  @Mixin private KeyRangeArguments range;

  @Option(names = "--reverse", description = "Print from the last key to the first.")
  private boolean reverse;

  @Option(names = "--limit", paramLabel = "N", description = "Print at most N entries.")
  private long limit = Long.MAX_VALUE;

  @Option(
      names = "--format",
      paramLabel = "FORMAT",
      description = "text, utf8, hex or json; default text.")
  private EntryFormat format = EntryFormat.TEXT;

  @Option(names = "--json", description = "Short for --format json.")
  void json(boolean json) {
    if (json) {
      format = EntryFormat.JSON;
    }
  }

  @Option(
      names = "--utf8",
      description = "Short for --format utf8: characters of UTF-8 text are printed as they are.")
  void utf8(boolean utf8) {
    if (utf8) {
      format = EntryFormat.UTF8;
    }
  }

  @Option(names = "--hex", description = "Short for --format hex.")
  void hex(boolean hex) {
    if (hex) {
      format = EntryFormat.HEX;
    }
  }

  @Option(names = "--keys-only", description = "Print the keys without their values.")
  private boolean keysOnly;

  @Option(
      names = "--all-versions",
      description =
          "Print every version of every entry in tables and logs, file by file, with sequence"
              + " number and type. Needs no order of keys, and continues after damage, which it"
              + " reports on standard error. Only --format and --limit can be combined with it.")
  private boolean allVersions;

  @Override
  public Integer call() throws IOException {
    if (limit < 0) {
      throw new ParameterException(spec.commandLine(), "--limit must not be negative");
    }
    boolean ordered = database.orderName() != null && !database.isInShell(); // it hands its own on
    if (allVersions && (!range.isAll() || reverse || keysOnly || ordered)) {
      throw new ParameterException(
          spec.commandLine(), "only --format and --limit can be combined with --all-versions");
    }
    try (Output out = new Output()) {
      if (allVersions) {
        database.requireDirectory();
        database.noteWriter();
        PrintWriter messages = spec.commandLine().getErr();
        boolean damaged = new VersionScan(database.directory(), format, limit, out, messages).run();
        return damaged ? 1 : 0;
      }
      scan(out);
    }
    return 0;
  }

  private void scan(Output out) {
    Meter meter = new Meter();
    try (ReadOnlyDB db = database.openReadOnly(meter);
        DBIterator entries = db.iterator(range.readOptions(database));
        Progress progress =
            Progress.printing("scan", () -> range.approximateSize(db), meter::bytesRead)) {
      progress.begin();
      if (reverse) {
        entries.seekToLast();
      } else {
        entries.seekToFirst();
      }
      for (long left = limit; left > 0 && entries.isValid(); left--) {
        out.line(
            keysOnly ? format.keyLine(entries.key()) : format.line(entries.key(), entries.value()));
        if (reverse) {
          entries.prev();
        } else {
          entries.next();
        }
      }
    }
  }
}
