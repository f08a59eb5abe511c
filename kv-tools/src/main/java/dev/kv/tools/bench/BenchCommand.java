package dev.kv.tools.bench;

import dev.kv.Options;
import dev.kv.tools.console.Failure;
import dev.kv.tools.console.Output;
import dev.kv.tools.database.DatabaseFiles;
import dev.kv.tools.database.TableArguments;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** A short db_bench. */
@Command(
    name = "bench",
    description =
        "Measure kv on this machine with a small db_bench: keys of 16 bytes, values that compress"
            + " to half their size, one thread. The database is new, in the temporary directory or"
            + " in DIR, and is deleted at the end.",
    mixinStandardHelpOptions = true)
public final class BenchCommand implements Callable<Integer> {
  @Spec private CommandSpec spec;
  @Mixin private TableArguments tables;

  @Parameters(
      index = "0",
      arity = "0..1",
      paramLabel = "DIR",
      description = "A new directory, on the device to measure.")
  private @Nullable Path directory;

  @Option(
      names = "--num",
      paramLabel = "N",
      description = "The number of entries; default ${DEFAULT-VALUE}.")
  private int num = 1_000_000;

  @Option(
      names = "--value-size",
      paramLabel = "BYTES",
      description = "The size of each value; default ${DEFAULT-VALUE}.")
  private int valueSize = 100;

  @Option(
      names = "--benchmarks",
      split = ",",
      paramLabel = "NAME",
      description = "The benchmarks, in the order in which they run; default ${DEFAULT-VALUE}.",
      defaultValue =
          "fillseq,fillsync,fillrandom,overwrite,readrandom,readmissing,readhot,seekrandom,readseq,"
              + "readreverse,compact,readrandom,readseq,deleterandom")
  private List<String> benchmarks = List.of();

  @Option(
      names = "--seed",
      paramLabel = "N",
      description = "The seed of all random numbers; default 301.")
  private long seed = 301;

  @Option(names = "--json", description = "Print one JSON object for each benchmark.")
  private boolean json;

  @Override
  public Integer call() throws IOException {
    Options options = tables.options().build();
    if (num < 1 || valueSize < 0 || valueSize > 1 << 24) {
      throw new ParameterException(
          spec.commandLine(), "--num must be positive, and --value-size from 0 to 16 MiB");
    }
    for (String name : benchmarks) {
      if (!Bench.NAMES.contains(name)) {
        throw new ParameterException(
            spec.commandLine(),
            "no such benchmark: " + name + "; known are " + String.join(", ", Bench.NAMES));
      }
    }
    Path target = directory;
    if (target != null) {
      requireAbsent(target);
    }
    try (ScratchDirectory scratch =
            new ScratchDirectory(target == null ? Files.createTempDirectory("kv-bench") : target);
        Output out = new Output();
        Bench bench =
            new Bench(scratch.path(), options, num, valueSize, seed, new BenchReport(json, out))) {
      bench.run(benchmarks);
    }
    return 0;
  }

  private static void requireAbsent(Path target) {
    DatabaseFiles.requireNoDanglingLink(target);
    if (DatabaseFiles.exists(target)) {
      throw new Failure(target + ": already exists; name a new directory");
    }
    if (!DatabaseFiles.exists(DatabaseFiles.directoryOf(target))) {
      throw new Failure(target + ": its parent directory does not exist");
    }
  }
}
