package dev.kv.tools.entries;

import dev.kv.DB;
import dev.kv.WriteOptions;
import dev.kv.tools.database.DatabaseArguments;
import dev.kv.tools.text.ByteText;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Sets the value of one key. */
@Command(
    name = "put",
    description = "Set the value of a key, with a sync.",
    mixinStandardHelpOptions = true)
public final class PutCommand implements Callable<Integer> {
  @Mixin private DatabaseArguments database;

  @Parameters(
      index = "1",
      paramLabel = "KEY",
      description = ByteText.KEY,
      converter = ByteText.Converter.class)
  private ByteText key;

  @Parameters(
      index = "2",
      paramLabel = "VALUE",
      description = "The new value, written in the same way.",
      converter = ByteText.Converter.class)
  private ByteText value;

  @Option(names = "--create", description = "Create the database if there is none.")
  private boolean create;

  @Override
  public Integer call() {
    try (DB db = database.openForWriting(create)) {
      db.put(WriteOptions.SYNC, key.bytes(), value.bytes());
      return 0;
    }
  }
}
