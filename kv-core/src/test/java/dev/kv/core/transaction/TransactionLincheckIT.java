package dev.kv.core.transaction;

import dev.kv.DB;
import dev.kv.DBIterator;
import dev.kv.Options;
import dev.kv.ReadOptions;
import dev.kv.TransactionOptions;
import dev.kv.env.Env;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.concurrent.atomic.AtomicLong;
import org.jetbrains.lincheck.datastructures.IntGen;
import org.jetbrains.lincheck.datastructures.Operation;
import org.jetbrains.lincheck.datastructures.Param;
import org.jetbrains.lincheck.datastructures.StressOptions;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * Serializable transactions beside plain writes: as if each were done at one moment. Under stress
 * alone: the model checker does not know views of buffers. All runs share one database, whose
 * memtable is small, so that flushes come in between; each run has keys of its own.
 */
@Tag("slow")
@Param(name = "key", gen = IntGen.class, conf = "0:1")
@Param(name = "value", gen = IntGen.class, conf = "1:3")
public class TransactionLincheckIT {
  private static final int SCALE = Boolean.getBoolean("kv.long") ? 20 : 1;
  private static final AtomicLong RUNS = new AtomicLong();
  private static final TransactionOptions PATIENT =
      TransactionOptions.SERIALIZABLE.toBuilder().maxAttempts(10_000).build();
  private static final DB DATABASE =
      DB.open(
          Path.of("/lincheck"),
          Options.builder()
              .createIfMissing(true)
              .env(Env.inMemory())
              .writeBufferSize(64 << 10)
              .build());

  private final long run = RUNS.getAndIncrement();

  private byte[] key(int key) {
    return (run + "/" + key).getBytes(StandardCharsets.US_ASCII);
  }

  private static byte[] value(int value) {
    return new byte[] {(byte) value};
  }

  private static int number(byte[] value) {
    return value == null ? 0 : value[0];
  }

  @Operation
  public void put(@Param(name = "key") int key, @Param(name = "value") int value) {
    DATABASE.put(key(key), value(value));
  }

  @Operation
  public void delete(@Param(name = "key") int key) {
    DATABASE.delete(key(key));
  }

  /** Reads both keys, in one state. */
  @Operation
  public int both() {
    return DATABASE.transact(
        transaction -> 10 * number(transaction.get(key(0))) + number(transaction.get(key(1))));
  }

  /** Writes one key, which depends on the other. */
  @Operation
  public int copy(@Param(name = "key") int key) {
    return DATABASE.transact(
        PATIENT,
        transaction -> {
          int other = number(transaction.get(key(1 - key)));
          transaction.put(key(key), value(other + 1));
          return other;
        });
  }

  /** Counts both keys with a cursor, and writes the count to one of them if it does not exist. */
  @Operation
  public int count(@Param(name = "key") int key) {
    return DATABASE.transact(
        PATIENT,
        transaction -> {
          int count = 0;
          ReadOptions read =
              ReadOptions.withPrefix((run + "/").getBytes(StandardCharsets.US_ASCII));
          try (DBIterator cursor = transaction.iterator(read)) {
            for (cursor.seekToLast(); cursor.isValid(); cursor.prev()) {
              count++;
            }
          }
          if (transaction.get(key(key)) == null) {
            transaction.put(key(key), value(count + 1));
          } else {
            transaction.delete(key(1 - key));
          }
          return count;
        });
  }

  @Test
  void transactions_underStress_areDoneOneByOne() {
    new StressOptions()
        .iterations(6 * SCALE)
        .invocationsPerIteration(400 * SCALE)
        .threads(3)
        .actorsBefore(1)
        .actorsPerThread(3)
        .actorsAfter(2)
        .check(TransactionLincheckIT.class);
  }
}
