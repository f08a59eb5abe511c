package dev.kv.tools.transfer;

import dev.kv.tools.database.DatabaseArguments;
import java.io.IOException;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Puts entries from standard input. */
@Command(
    name = "load",
    description =
        "Put the entries that scan printed, from standard input. If the input is malformed, the"
            + " entries before that place may have been put.",
    mixinStandardHelpOptions = true)
public final class LoadCommand implements Callable<Integer> {
  @Mixin private DatabaseArguments database;

  @Option(
      names = "--format",
      paramLabel = "FORMAT",
      description = "The format of the input: text, utf8, hex, json or binary; default text.")
  private TransferFormat format = TransferFormat.TEXT;

  @Option(names = "--json", description = "Short for --format json.")
  void json(boolean json) {
    if (json) {
      format = TransferFormat.JSON;
    }
  }

  @Option(names = "--create", description = "Create the database if there is none.")
  private boolean create;

  @Override
  public Integer call() throws IOException {
    new Loading("load", format, database, create).run(null);
    return 0;
  }
}
