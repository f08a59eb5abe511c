package dev.kv.core.read;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.kv.Options;
import dev.kv.ReadOptions;
import dev.kv.SharedResources;
import dev.kv.Snapshot;
import dev.kv.bytes.PinnedValue;
import dev.kv.bytes.Slice;
import dev.kv.core.db.Config;
import dev.kv.core.db.DbTestBase;
import dev.kv.core.memory.MemoryKind;
import dev.kv.errors.DBClosedException;
import dev.kv.options.CompressionType;
import java.nio.ByteBuffer;
import java.nio.ReadOnlyBufferException;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Values that a program holds: where their bytes are, how long they stay, and who frees them. */
class PinnedValueTest extends DbTestBase {
  private static final String LONG_VALUE = "0123456789".repeat(1000);

  private PinnedValue pinned(String key) {
    return requireNonNull(db.pinned(b(key)));
  }

  private static String text(PinnedValue value) {
    byte[] bytes = new byte[value.length()];
    value.buffer().get(bytes);
    assertThat(value.slice().toByteArray()).isEqualTo(bytes);
    return s(bytes);
  }

  private long liveBuffers() {
    return parts().context().shared().tableMemory().allocator().liveBuffers();
  }

  private long blockBytes() {
    return parts().context().budget().used(MemoryKind.BLOCK);
  }

  @ParameterizedTest
  @EnumSource
  void pinned_inMemtableAndTables_isTheValue(Config config) {
    open(config.options());
    put("empty", "");
    put("flushed", LONG_VALUE);
    db.admin().flush();
    put("fresh", "new");
    try (PinnedValue fresh = pinned("fresh");
        PinnedValue flushed = pinned("flushed");
        PinnedValue empty = pinned("empty")) {
      assertThat(text(fresh)).isEqualTo("new");
      assertThat(text(flushed)).isEqualTo(LONG_VALUE);
      assertThat(text(empty)).isEmpty();
    }
    assertThat(db.pinned(b("missing"))).isNull();
    delete("flushed");
    assertThat(db.pinned(b("flushed"))).isNull();
  }

  @Test
  void pinned_inACachedBlock_isTheMemoryOfTheBlock() {
    open();
    put("a", "1");
    put("b", "2");
    db.admin().flush();
    assertThat(get("a")).isEqualTo("1");
    long before = liveBuffers();
    try (PinnedValue first = pinned("a");
        PinnedValue again = pinned("a");
        PinnedValue other = pinned("b")) {
      assertThat(liveBuffers()).as("buffers of block memory").isEqualTo(before);
      assertThat(first.buffer().isDirect()).isTrue();
      assertThat(text(first) + text(again) + text(other)).isEqualTo("112");
    }
  }

  @Test
  void pinned_inAMemtable_isACountedCopyThatDoesNotKeepTheMemtable() {
    open();
    put("key", LONG_VALUE);
    long before = blockBytes();
    try (PinnedValue value = pinned("key")) {
      assertThat(liveBuffers()).isEqualTo(1);
      assertThat(blockBytes()).isGreaterThanOrEqualTo(before + LONG_VALUE.length());
      db.admin().flush();
      fillMemtables();
      assertThat(text(value)).isEqualTo(LONG_VALUE);
    }
  }

  /** Fills and flushes memtables, so that the arenas of earlier ones are used again. */
  private void fillMemtables() {
    for (int round = 0; round < 4; round++) {
      for (int i = 0; i < 100; i++) {
        put(key(i), "x".repeat(1000));
      }
      db.admin().flush();
    }
  }

  @Test
  void pinned_evictedOverwrittenAndCompactedAway_keepsItsBytes() {
    open(defaults().toBuilder().blockCacheSize(64 << 10).build());
    put("key", LONG_VALUE);
    db.admin().flush();
    try (PinnedValue value = pinned("key")) {
      put("key", "another");
      fillMemtables();
      db.admin().compactRange(null, null);
      for (int i = 0; i < 100; i++) {
        assertThat(get(key(i))).hasSize(1000);
      }
      parts().context().blockCache().prune();
      assertThat(text(value)).isEqualTo(LONG_VALUE);
      assertThat(get("key")).isEqualTo("another");
    }
  }

  @Test
  void pinned_withASnapshot_isTheValueOfTheSnapshot() {
    open();
    put("key", "old");
    db.admin().flush();
    try (Snapshot before = db.snapshot()) {
      put("key", "new");
      ReadOptions options = ReadOptions.at(before);
      try (PinnedValue value = requireNonNull(db.pinned(options, ByteBuffer.wrap(b("key"))))) {
        assertThat(text(value)).isEqualTo("old");
      }
    }
  }

  @Test
  void pinned_keyInAPartOfABuffer_readsThatPart() {
    open();
    put("key", "value");
    ByteBuffer key = ByteBuffer.allocateDirect(9).put(b("..key....")).position(2).limit(5);
    try (PinnedValue value = requireNonNull(db.pinned(ReadOptions.DEFAULT, key))) {
      assertThat(text(value)).isEqualTo("value");
    }
    assertThat(key.position()).isEqualTo(2);
  }

  @Test
  void pinned_withoutFillingTheCache_ownsItsBlock() {
    open();
    put("key", LONG_VALUE);
    db.admin().flush();
    ReadOptions options = ReadOptions.builder().fillCache(false).build();
    long before = liveBuffers();
    PinnedValue value = requireNonNull(db.pinned(options, ByteBuffer.wrap(b("key"))));
    assertThat(liveBuffers()).isGreaterThan(before);
    assertThat(text(value)).isEqualTo(LONG_VALUE);
    long held = liveBuffers();
    value.close();
    assertThat(liveBuffers()).isEqualTo(held - 1);
  }

  @ParameterizedTest
  @EnumSource(names = {"DEFAULT", "UNCOMPRESSED", "PLAIN_READS"})
  void close_whileValuesAreHeld_leavesThemReadable(Config config) {
    open(config.options());
    put("flushed", LONG_VALUE);
    db.admin().flush();
    put("fresh", "new");
    PinnedValue flushed = pinned("flushed");
    PinnedValue fresh = pinned("fresh");
    close();
    assertThat(text(flushed)).isEqualTo(LONG_VALUE);
    assertThat(text(fresh)).isEqualTo("new");
    assertThat(blockBytes()).as("bytes still counted").isGreaterThan(LONG_VALUE.length());
    flushed.close();
    fresh.close();
    assertThat(blockBytes()).isZero();
    assertThat(liveBuffers()).isZero();
  }

  @Test
  void close_ofSharedResourcesWhileAValueIsHeld_leavesItReadable() {
    SharedResources shared = SharedResources.builder().blockCacheSize(1 << 20).build();
    open(defaults().toBuilder().sharedResources(shared).build());
    put("key", LONG_VALUE);
    db.admin().flush();
    PinnedValue value = pinned("key");
    close();
    shared.close();
    assertThat(text(value)).isEqualTo(LONG_VALUE);
    assertThat(parts().context().blockCache().totalCharge()).isZero();
    value.close();
  }

  @Test
  void close_ofAValueTwice_releasesOnePin() {
    open();
    put("key", "value");
    db.admin().flush();
    PinnedValue one = pinned("key");
    try (PinnedValue two = pinned("key")) {
      one.close();
      one.close();
      parts().context().blockCache().prune();
      assertThat(text(two)).isEqualTo("value");
    }
  }

  @Test
  void value_afterItsClose_throws() {
    open();
    put("key", "value");
    db.admin().flush();
    PinnedValue value = pinned("key");
    Slice slice = value.slice();
    assertThat(slice.toUtf8String()).isEqualTo("value");
    assertThat(value).hasToString("PinnedValue[5 bytes]");
    value.close();
    assertThat(value).hasToString("PinnedValue[5 bytes, closed]");
    assertThatThrownBy(value::buffer)
        .isInstanceOf(IllegalStateException.class)
        .hasMessage("the value is closed");
    assertThatThrownBy(value::slice).isInstanceOf(IllegalStateException.class);
    assertThatThrownBy(() -> slice.byteAt(0)).isInstanceOf(IllegalStateException.class);
  }

  @Test
  void buffer_ofAValue_cannotBeWritten() {
    open();
    put("key", "value");
    db.admin().flush();
    try (PinnedValue value = pinned("key")) {
      ByteBuffer buffer = value.buffer();
      assertThatThrownBy(() -> buffer.put(0, (byte) 1)).isInstanceOf(ReadOnlyBufferException.class);
      buffer.get();
      assertThat(value.buffer().remaining()).isEqualTo(5);
    }
  }

  @Test
  void pinned_misused_throws() {
    open();
    ByteBuffer key = ByteBuffer.wrap(b("key"));
    assertThatThrownBy(() -> db.pinned(ReadOptions.withPrefix(b("k")), key))
        .isInstanceOf(IllegalArgumentException.class);
    db.close();
    assertThatThrownBy(() -> db.pinned(ReadOptions.DEFAULT, key))
        .isInstanceOf(DBClosedException.class);
  }

  @Test
  void pinned_budgetUsedUpByHeldValues_isStillServed() {
    open(
        defaults().toBuilder()
            .memory(m -> m.offHeapLimit(8 << 20))
            .writeBufferSize(1 << 20)
            .blockCacheSize(1 << 20)
            .compression(CompressionType.NONE)
            .build());
    String large = "v".repeat(200_000);
    for (int i = 0; i < 100; i++) {
      putPatiently(key(i), large);
    }
    List<PinnedValue> held = new ArrayList<>();
    for (int i = 0; i < 100; i++) {
      held.add(pinned(key(i)));
    }
    assertThat(parts().context().budget().used()).isLessThanOrEqualTo(8 << 20);
    for (PinnedValue value : held) {
      assertThat(value.slice().getLong(0, java.nio.ByteOrder.BIG_ENDIAN))
          .isEqualTo(0x7676767676767676L);
      value.close();
    }
    putPatiently("after", "release");
    assertThat(get("after")).isEqualTo("release");
  }

  private void putPatiently(String key, String value) {
    patiently(() -> put(key, value));
  }

  /**
   * Readers pass values to another thread, which checks and closes them, while writes, flushes and
   * compactions replace the blocks. Each value says of what key it is, and ends as it begins.
   */
  @Test
  void pinned_byManyThreadsUnderWrites_isNeverTornAndNeverLeaks() throws Exception {
    long seed = Long.getLong("kv.seed", 1);
    open(
        Options.builder()
            .createIfMissing(true)
            .writeBufferSize(64 << 10)
            .blockCacheSize(128 << 10)
            .build());
    AtomicBoolean stop = new AtomicBoolean();
    AtomicReference<Throwable> failure = new AtomicReference<>();
    AtomicLong checked = new AtomicLong();
    BlockingQueue<Held> queue = new ArrayBlockingQueue<>(256);
    List<Thread> threads = new ArrayList<>();
    threads.add(new Thread(guarded(failure, stop, () -> write(new Random(seed), stop))));
    for (int i = 0; i < 2; i++) {
      Random random = new Random(seed + 1 + i);
      threads.add(new Thread(guarded(failure, stop, () -> read(random, queue, stop))));
    }
    threads.add(new Thread(guarded(failure, stop, () -> check(queue, stop, checked))));
    threads.forEach(Thread::start);
    await("checked values", () -> checked.get() > 20_000 || failure.get() != null);
    close();
    stop.set(true);
    for (Thread thread : threads) {
      thread.join();
    }
    queue.forEach(held -> held.value().close());
    assertThat(failure.get()).as("seed %d", seed).isNull();
  }

  private record Held(int key, PinnedValue value) {}

  private interface Action {
    void run() throws Exception;
  }

  private static Runnable guarded(
      AtomicReference<Throwable> failure, AtomicBoolean stop, Action action) {
    return () -> {
      try {
        action.run();
      } catch (DBClosedException expected) {
        stop.set(true);
      } catch (Exception | AssertionError e) {
        failure.compareAndSet(null, e);
        stop.set(true);
      }
    };
  }

  private void write(Random random, AtomicBoolean stop) {
    while (!stop.get()) {
      int key = random.nextInt(200);
      String mark = key + "/" + random.nextInt() + "/";
      put(key(key), mark + "-".repeat(random.nextInt(600)) + mark);
    }
  }

  private void read(Random random, BlockingQueue<Held> queue, AtomicBoolean stop)
      throws InterruptedException {
    while (!stop.get()) {
      int key = random.nextInt(200);
      PinnedValue value = db.pinned(b(key(key)));
      if (value != null) {
        Held held = new Held(key, value);
        while (!queue.offer(held, 10, TimeUnit.MILLISECONDS)) {
          if (stop.get()) {
            value.close();
            return;
          }
        }
      }
    }
  }

  private static void check(BlockingQueue<Held> queue, AtomicBoolean stop, AtomicLong checked)
      throws InterruptedException {
    while (!stop.get()) {
      Held held = queue.poll(10, TimeUnit.MILLISECONDS);
      if (held != null) {
        String text = s(held.value().slice().toByteArray());
        held.value().close();
        String mark = text.substring(0, text.indexOf('/', text.indexOf('/') + 1) + 1);
        assertThat(text).startsWith(held.key() + "/").endsWith(mark);
        checked.incrementAndGet();
      }
    }
  }
}
