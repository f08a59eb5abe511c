package dev.kv.jmh.task;

import static org.assertj.core.api.Assertions.assertThat;

import dev.kv.jmh.run.DatabaseTestBase;
import dev.kv.jmh.store.OpMeter;
import dev.kv.jmh.workload.Workload;
import org.junit.jupiter.api.Test;

class YcsbTaskTest extends DatabaseTestBase {
  private static final int RECORDS = 500;
  private static final int OPERATIONS = 20_000;
  private static final int KEY_BYTES = 16;

  private static Catalogue catalogue(int valueSize) {
    return new Catalogue(new Workload(RECORDS, OPERATIONS, valueSize, 0.5, 0), -1, 0);
  }

  /** Runs a benchmark, and returns how many of its operations are no reads and no scans. */
  private long changes(Catalogue catalogue, String name) {
    String found = run(catalogue, name).message().replaceAll("[^0-9]", "");
    return found.isEmpty() ? 0 : OPERATIONS - Long.parseLong(found);
  }

  private OpMeter scan() {
    OpMeter meter = new OpMeter(false);
    database.store().scan(meter);
    return meter;
  }

  @Test
  void ycsbe_afterYcsbd_insertsNewRecords() {
    Catalogue catalogue = catalogue(100);
    changes(catalogue, "ycsbload");
    long inserts = changes(catalogue, "ycsbd") + changes(catalogue, "ycsbe");
    assertThat(inserts).isPositive();
    assertThat(scan().operations()).isEqualTo(RECORDS + inserts);
  }

  @Test
  void ycsbd_afterAnotherLoad_insertsAfterTheRecordsOfTheLoad() {
    Catalogue catalogue = catalogue(100);
    changes(catalogue, "ycsbload");
    changes(catalogue, "ycsbd");
    database.recreate();
    changes(catalogue, "ycsbload");
    long inserts = changes(catalogue, "ycsbd");
    assertThat(scan().operations()).isEqualTo(RECORDS + inserts);
  }

  /** The values of a thread are made of 1 MiB, which is there before the time begins. */
  @Test
  void ycsbload_itsTime_isThatOfThePuts() {
    assertThat(run(catalogue(100), "ycsbload").footprint().allocatedPerOp() * RECORDS)
        .isLessThan(1 << 20);
  }

  /** Values of another size show which records an update has reached. */
  @Test
  void ycsba_manyUpdates_reachEveryRecord() {
    changes(catalogue(100), "ycsbload");
    changes(catalogue(200), "ycsba");
    assertThat(scan().bytes()).isEqualTo(RECORDS * (KEY_BYTES + 200L));
  }
}
