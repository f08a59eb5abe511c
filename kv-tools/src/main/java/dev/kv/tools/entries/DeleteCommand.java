package dev.kv.tools.entries;

import dev.kv.DB;
import dev.kv.WriteOptions;
import dev.kv.tools.database.DatabaseArguments;
import dev.kv.tools.database.KeyRangeArguments;
import dev.kv.tools.text.ByteText;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Deletes one key, or all keys of a range. */
@Command(
    name = "delete",
    description =
        "Delete a key, or all keys of a range, as one write with a sync. It is not an error if"
            + " there is no such key.",
    mixinStandardHelpOptions = true)
public final class DeleteCommand implements Callable<Integer> {
  @Mixin private DatabaseArguments database;
  @Mixin private KeyRangeArguments range;

  @Parameters(
      index = "1",
      arity = "0..1",
      paramLabel = "KEY",
      description = ByteText.KEY + " Not with a range.")
  private @Nullable String keyText;

  @Option(names = "--hex", description = "KEY is in hexadecimal digits.")
  private boolean hex;

  @Override
  public Integer call() {
    if ((keyText == null) == range.isAll()) {
      throw database.wrongUsage(
          keyText == null
              ? "give a KEY, or a range with --from, --to or --prefix"
              : "give a KEY or a range, not both");
    }
    if (keyText == null && hex) {
      throw database.wrongUsage("--hex is for a KEY; the ends of a range are escaped, as in \\x00");
    }
    byte[] key = keyText == null ? null : KeyText.bytes(keyText, hex, database);
    range.require(database);
    try (DB db = database.openForWriting(false)) {
      if (key == null) {
        range.delete(db);
      } else {
        db.delete(WriteOptions.SYNC, key);
      }
      return 0;
    }
  }
}
