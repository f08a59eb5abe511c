package dev.kv.core.table;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.kv.FilterPolicy;
import dev.kv.Options;
import dev.kv.admin.DBStats;
import dev.kv.core.db.DbTestBase;
import dev.kv.env.Env;
import dev.kv.errors.DBReadOnlyException;
import dev.kv.options.CompressionType;
import dev.kv.testing.FaultEnv;
import dev.kv.testing.FaultEnv.Fault;
import dev.kv.testing.FaultEnv.Kind;
import java.util.Random;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What a compaction and a flush leave in the caches. */
class WarmSuccessionTest extends DbTestBase {
  private static final long SEED = 28;
  private static final int KEYS = 1000;

  private final FaultEnv env = new FaultEnv(Env.inMemory());
  private final Random random = new Random(SEED);
  private final String[] values = new String[KEYS];

  private Options options(long cache, CompressionType compression) {
    return defaults().toBuilder()
        .env(env)
        .blockCacheSize(cache)
        .compression(compression)
        .filterPolicy(FilterPolicy.bloom(10))
        .build();
  }

  private void put(int i, int length) {
    values[i] = randomValue(random, length);
    put(key(i), values[i]);
  }

  private void load(int length) {
    for (int i = 0; i < KEYS; i++) {
      put(i, length);
    }
    compact();
  }

  /** Compacts everything, and waits until the inputs are deleted. */
  private void compact() {
    compact(null, null);
    parts().jobs().obsolete().collect();
  }

  private void read(int from, int to) {
    for (int i = from; i < to; i++) {
      assertThat(get(key(i))).isEqualTo(values[i]);
    }
  }

  private DBStats.Cache cache() {
    return db.admin().stats().memory().blockCache();
  }

  @ParameterizedTest
  @CsvSource({"300,NONE", "300,SNAPPY", "6000,NONE", "6000,SNAPPY"})
  void compact_afterReads_leavesTheirBlocksInTheCache(int length, CompressionType compression) {
    open(options(64 << 20, compression));
    load(length);
    read(0, KEYS / 2);
    for (int i = 0; i < KEYS; i += 50) {
      put(i, length);
    }
    DBStats.Cache before = cache();
    compact();
    DBStats.Cache after = cache();
    AtomicLong reads = new AtomicLong();
    env.watch(operation -> reads.addAndGet(operation.kind() == Kind.READ ? 1 : 0));
    read(0, KEYS / 2);
    int blocks = length > 4096 ? KEYS / 2 : KEYS / 2 * length / 4096;
    assertThat(cache().misses() - after.misses()).isLessThan(blocks / 20 + 20);
    assertThat(reads.get()).isLessThan(blocks / 20 + 20);
    assertThat(after.charge()).isBetween(before.charge() * 9 / 10, before.charge());
  }

  @Test
  void compact_afterReadsOfFewKeys_addsNoMoreThanTheyTook() {
    open(options(64 << 20, CompressionType.NONE));
    load(300);
    for (int round = 0; round < 10; round++) {
      put(0, 700 + 300 * (round % 2)); // the blocks of the output begin elsewhere
      for (int i = 0; i < 20; i++) {
        int at = random.nextInt(KEYS);
        read(at, at + 1);
        put(random.nextInt(KEYS), 300);
      }
      long before = cache().charge();
      assertThat(before).isPositive();
      compact();
      assertThat(cache().charge()).isBetween(1L, before);
    }
  }

  @Test
  void compact_withoutReads_addsNothing() {
    open(options(64 << 20, CompressionType.NONE));
    load(300);
    put(1, 300);
    compact();
    assertThat(cache().charge()).isZero();
  }

  @Test
  void compact_withASmallCache_staysWithinIt() {
    open(options(128 << 10, CompressionType.NONE));
    load(300);
    for (int round = 0; round < 5; round++) {
      read(0, KEYS);
      put(round, 300);
      compact();
      assertThat(cache().charge()).isBetween(1L, 128L << 10);
      read(0, KEYS);
    }
  }

  /** With one worker: another would try the failed compaction again at once. */
  @Test
  void compact_thatFails_leavesNoBlock() {
    open(
        options(64 << 20, CompressionType.NONE).toBuilder()
            .compaction(c -> c.maxBackground(1))
            .build());
    load(300);
    read(0, KEYS);
    for (int i = 0; i < KEYS; i += 50) {
      put(i, 300);
    }
    db.admin().flush();
    long before = cache().charge();
    env.fail(
        Fault.ERROR,
        1,
        operation ->
            operation.kind() == Kind.SYNC && (operation.isOn(".ldb") || operation.isOn(".sst")));
    assertThatThrownBy(this::compact).isInstanceOf(DBReadOnlyException.class);
    assertThat(env.injected()).isEqualTo(1);
    assertThat(cache().charge()).isEqualTo(before);
    db.admin().resume();
    compact();
    assertThat(cache().charge()).isBetween(before / 2, before);
    read(0, KEYS);
  }

  @Test
  void flush_newTable_isOpenBeforeTheFirstRead() {
    open(options(64 << 20, CompressionType.NONE));
    for (int i = 0; i < KEYS; i++) {
      put(i, 300);
    }
    db.admin().flush();
    AtomicLong reads = new AtomicLong();
    env.watch(
        operation ->
            reads.addAndGet(
                operation.kind() == Kind.READ || operation.kind() == Kind.OPEN ? 1 : 0));
    assertThat(get("key000001x")).isEqualTo(NOT_FOUND);
    assertThat(reads.get()).isZero();
    read(7, 8);
    assertThat(reads.get()).isEqualTo(1);
  }
}
