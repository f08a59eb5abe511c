package dev.kv.core.peer;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.function.BiConsumer;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** A list of puts and deletes that depends only on a seed. */
record Workload(long seed, List<Operation> operations) {

  /** A put, or a delete if the value is null. */
  record Operation(byte[] key, byte @Nullable [] value) {}

  /**
   * Returns {@code count} operations on some 2000 keys, some of them with empty, binary or large
   * values.
   */
  static Workload of(long seed, int count) {
    Random random = new Random(seed);
    List<Operation> operations = new ArrayList<>(count);
    for (int i = 0; i < count; i++) {
      byte[] key = key(random);
      operations.add(new Operation(key, random.nextInt(5) == 0 ? null : value(random)));
    }
    return new Workload(seed, operations);
  }

  private static byte[] key(Random random) {
    byte[] key = ("key" + random.nextInt(2000)).getBytes(StandardCharsets.UTF_8);
    if (random.nextInt(8) == 0) {
      key = Arrays.copyOf(key, key.length + 3);
      key[key.length - 2] = (byte) random.nextInt(4);
      key[key.length - 1] = (byte) 0xff;
    }
    return key;
  }

  private static byte[] value(Random random) {
    int kind = random.nextInt(100);
    byte[] value = new byte[kind == 0 ? 40_000 : kind < 5 ? 0 : 20 + random.nextInt(400)];
    for (int i = 0; i < value.length; i++) {
      value[i] = (byte) ((i & 32) == 0 ? random.nextInt() : 'x');
    }
    return value;
  }

  /** Calls {@code put} or {@code delete} for each operation, in order. */
  void run(BiConsumer<byte[], byte[]> put, Consumer<byte[]> delete) {
    for (Operation operation : operations) {
      byte[] value = operation.value();
      if (value == null) {
        delete.accept(operation.key());
      } else {
        put.accept(operation.key(), value);
      }
    }
  }

  /** Applies the operations to {@code model}, a map in bytewise order. */
  void applyTo(Map<byte[], byte[]> model) {
    run(model::put, model::remove);
  }

  static TreeMap<byte[], byte[]> emptyModel() {
    return new TreeMap<>(Arrays::compareUnsigned);
  }
}
