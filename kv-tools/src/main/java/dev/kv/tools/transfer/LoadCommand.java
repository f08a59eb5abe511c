package dev.kv.tools.transfer;

import dev.kv.tools.database.DatabaseArguments;
import dev.kv.tools.text.EntryFormat;
import java.io.IOException;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Puts entries from standard input. */
@Command(
    name = "load",
    description = "Put the entries that 'scan' printed, from standard input.",
    mixinStandardHelpOptions = true)
public final class LoadCommand implements Callable<Integer> {
  @Mixin private DatabaseArguments database;

  @Option(
      names = "--format",
      description = "The lines' format, as scan has it; default ${DEFAULT-VALUE}.",
      defaultValue = "hex")
  private EntryFormat format;

  @Override
  public Integer call() throws IOException {
    new Loading("load", (in, sink) -> TransferFormat.readLines(format, in, sink))
        .run(database, null);
    return 0;
  }
}
