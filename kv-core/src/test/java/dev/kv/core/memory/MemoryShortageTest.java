package dev.kv.core.memory;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.kv.DB;
import dev.kv.DBIterator;
import dev.kv.Options;
import dev.kv.ReadOptions;
import dev.kv.core.Children;
import dev.kv.core.db.DbTestBase;
import dev.kv.core.env.FileName;
import dev.kv.env.Env;
import dev.kv.env.ForwardingEnv;
import dev.kv.env.WritableFile;
import dev.kv.errors.OffHeapExhaustedException;
import dev.kv.options.CompressionType;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A shortage of off-heap memory costs time, or a write that is tried again; it never lasts. */
@Timeout(value = 300, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class MemoryShortageTest extends DbTestBase {
  private static void putPatiently(DB db, byte[] key, byte[] value) {
    patiently(() -> db.put(key, value));
  }

  @Test
  void put_offHeapLimitBarelyLargeEnough_goesOnForHundredThousandPuts() {
    open(
        defaults().toBuilder()
            .memory(m -> m.offHeapLimit(4 << 20))
            .writeBufferSize(64 << 10)
            .blockCacheSize(1 << 20)
            .build());
    byte[] value = b("v".repeat(100));
    for (int i = 0; i < 100_000; i++) {
      putPatiently(db, b(key(i * 7919 % 100_000)), value);
    }
    patiently(db.admin()::flush);
    for (int i = 0; i < 100_000; i += 97) {
      assertThat(db.get(b(key(i)))).isEqualTo(value);
    }
  }

  /** Nothing that is released could make room for it. */
  @Test
  void put_largerThanTheLimit_failsWithoutAWait() {
    AtomicInteger waits = new AtomicInteger();
    Env counting =
        new ForwardingEnv(defaults().env()) {
          @Override
          public void sleepMicros(long micros) {
            waits.incrementAndGet();
            super.sleepMicros(micros);
          }
        };
    open(defaults().toBuilder().env(counting).memory(m -> m.offHeapLimit(8 << 20)).build());
    db.put(b("a"), b("1"));
    assertThatThrownBy(() -> db.put(b("b"), new byte[9 << 20]))
        .isInstanceOf(OffHeapExhaustedException.class)
        .hasMessageContaining("of the off-heap limit of " + (8 << 20));
    assertThat(waits).hasValue(0);
    db.put(b("c"), b("3"));
    assertThat(db.get(b("a"))).isEqualTo(b("1"));
    assertThat(db.get(b("b"))).isNull();
  }

  @Test
  @Tag("slow")
  void put_iteratorsThatTookTheMemoryAreClosed_goesOn() {
    open(
        defaults().toBuilder()
            .memory(m -> m.offHeapLimit(12 << 20))
            .compression(CompressionType.NONE)
            .build());
    byte[] value = new byte[1000];
    List<DBIterator> iterators = new ArrayList<>();
    int acknowledged = 0;
    boolean exhausted = false;
    while (!exhausted && acknowledged < 200_000) {
      try {
        db.put(b(key(acknowledged)), value);
        acknowledged++;
        if (acknowledged % 3000 == 0 && iterators.size() < 15) {
          DBIterator iterator = db.iterator();
          iterator.seekToFirst();
          iterators.add(iterator);
        }
      } catch (OffHeapExhaustedException e) {
        exhausted = true;
      }
    }
    assertThat(exhausted).isTrue();
    iterators.forEach(DBIterator::close);
    for (int i = 0; i < 20_000; i++) {
      putPatiently(db, b(key(acknowledged + i)), value);
    }
    for (int i = 0; i < acknowledged + 20_000; i += 97) {
      assertThat(db.get(b(key(i)))).isEqualTo(value);
    }
  }

  /** The child of the next test. */
  static final class LargeValues {
    private LargeValues() {}

    public static void main(String[] args) {
      byte[] value = new byte[10_000_000];
      try (DB db = DB.open(Path.of(args[0]), Options.builder().createIfMissing(true).build())) {
        for (int i = 0; i < 30; i++) {
          value[0] = (byte) i;
          putPatiently(db, new byte[] {(byte) i}, value);
        }
        for (int i = 0; i < 30; i++) {
          byte[] key = {(byte) i};
          byte[][] read = new byte[1][];
          patiently(() -> read[0] = db.get(key));
          if (read[0] == null || read[0].length != value.length || read[0][0] != i) {
            throw new AssertionError("value " + i);
          }
        }
        System.out.println("all there");
      }
    }
  }

  @Test
  void put_largeValuesInASmallJvm_goesOn(@TempDir Path parent) throws Exception {
    Children.Ended child =
        Children.run(
            List.of(
                "-Xmx64m",
                "-XX:MaxDirectMemorySize=64m",
                "-Dorg.slf4j.simpleLogger.defaultLogLevel=off"),
            LargeValues.class,
            parent.resolve("db").toString());
    assertThat(child.output()).contains("all there");
    assertThat(child.exitCode()).isZero();
  }

  @Test
  void read_pinnedValuesTookTheLimit_goesOn() {
    open(
        defaults().toBuilder()
            .memory(m -> m.offHeapLimit(16 << 20))
            .blockCacheSize(1 << 20)
            .build());
    int[] sizes = {1 << 20, 64 << 10, 4 << 10, 1000, 100};
    for (int size : sizes) {
      db.put(b("key" + size), new byte[size]);
    }
    db.admin().flush();
    ReadOptions uncached = ReadOptions.builder().fillCache(false).build();
    List<AutoCloseable> open = new ArrayList<>();
    for (int size : sizes) {
      for (int i = 0; i < 60; i++) {
        open.add(db.pinned(uncached, ByteBuffer.wrap(b("key" + size))));
      }
    }
    assertThat(db.admin().stats().memory().offHeap().total()).isGreaterThan((16 << 20) - (8 << 10));
    for (int i = 0; i < 50; i++) {
      DBIterator cursor = db.iterator();
      open.add(cursor);
      cursor.seekToFirst();
      assertThat(cursor.key()).isEqualTo(b("key100"));
      assertThat(db.get(b("key100"))).hasSize(100);
    }
    open.forEach(MemoryShortageTest::close);
  }

  /** Obsolete files are deleted later. */
  @Test
  void maintenance_oneShortageOfTheHeap_passes() {
    AtomicInteger shortages = new AtomicInteger();
    Env exhausted =
        new ForwardingEnv(Env.fileSystem()) {
          @Override
          public List<String> list(Path path) throws IOException {
            if (Thread.currentThread().getName().startsWith("kv-maintenance")
                && shortages.getAndIncrement() == 0) {
              throw new OutOfMemoryError("Java heap space");
            }
            return super.list(path);
          }
        };
    open(defaults().toBuilder().env(exhausted).build());
    put("a", "1");
    db.admin().flush();
    DBIterator view = db.iterator();
    view.seekToFirst();
    put("a", "2");
    compact(null, null);
    assertThat(files(FileName.Kind.TABLE)).hasSizeGreaterThan(1);
    view.close();
    await("the next try", () -> shortages.get() > 1 && files(FileName.Kind.TABLE).size() == 1);
    put("b", "3");
    assertThat(contents()).isEqualTo("(a->2)(b->3)");
  }

  /**
   * The first try of a flush or compaction fails, and so does the deletion of its output, and that
   * of obsolete files after the second try.
   */
  @ParameterizedTest
  @ValueSource(strings = {"kv-flush", "kv-compact"})
  void job_shortagesOfTheHeapBeforeAndAfterItsInstall_pass(String thread) {
    AtomicInteger creates = new AtomicInteger();
    AtomicInteger lists = new AtomicInteger();
    Env exhausted =
        new ForwardingEnv(Env.fileSystem()) {
          @Override
          public WritableFile createWritable(Path file) throws IOException {
            throwIfShort(creates, 1);
            return super.createWritable(file);
          }

          @Override
          public List<String> list(Path path) throws IOException {
            throwIfShort(lists, 2);
            return super.list(path);
          }

          private void throwIfShort(AtomicInteger calls, int failing) {
            if (Thread.currentThread().getName().startsWith(thread)
                && calls.getAndIncrement() < failing) {
              throw new OutOfMemoryError("Java heap space");
            }
          }
        };
    open(defaults().toBuilder().env(exhausted).build());
    put("a", "1");
    db.admin().flush();
    put("a", "2");
    compact(null, null);
    await(
        "the deletion of obsolete files",
        () ->
            parts().jobs().errors().failure() != null
                || (lists.get() >= 2
                    && files(FileName.Kind.TABLE).size() == 1
                    && files(FileName.Kind.LOG).size() == 1));
    put("b", "3");
    assertThat(contents()).isEqualTo("(a->2)(b->3)");
  }

  private static void close(AutoCloseable resource) {
    try {
      resource.close();
    } catch (Exception e) {
      throw new AssertionError(e);
    }
  }
}
