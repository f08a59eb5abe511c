package dev.kv.tools.entries;

import dev.kv.DB;
import dev.kv.WriteOptions;
import dev.kv.tools.console.Confirmation;
import dev.kv.tools.database.ChangeFeedArguments;
import dev.kv.tools.database.DatabaseArguments;
import dev.kv.tools.database.KeyRangeArguments;
import dev.kv.tools.text.ByteText;
import dev.kv.tools.text.Printable;
import java.io.IOException;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** Deletes one key, all keys of a range, or all keys. */
@Command(
    name = "delete",
    description =
        "Delete a key, all keys of a range, or all keys, as one write with a sync. It is not an"
            + " error if there is no such key.",
    mixinStandardHelpOptions = true)
public final class DeleteCommand implements Callable<Integer> {
  @Spec private CommandSpec spec;
  @Mixin private DatabaseArguments database;
  @Mixin private ChangeFeedArguments feed;
  @Mixin private KeyRangeArguments range;

  @Parameters(
      index = "1",
      arity = "0..1",
      paramLabel = "KEY",
      description = ByteText.KEY + " Not with a range.")
  private @Nullable String keyText;

  @Option(names = "--hex", description = "KEY is in hexadecimal digits.")
  private boolean hex;

  @Option(names = "--all", description = "Delete all keys. Asks first.")
  private boolean all;

  @Option(names = "--yes", description = "Do not ask; with --all.")
  private boolean yes;

  @Override
  public Integer call() throws IOException {
    requireOneSelection();
    byte[] key = keyText == null ? null : KeyText.bytes(keyText, hex, database);
    range.require(database);
    if (all && !yes) {
      confirmAll();
    }
    try (DB db = database.openForWriting(false, feed)) {
      if (key == null) {
        range.delete(db);
      } else {
        db.delete(WriteOptions.SYNC, key);
      }
      return 0;
    }
  }

  private void requireOneSelection() {
    int selections = (keyText == null ? 0 : 1) + (range.isAll() ? 0 : 1) + (all ? 1 : 0);
    if (selections != 1) {
      throw database.wrongUsage(
          selections == 0
              ? "give a KEY, a range with --from, --to or --prefix, or --all"
              : "give one of a KEY, a range and --all");
    }
    if (range.hasEmptyKey()) {
      throw database.wrongUsage(
          "an empty --from, --to or --prefix bounds nothing; --all deletes all keys");
    }
    if (keyText == null && hex) {
      throw database.wrongUsage("--hex is for a KEY; the ends of a range are escaped, as in \\x00");
    }
    if (yes && !all) {
      throw database.wrongUsage("--yes needs --all");
    }
  }

  private void confirmAll() throws IOException {
    if (database.isInShell()) {
      throw database.wrongUsage("in the shell, --all needs --yes");
    }
    database.requireTarget(false, feed);
    Confirmation.require(
        spec.commandLine().getErr(),
        "delete all entries of the database in "
            + Printable.of(database.directory().toString())
            + "?");
  }
}
