package dev.kv.tools.entries;

import dev.kv.WriteOptions;
import dev.kv.tools.console.Failure;
import dev.kv.tools.console.StandardStreams;
import dev.kv.tools.database.ChangeFeedArguments;
import dev.kv.tools.database.DatabaseArguments;
import dev.kv.tools.text.ByteText;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
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
  @Mixin private ChangeFeedArguments feed;

  @Parameters(index = "1", paramLabel = "KEY", description = ByteText.KEY)
  private String keyText;

  @Parameters(
      index = "2",
      arity = "0..1",
      paramLabel = "VALUE",
      description =
          "The new value, written in the same way; - takes the bytes of standard input as they"
              + " are.")
  private @Nullable String valueText;

  @Option(
      names = "--file",
      paramLabel = "FILE",
      description = "Take the bytes of a file as the value.")
  private @Nullable Path file;

  @Option(names = "--hex", description = "KEY and VALUE are in hexadecimal digits.")
  private boolean hex;

  @Option(names = "--create", description = "Create the database if there is none.")
  private boolean create;

  @Override
  public Integer call() throws IOException {
    String text = valueText;
    if ((text == null) == (file == null)) {
      throw database.wrongUsage(
          text == null ? "give a VALUE or --file" : "give a VALUE or --file, not both");
    }
    if ("-".equals(text) && database.isInShell()) {
      throw database.wrongUsage(
          "in the shell, standard input is the commands: write the VALUE, or give --file");
    }
    byte[] key = KeyText.bytes(keyText, hex, database);
    byte[] value = text == null || text.equals("-") ? null : KeyText.bytes(text, hex, database);
    database.requireTarget(create, feed);
    if (file != null && Files.isDirectory(file)) {
      throw new Failure(file + ": is a directory; name a file");
    }
    byte[] stored = value != null ? value : file == null ? input() : Files.readAllBytes(file);
    database.write(create, feed, database.options(), db -> db.put(WriteOptions.SYNC, key, stored));
    return 0;
  }

  private static byte[] input() throws IOException {
    try {
      return StandardStreams.input().readAllBytes();
    } catch (IOException e) {
      throw new IOException("cannot read standard input: " + e.getMessage(), e);
    }
  }
}
