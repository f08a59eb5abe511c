package dev.kv.tools.transfer;

import dev.kv.DBIterator;
import dev.kv.ReadOnlyDB;
import dev.kv.tools.console.Meter;
import dev.kv.tools.console.Output;
import dev.kv.tools.console.Progress;
import dev.kv.tools.database.DatabaseArguments;
import dev.kv.tools.database.KeyRangeArguments;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Writes entries to standard output in a format that import reads. */
@Command(
    name = "export",
    description =
        "Write entries to standard output in a format that import reads: text, utf8 and hex are one"
            + " line for each entry; json is one object on each line; binary is the lengths of key"
            + " and value, 4 bytes each with the highest first, then key and value.",
    mixinStandardHelpOptions = true)
public final class ExportCommand implements Callable<Integer> {
  @Mixin private DatabaseArguments database;
  @Mixin private KeyRangeArguments range;

  @Option(
      names = "--format",
      paramLabel = "FORMAT",
      description = "text, utf8, hex, json or binary; default text.")
  private TransferFormat format = TransferFormat.TEXT;

  @Option(names = "--json", description = "Short for --format json.")
  void json(boolean json) {
    if (json) {
      format = TransferFormat.JSON;
    }
  }

  @Override
  public Integer call() {
    Meter meter = new Meter();
    try (Output out = new Output();
        ReadOnlyDB db = database.openReadOnly(meter);
        DBIterator entries = db.iterator(range.readOptions(database));
        Progress progress =
            Progress.printing("export", () -> range.approximateSize(db), meter::bytesRead)) {
      progress.begin();
      for (entries.seekToFirst(); entries.isValid(); entries.next()) {
        out.bytes(format.encode(entries.key(), entries.value()));
      }
    }
    return 0;
  }
}
