package dev.kv.jmh.suite;

import dev.kv.jmh.adapter.StoreKind;
import dev.kv.jmh.store.Store;
import dev.kv.jmh.store.StoreSettings;
import dev.kv.jmh.store.Writer;
import dev.kv.jmh.workload.DecimalKey;
import dev.kv.jmh.workload.LehmerRandom;
import dev.kv.jmh.workload.ValueGenerator;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/** Writes the keys and values of db_bench. */
final class Databases {
  private static final int VALUE_BYTES = 100;
  private static final double COMPRESSION_RATIO = 0.5;
  private static final int SHUFFLE_SEED = 1000;

  private Databases() {}

  static Path newDirectory() throws IOException {
    return Files.createTempDirectory("kv-jmh");
  }

  static Store open(String store, Path directory) throws IOException {
    return StoreKind.of(store).open(directory, StoreSettings.DEFAULT);
  }

  /** Returns the values of db_bench; a benchmark creates them before its time begins. */
  static ValueGenerator newValues() {
    return new ValueGenerator(COMPRESSION_RATIO);
  }

  /** Puts the keys from 0 on in order. */
  static void putInOrder(Store store, ValueGenerator values, int entries) {
    DecimalKey key = new DecimalKey(0);
    byte[] value = new byte[VALUE_BYTES];
    try (Writer writer = store.writer(false)) {
      for (int i = 0; i < entries; i++) {
        values.next(value);
        writer.put(key.set(i), value);
      }
    }
  }

  /** Puts {@code entries} keys that {@code random} chooses of {@code keySpace} different ones. */
  static void putAtRandom(
      Store store,
      ValueGenerator values,
      LehmerRandom random,
      int entries,
      int keySpace,
      boolean sync) {
    DecimalKey key = new DecimalKey(0);
    byte[] value = new byte[VALUE_BYTES];
    try (Writer writer = store.writer(sync)) {
      for (int i = 0; i < entries; i++) {
        values.next(value);
        writer.put(key.set(random.uniform(keySpace)), value);
      }
    }
  }

  /** Puts every key below {@code entries} once, in random order. */
  static void putShuffled(Store store, int entries) {
    DecimalKey key = new DecimalKey(0);
    ValueGenerator values = newValues();
    byte[] value = new byte[VALUE_BYTES];
    try (Writer writer = store.writer(false)) {
      for (int number : shuffled(entries)) {
        values.next(value);
        writer.put(key.set(number), value);
      }
    }
  }

  private static int[] shuffled(int count) {
    LehmerRandom random = new LehmerRandom(SHUFFLE_SEED);
    int[] numbers = new int[count];
    for (int i = 0; i < count; i++) {
      int other = (int) random.uniform(i + 1L);
      numbers[i] = numbers[other];
      numbers[other] = i;
    }
    return numbers;
  }
}
