package dev.kv.tools.transfer;

import dev.kv.tools.console.Output;
import dev.kv.tools.database.DatabaseArguments;
import java.io.IOException;
import java.nio.file.Path;
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
        "Put the entries that export wrote, from a file or standard input. Creates the database if "
            + "there is none. Where the input is malformed, what stands before may have been put.",
    mixinStandardHelpOptions = true)
public final class ImportCommand implements Callable<Integer> {
  @Mixin private DatabaseArguments database;

  @Parameters(
      index = "1",
      arity = "0..1",
      paramLabel = "FILE",
      description = "By default standard input.")
  private @Nullable Path file;

  @Option(
      names = "--format",
      description = "${COMPLETION-CANDIDATES}; default ${DEFAULT-VALUE}.",
      defaultValue = "hex")
  private TransferFormat format;

  @Override
  public Integer call() throws IOException {
    long entries = new Loading("import", format::read).run(database, file);
    try (Output out = new Output()) {
      out.line(entries + " entries");
    }
    return 0;
  }
}
