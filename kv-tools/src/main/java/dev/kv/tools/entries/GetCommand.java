package dev.kv.tools.entries;

import dev.kv.ReadOnlyDB;
import dev.kv.bytes.Escape;
import dev.kv.tools.console.Failure;
import dev.kv.tools.console.Output;
import dev.kv.tools.database.DatabaseArguments;
import dev.kv.tools.text.ByteText;
import dev.kv.tools.text.EntryFormat;
import dev.kv.tools.text.Utf8Text;
import java.util.HexFormat;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Prints the value of one key. */
@Command(
    name = "get",
    description = "Print the value of a key, escaped. Exit 1 if there is no such key.",
    mixinStandardHelpOptions = true)
public final class GetCommand implements Callable<Integer> {
  @Mixin private DatabaseArguments database;

  @Parameters(index = "1", paramLabel = "KEY", description = ByteText.KEY)
  private String keyText;

  @Option(names = "--raw", description = "Print the bytes of the value and nothing else.")
  private boolean raw;

  @Option(names = "--utf8", description = "Print the characters of UTF-8 values as they are.")
  private boolean utf8;

  @Option(names = "--json", description = "Print one JSON object with key and value.")
  private boolean json;

  @Option(
      names = "--hex",
      description = "KEY is in hexadecimal digits, and so is the value that is printed.")
  private boolean hex;

  @Override
  public Integer call() {
    byte[] key = KeyText.bytes(keyText, hex, database);
    try (ReadOnlyDB db = database.openForLookups()) {
      byte[] value = db.get(key);
      if (value == null) {
        throw new Failure(
            "no such key: " + (key.length == 0 ? "the empty key" : Escape.bytes(key)));
      }
      try (Output out = new Output()) {
        if (raw) {
          out.bytes(value);
        } else {
          out.line(line(key, value));
        }
      }
      return 0;
    }
  }

  private String line(byte[] key, byte[] value) {
    if (json) {
      return EntryFormat.JSON.line(key, value);
    }
    if (hex) {
      return HexFormat.of().formatHex(value);
    }
    return utf8 ? Utf8Text.of(value) : Escape.bytes(value);
  }
}
