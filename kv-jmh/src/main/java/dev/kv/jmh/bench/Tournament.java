package dev.kv.jmh.bench;

import dev.kv.jmh.result.Measurement;
import dev.kv.jmh.result.Summary;
import dev.kv.jmh.store.StoreDirectory;
import dev.kv.jmh.store.StoreKind;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

/**
 * Several stores in turns over several rounds, every other round in reverse order, so that what
 * drifts on the machine meets all alike.
 */
final class Tournament {
  private final List<StoreKind> stores;
  private final List<String> benchmarks;
  private final DbBenchFlags flags;
  private final Rounds rounds;
  private final Console console;
  private final List<StoreKind> failed = new ArrayList<>();

  /**
   * How often.
   *
   * @param warmup rounds first that do not count, but are shown
   * @param counted rounds that count
   */
  record Rounds(int warmup, int counted) {
    int all() {
      return warmup + counted;
    }

    boolean counts(int round) {
      return round >= warmup;
    }

    /** The first and only round is cold, too. */
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

  /** Runs all rounds with databases under {@code directory}, and returns what was measured. */
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
                  results.accept(measurement);
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

  /** Returns false where the store failed, which costs it the rounds that are left. */
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

  /** Returns the stores that did not come to the end. */
  List<StoreKind> failed() {
    return failed;
  }

  /** Leaves the next store neither the garbage of the one before nor its unwritten pages. */
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
      console.note("no sync here: " + e.getMessage());
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
