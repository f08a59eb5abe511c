package dev.kv.jmh.bench;

import dev.kv.jmh.adapter.StoreKind;
import dev.kv.jmh.meter.Machine;
import dev.kv.jmh.result.Measurement;
import dev.kv.jmh.result.ResultFile;
import dev.kv.jmh.result.RunInfo;
import dev.kv.jmh.result.Summary;
import dev.kv.jmh.run.Plan;
import dev.kv.jmh.store.StoreDirectory;
import dev.kv.jmh.task.Catalogue;
import java.io.IOError;
import java.io.IOException;
import java.io.PrintStream;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.function.Consumer;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** The command {@code db_bench}. Its exit code is 1 if no store works here or a store fails. */
@Command(
    name = "db_bench",
    mixinStandardHelpOptions = true,
    sortOptions = false,
    description = "Runs LevelDB's db_bench on kv and its peers.")
public final class DbBenchCommand implements Callable<Integer> {
  private static final int DELETE_ATTEMPTS = 100;

  private final PrintStream out;

  @Spec @Nullable CommandSpec spec;

  @Option(
      names = "--benchmarks",
      defaultValue = Catalogue.DEFAULT,
      paramLabel = "NAME,...",
      description = "The benchmarks, in the order in which they run; default ${DEFAULT-VALUE}.")
  String benchmarks = Catalogue.DEFAULT;

  @Option(
      names = "--store",
      split = ",",
      defaultValue = "kv",
      paramLabel = "NAME",
      description =
          "kv, leveldbjni, rocksdb, lmdb, iq80, mvstore, xodus, mapdb; the first is compared with"
              + " the others.")
  List<String> stores = List.of();

  @Option(
      names = "--pairs",
      defaultValue = "1",
      description = "The number of counted rounds; every store has one turn in each.")
  int pairs;

  @Option(
      names = "--warmup",
      description = "The number of rounds before them; default 1 with more than one pair, else 0.")
  @Nullable Integer warmup;

  @Option(names = "--output", paramLabel = "DIR", description = "The directory for a result file.")
  @Nullable Path output;

  @Option(
      names = "--details",
      arity = "0..1",
      defaultValue = "1",
      fallbackValue = "1",
      converter = ZeroOrOne.class,
      paramLabel = DbBenchFlags.ZERO_OR_ONE,
      description = "Print heap, disk, write amplification, stalls and memory for each result.")
  boolean details;

  @Mixin DbBenchFlags flags = new DbBenchFlags();

  /** Creates a command that prints to {@code out}. */
  public DbBenchCommand(PrintStream out) {
    this.out = out;
  }

  @Override
  public Integer call() throws IOException {
    List<String> names = checked(this::names);
    List<StoreKind> wanted =
        checked(() -> stores.stream().map(name -> store(name, names)).toList());
    Path db = flags.db;
    Path directory = db == null ? temporaryDirectory() : checked(() -> created(db));
    return run(names, wanted, directory);
  }

  private static Path created(Path directory) {
    try {
      return Files.createDirectories(directory);
    } catch (IOException e) {
      throw new IllegalArgumentException("--db=" + directory + " cannot be created: " + e, e);
    }
  }

  /** Returns a new directory, which is deleted when the process ends, also by a signal. */
  private static Path temporaryDirectory() throws IOException {
    Path directory = Files.createTempDirectory("kv-db-bench");
    Runtime.getRuntime().addShutdownHook(new Thread(() -> deleteInUse(directory)));
    return directory;
  }

  /** Deletes a directory in which a store may create files meanwhile. */
  private static void deleteInUse(Path directory) {
    for (int attempt = 1; Files.exists(directory); attempt++) {
      try {
        StoreDirectory.delete(directory);
      } catch (UncheckedIOException e) {
        if (attempt >= DELETE_ATTEMPTS) {
          throw e;
        }
      }
    }
  }

  /** Checks the flags, and returns the names of the benchmarks. */
  private List<String> names() {
    List<String> names = Catalogue.parse(benchmarks);
    flags.check(names);
    DbBenchFlags.checkAtLeast(1, "--pairs", pairs);
    DbBenchFlags.checkAtLeast(0, "--warmup", warmup == null ? 0 : warmup);
    DbBenchFlags.checkDirectory("--output", output);
    if (names.isEmpty()) {
      throw new IllegalArgumentException(
          "--benchmarks has no name; known are " + String.join(", ", Catalogue.NAMES));
    }
    return names;
  }

  /**
   * Returns the store with a name, after a check that its directory may be replaced, or that it has
   * the database that is to be used, and {@code names} do not write to another's.
   */
  private StoreKind store(String name, List<String> names) {
    StoreKind kind = StoreKind.of(name);
    if (flags.useExistingDb) {
      existing(kind, names);
    } else if (flags.db != null) {
      OwnedDirectory.check(flags.db.resolve(kind.label()));
    }
    return kind;
  }

  private void existing(StoreKind kind, List<String> names) {
    if (flags.db == null) {
      throw new IllegalArgumentException(
          "--use_existing_db=1 needs --db, the directory of the databases");
    }
    Path database = flags.db.resolve(kind.label());
    if (!kind.hasDatabase(database)) {
      throw new IllegalArgumentException(
          database
              + " has no file "
              + kind.file()
              + ", so there is no database for --use_existing_db=1");
    }
    Catalogue catalogue = flags.catalogue();
    List<String> writing =
        names.stream().filter(name -> writes(catalogue.plan(name))).distinct().toList();
    boolean asked = !benchmarks.equals(Catalogue.DEFAULT); // of the default ones these are skipped
    if (asked && !writing.isEmpty() && !OwnedDirectory.isOwn(database)) {
      throw new IllegalArgumentException(
          "db_bench did not create "
              + database
              + ", so these benchmarks may not write to it: "
              + String.join(", ", writing)
              + "; those that read are "
              + Catalogue.NAMES.stream()
                  .filter(name -> !catalogue.plan(name).writes())
                  .collect(Collectors.joining(", ")));
    }
  }

  /** Returns true if a plan writes to a database that exists; those that empty it are skipped. */
  private static boolean writes(Plan plan) {
    return plan.writes() && !plan.fresh();
  }

  private int run(List<String> names, List<StoreKind> wanted, Path directory) throws IOException {
    Console console = new Console(out, details);
    RunInfo info = Machine.describe(arguments());
    console.header(info, flags);
    List<StoreKind> working = working(wanted, directory, console);
    if (working.isEmpty()) {
      return 1;
    }
    int warmupRounds = Optional.ofNullable(warmup).orElse(pairs > 1 ? 1 : 0);
    Tournament.Rounds rounds = new Tournament.Rounds(warmupRounds, pairs);
    Tournament tournament = new Tournament(working, names, flags, rounds, console);
    boolean keep = flags.db != null;
    Summary summary;
    if (output == null) {
      summary = tournament.run(directory, keep, measurement -> {});
    } else {
      try (ResultFile file = ResultFile.create(output, info)) {
        Consumer<Measurement> results = file::add;
        summary = tournament.run(directory, keep, results);
      } catch (IOException | IOError e) {
        console.note("the run ends, because its results cannot be written: " + e);
        return 1;
      }
    }
    if (rounds.all() * working.size() > 1) {
      console.note(
          "\nmedian of "
              + pairs
              + (working.size() > 1 ? " rounds, the stores in turn" : " rounds"));
      console.note(new PairTable(summary).text());
    }
    return tournament.failed().isEmpty() ? 0 : 1;
  }

  private static List<StoreKind> working(List<StoreKind> wanted, Path scratch, Console console)
      throws IOException {
    List<StoreKind> working = new ArrayList<>();
    for (StoreKind kind : wanted) {
      Optional<String> trouble = StoreProbe.trouble(kind, scratch);
      if (trouble.isPresent()) {
        console.note(
            "left out:   " + kind.label() + ", which does not work here: " + trouble.get());
      } else {
        working.add(kind);
      }
    }
    return working;
  }

  private List<String> arguments() {
    return spec == null ? List.of() : spec.commandLine().getParseResult().originalArgs();
  }

  private <T> T checked(Supplier<T> parsing) {
    try {
      return parsing.get();
    } catch (IllegalArgumentException e) {
      if (spec == null) {
        throw e;
      }
      throw new ParameterException(spec.commandLine(), e.getMessage(), e);
    }
  }
}
