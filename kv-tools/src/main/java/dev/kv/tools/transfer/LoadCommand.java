package dev.kv.tools.transfer;

import dev.kv.load.BulkLoadOptions;
import dev.kv.tools.database.ChangeFeedArguments;
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
            + " entries before that place may have been put; with --sorted or --sort, none of"
            + " them.",
    mixinStandardHelpOptions = true)
public final class LoadCommand implements Callable<Integer> {
  @Mixin private DatabaseArguments database;
  @Mixin private ChangeFeedArguments feed;

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

  @Option(
      names = "--sorted",
      description =
          "Write the entries to tables directly, all at once. Their keys must ascend, as those of"
              + " scan do.")
  private boolean sorted;

  @Option(
      names = "--sort",
      description =
          "As --sorted, for keys in any order: they are sorted in temporary files. If a key occurs"
              + " twice, the last value counts.")
  private boolean sort;

  @Override
  public Integer call() throws IOException {
    if (sorted && sort) {
      throw database.wrongUsage("give --sorted or --sort, not both");
    }
    BulkLoadOptions bulk = sorted || sort ? BulkLoadOptions.builder().sorted(sorted).build() : null;
    new Loading("load", format, database, create, feed, bulk).run(null);
    return 0;
  }
}
