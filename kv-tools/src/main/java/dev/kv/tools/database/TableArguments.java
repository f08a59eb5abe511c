package dev.kv.tools.database;

import dev.kv.CompressionType;
import dev.kv.FilterPolicy;
import dev.kv.Options;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;
import picocli.CommandLine.Spec.Target;

/** The options that say how the tables of a new database are written. */
public final class TableArguments {
  @Spec(Target.MIXEE)
  private CommandSpec command;

  @Option(
      names = "--compression",
      description = "${COMPLETION-CANDIDATES}; default ${DEFAULT-VALUE}.",
      defaultValue = "snappy")
  private CompressionType compression;

  @Option(
      names = "--bloom-bits",
      paramLabel = "N",
      description = "Bits a key of a bloom filter; default 0, none.")
  private int bloomBits;

  /** Returns options for a new database of such tables; wrong usage where they cannot be. */
  public Options.Builder options() {
    if (bloomBits < 0) {
      throw new ParameterException(command.commandLine(), "--bloom-bits must not be negative");
    }
    return Options.builder()
        .createIfMissing(true)
        .compression(compression)
        .filterPolicy(bloomBits > 0 ? FilterPolicy.bloom(bloomBits) : null);
  }
}
