package dev.kv.jmh.run;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import dev.kv.jmh.meter.ResidentMemory;
import dev.kv.jmh.store.StoreStats;
import dev.kv.jmh.task.Catalogue;
import dev.kv.jmh.workload.Workload;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Test;

/** The bytes of keys and values put are the denominator of the write amplification. */
class BenchmarkRunTest extends DatabaseTestBase {
  private static final int ENTRIES = 200;
  private static final int OPERATIONS = 100_000;
  private static final long ENTRY_BYTES = 16 + 100;

  private final Catalogue catalogue =
      new Catalogue(new Workload(ENTRIES, OPERATIONS, 100, 0.5, 0), -1, 0);

  private BenchmarkRun run(String name) {
    return run(catalogue, name);
  }

  /** Returns the number of entries that the last benchmark put. */
  private double entriesPut() {
    long written = 1L << 40;
    double amplification = database.writeAmplification(new StoreStats(0, written, -1));
    return amplification < 0 ? 0 : written / amplification / ENTRY_BYTES;
  }

  private void expectEntriesPut(long entries) {
    assertThat(entriesPut()).isCloseTo(entries, within(1e-6));
  }

  /** What calls it closes the store after a failure, which a thread must not see. */
  @Test
  void run_threadThatFails_waitsForTheOthers() {
    AtomicBoolean ended = new AtomicBoolean();
    Plan plan =
        Plan.read(
            "fails",
            thread -> {
              if (thread.index() == 0) {
                throw new IllegalStateException("full");
              }
              LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(200));
              ended.set(true);
            });
    BenchmarkRun run = new BenchmarkRun(plan, database, 2, 0, false);
    assertThatThrownBy(run::run).isInstanceOf(IllegalStateException.class).hasMessage("full");
    assertThat(ended).isTrue();
  }

  @Test
  void timing_compactAndOpenOfTwoThreads_areOfSingleOperations() {
    run("fillseq");
    BenchmarkRun compact = new BenchmarkRun(catalogue.plan("compact"), database, 2, 0, false);
    compact.run();
    assertThat(compact.timing().operations()).isEqualTo(2);
    BenchmarkRun open = new BenchmarkRun(catalogue.plan("open"), database, 2, 0, false);
    open.run();
    assertThat(open.timing().operations()).isOne();
  }

  @Test
  void timing_threadWithoutOperations_doesNotCount() {
    Plan plan =
        Plan.read(
            "waits",
            thread -> {
              if (thread.index() == 0) {
                LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(500));
                thread.restart();
              } else {
                thread.meter().addBytes(100 << 20);
                thread.meter().tick();
              }
            });
    BenchmarkRun run = new BenchmarkRun(plan, database, 2, 0, false);
    run.run();
    assertThat(run.timing().megabytesPerSecond()).isGreaterThan(400);
  }

  @Test
  void bytesPut_fills_areThoseOfTheirEntries() {
    for (String name : new String[] {"fillseq", "fillbatch", "fillload", "fillonebatch"}) {
      run(name);
      expectEntriesPut(ENTRIES);
    }
  }

  @Test
  void bytesPut_ycsb_areThoseOfTheUpdatesWithoutTheReads() {
    run("ycsbload");
    expectEntriesPut(ENTRIES);
    run("ycsbc");
    expectEntriesPut(0);
    long found = Long.parseLong(run("ycsba").message().replaceAll("[^0-9]", ""));
    assertThat(found).isBetween(1L, OPERATIONS - 1L);
    expectEntriesPut(OPERATIONS - found);
  }

  @Test
  void bytesPut_readwhilewriting_countTheWriter() {
    run("fillseq");
    run("readrandom");
    expectEntriesPut(0);
    run("readwhilewriting");
    assertThat(entriesPut()).isPositive();
  }

  @Test
  void bytesPut_queue_areThoseOfItsPuts() {
    run("queue");
    expectEntriesPut(1000 + ENTRIES);
  }

  @Test
  void figures_eachBenchmark_areItsOwn() {
    run("fillseq");
    run("compact");
    assertThat(database.figures().tableBytesWritten()).isPositive();
    assertThat(database.store().figures().tableBytesWritten()).isPositive();
    run("readrandom");
    assertThat(database.figures()).isEqualTo(StoreStats.NONE);
    assertThat(database.store().figures().tableBytesWritten()).isPositive();
  }

  @Test
  void figures_benchmarkThatOpensAgain_countFromTheOpen() {
    run("fillseq");
    run("compact");
    run("open");
    assertThat(database.figures()).isEqualTo(database.store().figures());
  }

  @Test
  void footprint_peak_isKnownIfItCanBeReset() {
    boolean known = run("fillseq").footprint().peakResidentBytes() > 0;
    assertThat(known).isEqualTo(ResidentMemory.resetPeak());
  }

  @Test
  void writeAmplification_benchmarksThatWrite_isKnown() {
    for (String name : new String[] {"ycsbload", "ycsba", "ycsbf", "readwhilewriting"}) {
      assertThat(run(name).footprint().writeAmplification()).as(name).isNotNegative();
    }
    for (String name : new String[] {"ycsbc", "readrandom"}) {
      assertThat(run(name).footprint().writeAmplification()).as(name).isNegative();
    }
  }
}
