package dev.kv.map;

import dev.kv.DB;
import dev.kv.Options;
import dev.kv.env.Env;
import dev.kv.space.Space;
import dev.kv.tuple.Tuples;
import java.nio.file.Path;
import java.util.concurrent.atomic.AtomicInteger;
import org.jetbrains.lincheck.datastructures.IntGen;
import org.jetbrains.lincheck.datastructures.Operation;
import org.jetbrains.lincheck.datastructures.Param;
import org.jetbrains.lincheck.datastructures.StressOptions;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * The methods of a map that change one entry: as if each were done at one moment. Under stress
 * alone: the model checker does not know views of buffers. Every run has a space of its own in one
 * database.
 */
@Tag("slow")
@Param(name = "key", gen = IntGen.class, conf = "1:2")
@Param(name = "value", gen = IntGen.class, conf = "1:3")
public class DBMapLincheckIT {
  private static final boolean LONG = Boolean.getBoolean("kv.long");
  private static final AtomicInteger SPACES = new AtomicInteger();
  private static final DB DATABASE =
      DB.open(
          Path.of("lincheck"), Options.builder().createIfMissing(true).env(Env.inMemory()).build());

  private final DBMap<Integer, Integer> map =
      DBMap.of(
          Space.of(DATABASE, Tuples.pack(SPACES.incrementAndGet())), Codecs.ints(), Codecs.ints());

  @Operation
  public @Nullable Integer get(@Param(name = "key") int key) {
    return map.get(key);
  }

  @Operation
  public @Nullable Integer put(@Param(name = "key") int key, @Param(name = "value") int value) {
    return map.put(key, value);
  }

  @Operation
  public void set(@Param(name = "key") int key, @Param(name = "value") int value) {
    map.set(key, value);
  }

  @Operation
  public @Nullable Integer putIfAbsent(
      @Param(name = "key") int key, @Param(name = "value") int value) {
    return map.putIfAbsent(key, value);
  }

  @Operation
  public @Nullable Integer remove(@Param(name = "key") int key) {
    return map.remove(key);
  }

  @Operation
  public boolean replace(
      @Param(name = "key") int key,
      @Param(name = "value") int old,
      @Param(name = "value") int value) {
    return map.replace(key, old, value);
  }

  @Operation
  public @Nullable Integer compute(@Param(name = "key") int key) {
    return map.compute(key, (same, old) -> old == null ? 1 : old == 3 ? null : old + 1);
  }

  @Operation
  public @Nullable Integer merge(@Param(name = "key") int key, @Param(name = "value") int value) {
    return map.merge(key, value, (a, b) -> a + b > 5 ? null : a + b);
  }

  /**
   * Without the polls: as in ConcurrentSkipListMap, an entry before the polled one that is added
   * during the poll does not count.
   */
  @Test
  void changes_underStress_areDoneOneByOne() {
    new StressOptions()
        .iterations(LONG ? 200 : 5)
        .invocationsPerIteration(LONG ? 10_000 : 500)
        .threads(3)
        .actorsBefore(2)
        .actorsPerThread(3)
        .actorsAfter(2)
        .check(DBMapLincheckIT.class);
  }
}
