package dev.kv.tools.database;

import dev.kv.FilterPolicy;
import dev.kv.Options;
import dev.kv.options.CompressionType;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;
import picocli.CommandLine.Spec.Target;

/** The options for the tables of a new database. */
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
      description = "Bits for each key in a bloom filter, at most 100; default 0, no filter.")
  private int bloomBits;

  /**
   * Returns options for a new database with such tables.
   *
   * @throws ParameterException if a value is out of range
   */
  public Options.Builder options() {
    if (bloomBits < 0 || bloomBits > 100) {
      throw new ParameterException(command.commandLine(), "--bloom-bits must be from 0 to 100");
    }
    return Options.builder()
        .createIfMissing(true)
        .compression(compression)
        .filterPolicy(bloomBits > 0 ? FilterPolicy.bloom(bloomBits) : null);
  }
}
