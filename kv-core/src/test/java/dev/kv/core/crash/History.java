package dev.kv.core.crash;

import static dev.kv.core.Bytes.bytes;
import static org.assertj.core.api.Assertions.assertThat;

import dev.kv.DB;
import dev.kv.DBIterator;
import dev.kv.DBReader;
import dev.kv.ReadOptions;
import dev.kv.Transaction;
import dev.kv.TransactionOptions;
import dev.kv.WriteBatch;
import dev.kv.WriteOptions;
import dev.kv.bytes.Escape;
import dev.kv.bytes.Slice;
import dev.kv.change.OperationHandler;
import dev.kv.errors.ConflictException;
import dev.kv.errors.DBIOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * An endless list of batches that depends only on a seed. Each batch sets a counter to its own
 * number, so that no two prefixes of the list lead to the same contents. The contents of a database
 * therefore show which prefix it holds, and whether it holds a prefix at all.
 *
 * <p>A history may have range deletes. They take the place of some batches at a fixed distance, and
 * delete the keys from a random one on, and a mark. Every batch puts the mark again: if it is
 * missing, the range delete after the batch of the counter has been done.
 *
 * @param space the prefix of every key, so that a database can hold several histories; not empty
 * @param seed the seed of all batches
 * @param keys the number of different keys
 * @param valueLength the largest length of most values
 * @param rangeEvery how often a range delete takes the place of a batch; 0 for never
 */
record History(String space, long seed, int keys, int valueLength, int rangeEvery) {
  History(long seed, int keys, int valueLength) {
    this("h", seed, keys, valueLength);
  }

  History(String space, long seed, int keys, int valueLength) {
    this(space, seed, keys, valueLength, 0);
  }

  /** Returns the same history with range deletes. */
  History withRangeDeletes(int every) {
    return new History(space, seed, keys, valueLength, every);
  }

  /** Returns true if a range delete takes the place of batch {@code number}. */
  boolean isRangeDelete(int number) {
    return rangeEvery > 0 && number > 1 && number % rangeEvery == 0;
  }

  /** The last key of the space. It is in every range. */
  private byte[] mark() {
    return bytes(space + "/mark");
  }

  private byte[] rangeStart(int number) {
    SplittableRandom random = new SplittableRandom(seed * 31 + number);
    return random.nextInt(3) == 0 ? bytes(space + "/k") : key(random.nextInt(keys));
  }

  /**
   * Writes batch {@code number}, or does the range delete in its place. A third of the batches are
   * plain, a third expect the counter of the batch before, and a third are transactions.
   */
  void apply(DB db, int number, boolean sync) {
    if (isRangeDelete(number)) {
      db.deleteRange(rangeStart(number), bytes(space + "/n"));
      return;
    }
    try {
      switch (number % 3) {
        case 0 -> db.write(WriteOptions.builder().sync(sync).build(), batch(number));
        case 1 ->
            db.write(
                WriteOptions.builder().sync(sync).build(),
                batch(number).expect(counter(), before(number)));
        default -> commit(db, number, sync);
      }
    } catch (ConflictException e) {
      throw new AssertionError("no other thread writes to " + space, e);
    }
  }

  /** Returns the value of the counter before batch {@code number}. */
  private byte @Nullable [] before(int number) {
    int last = number - 1;
    while (isRangeDelete(last)) {
      last--;
    }
    return last == 0 ? null : bytes(Integer.toString(last));
  }

  /** Writes batch {@code number} as a transaction that depends on the counter. */
  private void commit(DB db, int number, boolean sync) {
    TransactionOptions options =
        TransactionOptions.builder()
            .writeOptions(WriteOptions.builder().sync(sync).build())
            .build();
    try (Transaction transaction = db.transaction(options)) {
      assertThat(read(transaction)).isEqualTo(before(number));
      batch(number)
          .iterate(
              new OperationHandler() {
                @Override
                public void put(Slice key, Slice value) {
                  transaction.put(key.toByteArray(), value.toByteArray());
                }

                @Override
                public void delete(Slice key) {
                  transaction.delete(key.toByteArray());
                }
              });
      transaction.commit();
    }
  }

  private byte @Nullable [] read(Transaction transaction) {
    try {
      return transaction.getForUpdate(counter());
    } catch (DBIOException e) {
      throw new DBIOException("a read failed, so that the batch may be tried again", e);
    }
  }

  /** Returns true if batch {@code number} is durable when it is acknowledged. */
  boolean isDurable(int number, boolean sync) {
    return sync || isRangeDelete(number);
  }

  private byte[] counter() {
    return bytes(space + "/counter");
  }

  /** A put, or a delete if the length is negative. The value depends only on its own seed. */
  record Operation(byte[] key, int length, long valueSeed) {
    byte @Nullable [] value() {
      if (length < 0) {
        return null;
      }
      byte[] value = new byte[length];
      SplittableRandom random = new SplittableRandom(valueSeed);
      for (int i = 0; i < length; i++) {
        value[i] = (byte) ((i & 24) == 0 ? random.nextInt(256) : 'v');
      }
      return value;
    }
  }

  /** Returns the operations of batch {@code number}, except for the counter. Numbers begin at 1. */
  List<Operation> operations(int number) {
    SplittableRandom random = new SplittableRandom(seed * 0x9e3779b97f4a7c15L + number);
    List<Operation> operations = new ArrayList<>();
    for (int i = random.nextInt(5); i >= 0; i--) {
      byte[] key = key(random.nextInt(keys));
      int length = random.nextInt(4) == 0 ? -1 : random.nextInt(valueLength + 1);
      if (valueLength >= 1000 && length > 0 && random.nextInt(60) == 0) {
        length = 40_000 + random.nextInt(40_000); // more than a block of the log
      }
      operations.add(new Operation(key, length, random.nextLong()));
    }
    return operations;
  }

  byte[] key(int number) {
    return bytes(space + "/key" + number + "x".repeat(number % 7));
  }

  /** Returns batch {@code number}. */
  WriteBatch batch(int number) {
    WriteBatch batch = WriteBatch.create();
    for (Operation operation : operations(number)) {
      byte[] value = operation.value();
      if (value == null) {
        batch.delete(operation.key());
      } else {
        batch.put(operation.key(), value);
      }
    }
    if (rangeEvery > 0) {
      batch.put(mark(), new byte[0]);
    }
    return batch.put(counter(), bytes(Integer.toString(number)));
  }

  /** Returns the contents after the first {@code count} batches, except for counter and mark. */
  TreeMap<byte[], Operation> after(int count) {
    TreeMap<byte[], Operation> contents = new TreeMap<>(Arrays::compareUnsigned);
    for (int number = 1; number <= count; number++) {
      if (isRangeDelete(number)) {
        contents.tailMap(rangeStart(number), true).clear();
        continue;
      }
      for (Operation operation : operations(number)) {
        if (operation.length() < 0) {
          contents.remove(operation.key());
        } else {
          contents.put(operation.key(), operation);
        }
      }
    }
    return contents;
  }

  /** Returns the number of the last batch in {@code db}, by its counter and its mark. */
  int counter(DBReader db) {
    byte[] value = db.get(counter());
    if (value == null) {
      return 0;
    }
    int number = Integer.parseInt(new String(value, StandardCharsets.US_ASCII));
    return isRangeDelete(number + 1) && db.get(mark()) == null ? number + 1 : number;
  }

  /**
   * Fails unless {@code db} holds, in this space, exactly the contents after a prefix of at least
   * {@code least} and at most {@code most} batches. Returns the length of the prefix.
   */
  int expectPrefix(DBReader db, int least, int most) {
    int found = counter(db);
    assertThat(found).as("batches found").isBetween(least, most);
    expectContents(db, found);
    return found;
  }

  /**
   * Fails unless {@code db} holds the first {@code least} batches, and of each key either what they
   * left or what one of the later ones up to {@code most} did to it. For a history without range
   * deletes.
   */
  void expectNothingLost(DBReader db, int least, int most) {
    TreeMap<byte[], List<byte @Nullable []>> possible = new TreeMap<>(Arrays::compareUnsigned);
    for (Map.Entry<byte[], Operation> each : after(least).entrySet()) {
      add(possible, each.getKey(), each.getValue().value());
    }
    byte @Nullable [] last = least == 0 ? null : bytes(Integer.toString(least));
    add(possible, counter(), last);
    for (int number = least + 1; number <= most; number++) {
      add(possible, counter(), bytes(Integer.toString(number)));
      for (Operation operation : operations(number)) {
        if (!possible.containsKey(operation.key())) {
          add(possible, operation.key(), null);
        }
        add(possible, operation.key(), operation.value());
      }
    }
    possible.forEach(
        (key, values) -> {
          byte[] found = db.get(key);
          assertThat(values.stream().anyMatch(value -> Arrays.equals(value, found)))
              .as("%s after %d to %d batches", Escape.bytes(key), least, most)
              .isTrue();
        });
    db.forEach(
        ReadOptions.builder().prefix(bytes(space() + "/")).build(),
        (key, value) -> assertThat(possible).containsKey(key.toByteArray()));
  }

  private static void add(
      TreeMap<byte[], List<byte @Nullable []>> possible, byte[] key, byte @Nullable [] value) {
    possible.computeIfAbsent(key, each -> new ArrayList<>()).add(value);
  }

  private void expectContents(DBReader db, int count) {
    ReadOptions space = ReadOptions.builder().prefix(bytes(space() + "/")).build();
    try (DBIterator cursor = db.iterator(space)) {
      cursor.seekToFirst();
      if (count > 0) {
        assertThat(cursor.isValid()).as("is not empty").isTrue();
        assertThat(cursor.key()).isEqualTo(counter());
        cursor.next();
      }
      for (Map.Entry<byte[], Operation> expected : after(count).entrySet()) {
        if (!cursor.isValid() || !Arrays.equals(cursor.key(), expected.getKey())) {
          throw new AssertionError(
              (cursor.isValid() ? Escape.bytes(cursor.key()) : "the end")
                  + " is in the place where batch "
                  + count
                  + " has "
                  + Escape.bytes(expected.getKey()));
        }
        if (!Arrays.equals(cursor.value(), expected.getValue().value())) {
          throw new AssertionError(
              "after batch " + count + " the value of " + Escape.bytes(expected.getKey()));
        }
        cursor.next();
      }
      if (rangeEvery > 0 && count > 0 && !isRangeDelete(count)) {
        assertThat(cursor.key()).isEqualTo(mark());
        cursor.next();
      }
      assertThat(cursor.isValid())
          .as("has entries that batch " + count + " does not have")
          .isFalse();
    }
  }
}
