package dev.kv.jmh.bench;

import dev.kv.jmh.adapter.StoreKind;
import dev.kv.jmh.result.Measurement;
import dev.kv.jmh.result.Summary;
import dev.kv.jmh.store.StoreDirectory;
import java.io.IOError;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

/**
 * Runs several stores in turn over several rounds. Every other round has the reverse order, so a
 * drift of the machine affects all stores alike.
 */
final class Tournament {
  private final List<StoreKind> stores;
  private final List<String> benchmarks;
  private final DbBenchFlags flags;
  private final Rounds rounds;
  private final Console console;
  private final List<StoreKind> failed = new ArrayList<>();

  /**
   * The numbers of rounds.
   *
   * @param warmup rounds at the start, which are printed but not counted
   * @param counted counted rounds
   */
  record Rounds(int warmup, int counted) {
    int all() {
      return warmup + counted;
    }

    boolean counts(int round) {
      return round >= warmup;
    }

    /** Returns true for rounds in which the JVM is not warm; a single round is one too. */
    boolean cold(int round) {
      return round < warmup || all() == 1;
    }
  }

  Tournament(
      List<StoreKind> stores,
      List<String> benchmarks,
      DbBenchFlags flags,
      Rounds rounds,
      Console console) {
    this.stores = stores;
    this.benchmarks = benchmarks;
    this.flags = flags;
    this.rounds = rounds;
    this.console = console;
  }

  /**
   * Runs all rounds with databases under {@code directory}, and returns the measurements.
   *
   * @throws IOError if {@code results} cannot write one, which is no failure of a store
   */
  Summary run(Path directory, boolean keep, Consumer<Measurement> results) {
    List<Measurement> all = new ArrayList<>();
    List<StoreKind> order = new ArrayList<>(stores);
    for (int round = 0; round < rounds.all(); round++) {
      for (StoreKind kind : List.copyOf(order)) {
        settle();
        boolean completed =
            turn(
                kind,
                round,
                directory.resolve(kind.label()),
                measurement -> {
                  all.add(measurement);
                  accept(results, measurement);
                });
        if (!completed) {
          order.remove(kind);
          failed.add(kind);
        }
        if (!keep) {
          StoreDirectory.delete(directory.resolve(kind.label()));
        }
      }
      Collections.reverse(order);
    }
    List<String> labels = stores.stream().map(StoreKind::label).toList();
    all.sort((a, b) -> labels.indexOf(a.store()) - labels.indexOf(b.store()));
    return Summary.of(all);
  }

  private static void accept(Consumer<Measurement> results, Measurement measurement) {
    try {
      results.accept(measurement);
    } catch (UncheckedIOException e) {
      throw new IOError(e.getCause());
    }
  }

  /** Runs one turn; returns false if the store failed, which excludes it from later rounds. */
  private boolean turn(StoreKind kind, int round, Path database, Consumer<Measurement> results) {
    console.turn(kind, round, rounds.cold(round));
    try {
      new Sequence(kind, benchmarks, flags, round, rounds, console).run(database, results);
      return true;
    } catch (IOException | LinkageError | RuntimeException e) {
      console.failed(kind, e);
      return false;
    }
  }

  /** Returns the stores that failed. */
  List<StoreKind> failed() {
    return failed;
  }

  /** Collects the garbage and writes out the dirty pages of the previous store. */
  private void settle() {
    if (rounds.all() * stores.size() == 1) {
      return;
    }
    System.gc();
    try {
      Process sync = new ProcessBuilder("sync").start();
      if (!sync.waitFor(1, TimeUnit.MINUTES)) {
        console.note("the file system is still writing");
      }
    } catch (IOException e) {
      console.note("sync is not available: " + e.getMessage());
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
