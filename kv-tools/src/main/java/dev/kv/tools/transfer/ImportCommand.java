package dev.kv.tools.transfer;

import dev.kv.tools.console.Output;
import dev.kv.tools.database.ChangeFeedArguments;
import dev.kv.tools.database.DatabaseArguments;
import dev.kv.tools.text.Json;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Map;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Puts entries that export wrote. */
@Command(
    name = "import",
    description =
        "Put the entries that export wrote, from a file or standard input. If the input is"
            + " malformed, the entries before that place may have been put.",
    mixinStandardHelpOptions = true)
public final class ImportCommand implements Callable<Integer> {
  @Mixin private DatabaseArguments database;
  @Mixin private ChangeFeedArguments feed;

  @Parameters(
      index = "1",
      arity = "0..1",
      paramLabel = "FILE",
      description = "The file to read; - or none is standard input.")
  private @Nullable Path file;

  @Option(
      names = "--format",
      paramLabel = "FORMAT",
      description = "The format of the input: text, utf8, hex, json or binary; default text.")
  private TransferFormat format = TransferFormat.TEXT;

  private boolean json;

  @Option(
      names = "--json",
      description = "Short for --format json; the result is one JSON object, too.")
  void json(boolean set) {
    json = set;
    if (set) {
      format = TransferFormat.JSON;
    }
  }

  @Option(names = "--create", description = "Create the database if there is none.")
  private boolean create;

  @Override
  public Integer call() throws IOException {
    Path input = file == null || file.toString().equals("-") ? null : file;
    if (input == null && database.isInShell()) {
      throw database.wrongUsage("in the shell, standard input is the commands: name a FILE");
    }
    long entries = new Loading("import", format, database, create, feed, null).run(input);
    try (Output out = new Output()) {
      out.line(json ? Json.of(Map.of("entries", entries)) : entries + " entries");
    }
    return 0;
  }
}
