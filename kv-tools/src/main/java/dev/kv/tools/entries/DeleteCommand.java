package dev.kv.tools.entries;

import dev.kv.DB;
import dev.kv.WriteOptions;
import dev.kv.tools.database.DatabaseArguments;
import dev.kv.tools.text.ByteText;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Parameters;

/** Deletes one key. */
@Command(
    name = "delete",
    description = "Delete a key, with a sync. It is not an error if there is no such key.",
    mixinStandardHelpOptions = true)
public final class DeleteCommand implements Callable<Integer> {
  @Mixin private DatabaseArguments database;

  @Parameters(
      index = "1",
      paramLabel = "KEY",
      description = ByteText.KEY,
      converter = ByteText.Converter.class)
  private ByteText key;

  @Override
  public Integer call() {
    try (DB db = database.openForWriting(false)) {
      db.delete(WriteOptions.SYNC, key.bytes());
      return 0;
    }
  }
}
