package dev.kv.jmh.suite;

import dev.kv.jmh.store.Store;
import dev.kv.jmh.store.StoreKind;
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
  private static final int SEED = 1000;

  private Databases() {}

  static Path newDirectory() throws IOException {
    return Files.createTempDirectory("kv-jmh");
  }

  static Store open(String store, Path directory) throws IOException {
    return StoreKind.of(store).open(directory, StoreSettings.DEFAULT);
  }

  /** Puts the keys from 0 on in order. */
  static void putInOrder(Store store, int entries) {
    DecimalKey key = new DecimalKey(0);
    ValueGenerator values = new ValueGenerator(COMPRESSION_RATIO);
    byte[] value = new byte[VALUE_BYTES];
    try (Writer writer = store.writer(false)) {
      for (int i = 0; i < entries; i++) {
        values.next(value);
        writer.put(key.set(i), value);
      }
    }
  }

  /** Puts {@code entries} random keys of {@code keySpace} different ones. */
  static void putAtRandom(Store store, int entries, int keySpace, boolean sync) {
    DecimalKey key = new DecimalKey(0);
    LehmerRandom random = new LehmerRandom(SEED);
    ValueGenerator values = new ValueGenerator(COMPRESSION_RATIO);
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
    ValueGenerator values = new ValueGenerator(COMPRESSION_RATIO);
    byte[] value = new byte[VALUE_BYTES];
    try (Writer writer = store.writer(false)) {
      for (int number : shuffled(entries)) {
        values.next(value);
        writer.put(key.set(number), value);
      }
    }
  }

  private static int[] shuffled(int count) {
    LehmerRandom random = new LehmerRandom(SEED);
    int[] numbers = new int[count];
    for (int i = 0; i < count; i++) {
      int other = (int) random.uniform(i + 1L);
      numbers[i] = numbers[other];
      numbers[other] = i;
    }
    return numbers;
  }
}
