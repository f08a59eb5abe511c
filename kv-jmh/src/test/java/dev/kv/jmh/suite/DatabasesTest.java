package dev.kv.jmh.suite;

import static org.assertj.core.api.Assertions.assertThat;

import dev.kv.jmh.store.OpMeter;
import dev.kv.jmh.store.Store;
import dev.kv.jmh.workload.LehmerRandom;
import dev.kv.jmh.workload.ValueGenerator;
import java.io.IOException;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class DatabasesTest {
  private static final int ENTRIES = 100;
  private static final int KEY_SPACE = 1_000_000_000;

  @TempDir Path directory;

  private static void put(Store store, int seed) {
    ValueGenerator values = Databases.newValues();
    Databases.putAtRandom(store, values, new LehmerRandom(seed), ENTRIES, KEY_SPACE, false);
  }

  private static long entries(Store store) {
    OpMeter meter = new OpMeter(false);
    store.scan(meter);
    return meter.operations();
  }

  @Test
  void putAtRandom_anotherSeed_putsOtherKeys() throws IOException {
    try (Store store = Databases.open("kv", directory)) {
      put(store, 1000);
      assertThat(entries(store)).isEqualTo(ENTRIES);
      put(store, 1000);
      assertThat(entries(store)).isEqualTo(ENTRIES);
      put(store, 1001);
      assertThat(entries(store)).isEqualTo(2 * ENTRIES);
    }
  }
}
