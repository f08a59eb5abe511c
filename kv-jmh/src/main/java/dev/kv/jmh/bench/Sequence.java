package dev.kv.jmh.bench;

import dev.kv.jmh.adapter.StoreKind;
import dev.kv.jmh.meter.Profiler;
import dev.kv.jmh.result.Measurement;
import dev.kv.jmh.run.BenchmarkRun;
import dev.kv.jmh.run.Database;
import dev.kv.jmh.run.Plan;
import dev.kv.jmh.task.Catalogue;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** One turn of a store: the benchmarks in the given order, in one directory. */
final class Sequence {
  private final StoreKind kind;
  private final List<String> benchmarks;
  private final DbBenchFlags flags;
  private final int round;
  private final boolean cold;
  private final Console console;
  private final @Nullable Profiler profiler;
  private int serial;

  Sequence(
      StoreKind kind,
      List<String> benchmarks,
      DbBenchFlags flags,
      int round,
      Tournament.Rounds rounds,
      Console console)
      throws IOException {
    this.kind = kind;
    this.benchmarks = benchmarks;
    this.flags = flags;
    this.round = round;
    this.cold = rounds.cold(round);
    this.console = console;
    this.profiler =
        flags.profile == null || !rounds.counts(round) ? null : Profiler.into(flags.profile);
  }

  /** Runs the benchmarks, and passes each measurement to {@code results}. */
  void run(Path directory, Consumer<Measurement> results) {
    if (!flags.useExistingDb) {
      OwnedDirectory.clear(directory);
    }
    boolean foreign = !OwnedDirectory.isOwn(directory);
    Catalogue catalogue = flags.catalogue();
    try (Database database = new Database(kind, directory, flags.settings())) {
      database.open();
      for (int i = 0; i < benchmarks.size(); i++) {
        Plan plan = catalogue.plan(benchmarks.get(i));
        if (plan.fresh() && flags.useExistingDb) {
          console.skipped(plan.name(), "--use_existing_db is true");
        } else if (plan.writes() && foreign) {
          console.skipped(plan.name(), "it writes, and db_bench did not create the database");
        } else {
          run(plan, i, database, results);
        }
      }
    }
  }

  private void run(Plan plan, int position, Database database, Consumer<Measurement> results) {
    if (plan.fresh()) {
      database.recreate();
    }
    BenchmarkRun run = new BenchmarkRun(plan, database, flags.threads, serial, flags.histogram);
    serial += plan.measured() ? flags.threads + plan.extraThreads() : 0;
    try {
      if (profiler == null) {
        run.run();
      } else {
        profiler.run(kind.label() + "-" + round + "-" + position + "-" + plan.name(), run::run);
      }
    } catch (UnsupportedOperationException e) {
      String left = plan.fresh() ? "; its database is empty now" : "";
      console.skipped(plan.name(), kind.label() + " does not support it: " + e.getMessage() + left);
      return;
    }
    if (!plan.measured()) {
      console.note(plan.name() + run.message());
      return;
    }
    Measurement measurement =
        new Measurement(
            kind.label(),
            plan.name(),
            position,
            round,
            cold,
            run.timing(),
            run.message(),
            run.latencies(),
            run.footprint());
    console.line(measurement);
    results.accept(measurement);
  }
}
