package dev.kv.core.transaction;

import dev.kv.DB;
import dev.kv.Options;
import dev.kv.WriteBatch;
import dev.kv.WriteOptions;
import dev.kv.env.Env;
import java.nio.file.Path;
import java.util.concurrent.atomic.AtomicLong;
import org.jetbrains.lincheck.datastructures.IntGen;
import org.jetbrains.lincheck.datastructures.Operation;
import org.jetbrains.lincheck.datastructures.Param;
import org.jetbrains.lincheck.datastructures.StressOptions;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * Conditional writes beside plain ones: as if each were done at one moment. Under stress alone: the
 * model checker does not know views of buffers. All runs share one database, whose memtable is
 * small, so that flushes come in between; each run has keys of its own.
 */
@Tag("slow")
@Param(name = "key", gen = IntGen.class, conf = "0:1")
@Param(name = "value", gen = IntGen.class, conf = "1:3")
public class ConditionalWriteLincheckIT {
  private static final int SCALE = Boolean.getBoolean("kv.long") ? 20 : 1;
  private static final AtomicLong RUNS = new AtomicLong();
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
    return (run + "/" + key).getBytes(java.nio.charset.StandardCharsets.US_ASCII);
  }

  private static byte[] value(int value) {
    return value == 0 ? null : new byte[] {(byte) value};
  }

  private static int number(byte[] value) {
    return value == null ? 0 : value[0];
  }

  @Operation
  public int get(@Param(name = "key") int key) {
    return number(DATABASE.get(key(key)));
  }

  @Operation
  public void put(@Param(name = "key") int key, @Param(name = "value") int value) {
    DATABASE.put(key(key), value(value));
  }

  @Operation
  public void delete(@Param(name = "key") int key) {
    DATABASE.delete(key(key));
  }

  @Operation
  public boolean putIfAbsent(@Param(name = "key") int key, @Param(name = "value") int value) {
    return DATABASE.putIfAbsent(key(key), value(value));
  }

  @Operation
  public boolean replace(
      @Param(name = "key") int key,
      @Param(name = "value") int expected,
      @Param(name = "value") int value) {
    return DATABASE.compareAndSet(
        WriteOptions.builder().sync(value == 1).build(), key(key), value(expected), value(value));
  }

  @Operation
  public int increment(@Param(name = "key") int key) {
    return number(DATABASE.update(key(key), old -> value((number(old) + 1) % 5)));
  }

  /** Swaps the two keys if both are as expected. */
  @Operation
  public boolean swap(@Param(name = "value") int first, @Param(name = "value") int second) {
    WriteBatch batch = WriteBatch.create().expect(key(0), value(first - 1));
    batch.expect(key(1), value(second - 1));
    batch.put(key(0), value(second)).put(key(1), value(first));
    return DATABASE.tryWrite(WriteOptions.DEFAULT, batch);
  }

  @Test
  void writes_underStress_areDoneOneByOne() {
    new StressOptions()
        .iterations(6 * SCALE)
        .invocationsPerIteration(400 * SCALE)
        .threads(3)
        .actorsBefore(1)
        .actorsPerThread(3)
        .actorsAfter(2)
        .check(ConditionalWriteLincheckIT.class);
  }
}
