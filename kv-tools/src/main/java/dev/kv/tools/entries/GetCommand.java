package dev.kv.tools.entries;

import dev.kv.DB;
import dev.kv.Escape;
import dev.kv.tools.console.Failure;
import dev.kv.tools.database.DatabaseArguments;
import dev.kv.tools.text.ByteText;
import java.io.PrintStream;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Prints the value of a key. */
@Command(
    name = "get",
    description = "Print the value of a key, escaped; exit 1 if there is none.",
    mixinStandardHelpOptions = true)
public final class GetCommand implements Callable<Integer> {
  @Mixin private DatabaseArguments database;

  @Parameters(
      index = "1",
      paramLabel = "KEY",
      description = ByteText.KEY,
      converter = ByteText.Converter.class)
  private ByteText key;

  @Option(names = "--raw", description = "Print the value's bytes as they are, with nothing added.")
  private boolean raw;

  @Override
  public Integer call() {
    try (DB db = database.openForLookups()) {
      byte[] value = db.get(key.bytes());
      if (value == null) {
        throw new Failure("no such key: " + Escape.bytes(key.bytes()));
      }
      PrintStream out = System.out;
      if (raw) {
        out.writeBytes(value);
        out.flush();
      } else {
        out.println(Escape.bytes(value));
      }
      return 0;
    }
  }
}
