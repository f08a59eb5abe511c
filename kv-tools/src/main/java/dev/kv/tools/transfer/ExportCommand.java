package dev.kv.tools.transfer;

import dev.kv.DB;
import dev.kv.DBIterator;
import dev.kv.tools.console.Meter;
import dev.kv.tools.console.Output;
import dev.kv.tools.console.Progress;
import dev.kv.tools.database.DatabaseArguments;
import dev.kv.tools.database.KeyRangeArguments;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Writes entries to standard output for import. */
@Command(
    name = "export",
    description =
        "Write entries to standard output in a form that import reads: hex, a line an entry; jsonl, a "
            + "JSON object a line; binary, the lengths of key and value, each 4 bytes with the highest "
            + "first, and both.",
    mixinStandardHelpOptions = true)
public final class ExportCommand implements Callable<Integer> {
  @Mixin private DatabaseArguments database;
  @Mixin private KeyRangeArguments range;

  @Option(
      names = "--format",
      description = "${COMPLETION-CANDIDATES}; default ${DEFAULT-VALUE}.",
      defaultValue = "hex")
  private TransferFormat format;

  @Override
  public Integer call() {
    Meter meter = new Meter();
    try (Output out = new Output();
        DB db = database.openReadOnly(meter);
        DBIterator entries = db.iterator(range.readOptions());
        Progress progress =
            Progress.printing("export", range.approximateSize(db), meter::bytesRead)) {
      progress.begin();
      for (entries.seekToFirst(); entries.isValid(); entries.next()) {
        out.bytes(format.encode(entries.key(), entries.value()));
      }
    }
    return 0;
  }
}
