package dev.kv.netty;

import static java.nio.charset.StandardCharsets.UTF_8;
import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.kv.DB;
import dev.kv.Options;
import dev.kv.ReadOptions;
import dev.kv.Snapshot;
import dev.kv.WriteOptions;
import dev.kv.bytes.PinnedValue;
import dev.kv.env.Env;
import dev.kv.space.Space;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.CompositeByteBuf;
import io.netty.buffer.PooledByteBufAllocator;
import io.netty.buffer.Unpooled;
import io.netty.util.IllegalReferenceCountException;
import io.netty.util.ResourceLeakDetector;
import io.netty.util.ResourceLeakDetector.Level;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;
import java.util.logging.Logger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Values as buffers: their memory, their reference counts, their leaks; and buffers as input. */
class ByteBufDBTest {
  private static final String LARGE = "0123456789".repeat(1000);

  private DB database;
  private ByteBufDB db;
  private Level level;

  @BeforeEach
  void open() {
    Options options = Options.builder().createIfMissing(true).env(Env.inMemory()).build();
    database = DB.open(Path.of("database"), options);
    db = ByteBufDB.of(database);
    level = ResourceLeakDetector.getLevel();
  }

  @AfterEach
  void close() {
    ResourceLeakDetector.setLevel(level);
    database.close();
  }

  private static ByteBuf buf(String text) {
    return Unpooled.copiedBuffer(text, UTF_8);
  }

  private ByteBuf retained(String key) {
    return requireNonNull(db.retained(buf(key)));
  }

  private void putFlushed(String key, String value) {
    db.put(buf(key), buf(value));
    database.admin().flush();
  }

  private static String takeText(ByteBuf value) {
    try {
      return value.toString(UTF_8);
    } finally {
      value.release();
    }
  }

  @Test
  void retained_inMemtableAndTable_isTheValue() {
    putFlushed("table", LARGE);
    db.put(buf("memtable"), buf("fresh"));
    assertThat(takeText(retained("table"))).isEqualTo(LARGE);
    assertThat(takeText(retained("memtable"))).isEqualTo("fresh");
    assertThat(db.retained(buf("missing"))).isNull();
    db.delete(buf("table"));
    assertThat(db.retained(buf("table"))).isNull();
  }

  @Test
  void retained_inACachedBlock_takesNoMemory() {
    putFlushed("key", LARGE);
    retained("key").release();
    long before = database.admin().stats().memory().offHeap().blocks();
    long hits = database.admin().stats().memory().blockCache().hits();
    ByteBuf first = retained("key");
    ByteBuf second = retained("key");
    assertThat(first.isDirect()).isTrue();
    assertThat(database.admin().stats().memory().offHeap().blocks()).isEqualTo(before);
    assertThat(database.admin().stats().memory().blockCache().hits()).isEqualTo(hits + 2);
    assertThat(first.release() & second.release()).isTrue();
  }

  @Test
  void retained_withASnapshot_isTheValueOfTheSnapshot() {
    db.put(buf("key"), buf("old"));
    try (Snapshot before = database.snapshot()) {
      db.put(WriteOptions.SYNC, buf("key"), buf("new"));
      ByteBuf value = requireNonNull(db.retained(ReadOptions.at(before), buf("key")));
      assertThat(takeText(value)).isEqualTo("old");
    }
  }

  @Test
  void retained_heldOverTheClose_staysReadable() {
    putFlushed("key", LARGE);
    ByteBuf value = retained("key");
    database.close();
    assertThat(takeText(value)).isEqualTo(LARGE);
  }

  @ParameterizedTest
  @EnumSource(names = {"DISABLED", "SIMPLE", "PARANOID"})
  void release_tooOften_throwsAndLeavesOtherHoldersTheirBytes(Level with) {
    ResourceLeakDetector.setLevel(with);
    putFlushed("key", LARGE);
    ByteBuf one = retained("key");
    ByteBuf two = retained("key");
    assertThat(one.release()).isTrue();
    assertThatThrownBy(one::release).isInstanceOf(IllegalReferenceCountException.class);
    assertThatThrownBy(() -> one.getByte(0)).isInstanceOf(IllegalReferenceCountException.class);
    assertThatThrownBy(one::nioBuffer).isInstanceOf(IllegalReferenceCountException.class);
    assertThatThrownBy(one::retain).isInstanceOf(IllegalReferenceCountException.class);
    assertThat(takeText(two)).isEqualTo(LARGE);
  }

  @Test
  void retainedSlice_ofAValue_keepsItUntilTheLastRelease() {
    putFlushed("key", LARGE);
    ByteBuf value = retained("key");
    ByteBuf slice = value.retainedSlice(10, 5);
    assertThat(value.release()).isFalse();
    assertThat(slice.toString(UTF_8)).isEqualTo("01234");
    assertThat(slice.release()).isTrue();
    assertThat(value.refCnt()).isZero();
  }

  @Test
  void buffer_lostWithoutARelease_isReportedByNettysDetector() {
    ResourceLeakDetector.setLevel(Level.PARANOID);
    Logger log = Logger.getLogger(ResourceLeakDetector.class.getName());
    log.setUseParentHandlers(false); // the report is expected
    AtomicReference<String> leak = new AtomicReference<>();
    ByteBufUtil.setLeakListener((type, records) -> leak.set(records));
    try {
      putFlushed("key", LARGE);
      lose();
      long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(60);
      while (leak.get() == null && System.nanoTime() < end) {
        System.gc();
        retained("key").release(); // a registration is when the detector reports
        LockSupport.parkNanos(1_000_000);
      }
      assertThat(leak.get()).contains(ByteBufDB.class.getName() + ".retained");
    } finally {
      ByteBufUtil.setLeakListener(null);
      log.setUseParentHandlers(true);
    }
  }

  private void lose() {
    assertThat(retained("key").isReadable()).isTrue();
  }

  @Test
  void put_buffersOfEveryKind_takesTheReadableBytesAndLeavesTheBuffers() {
    ByteBuf frame =
        PooledByteBufAllocator.DEFAULT.directBuffer().writeBytes("-keyvalue-".getBytes());
    ByteBuf key = frame.slice(1, 3);
    ByteBuf value = frame.slice(4, 5);
    db.put(key, value);
    assertThat(takeText(retained("key"))).isEqualTo("value");

    CompositeByteBuf parts = Unpooled.compositeBuffer();
    parts.addComponents(true, buf("in "), buf("parts"));
    db.put(key, parts);
    assertThat(takeText(retained("key"))).isEqualTo("in parts");

    db.put(Unpooled.EMPTY_BUFFER, Unpooled.EMPTY_BUFFER);
    assertThat(takeText(requireNonNull(db.retained(Unpooled.EMPTY_BUFFER)))).isEmpty();

    ByteBuf copy = retained("key");
    db.put(buf("copy"), copy);
    assertThat(takeText(copy)).isEqualTo(takeText(retained("copy")));
    assertThat(key.readerIndex() + key.refCnt() + parts.refCnt()).isEqualTo(2);
    assertThat(frame.release() & parts.release()).isTrue();
  }

  @Test
  void write_aBatchOfBuffers_appliesAllOfThem() {
    db.put(buf("old"), buf("1"));
    ByteBuf reused = buf("a");
    ByteBufBatch batch = ByteBufBatch.create().put(reused, reused).delete(buf("old"));
    reused.setByte(0, 'b'); // the batch has copies
    batch.put(reused, reused);
    assertThat(batch.toWriteBatch().count()).isEqualTo(3);
    db.write(batch);
    assertThat(takeText(retained("a")) + takeText(retained("b"))).isEqualTo("ab");
    assertThat(db.retained(buf("old"))).isNull();
  }

  @Test
  void space_isReadAndWrittenUnderItsPrefix() {
    Space space = Space.of(database, "space/");
    ByteBufDB inSpace = ByteBufDB.of(space);
    inSpace.put(buf("a"), buf("1"));
    inSpace.write(ByteBufBatch.create().put(buf("b"), buf("2")).delete(buf("a")));
    assertThat(inSpace.retained(buf("a"))).isNull();
    assertThat(takeText(requireNonNull(inSpace.retained(buf("b"))))).isEqualTo("2");
    assertThat(takeText(retained("space/b"))).isEqualTo("2");
    assertThat(db.retained(buf("b"))).isNull();
    assertThat(inSpace.store()).isSameAs(space);
  }

  @Test
  void database_thatPinsNothing_isReadByCopies() {
    db.put(buf("key"), buf("value"));
    try (PinnedValue copied =
        requireNonNull(CopyingDB.of(database).pinned("key".getBytes(UTF_8)))) {
      assertThat(copied.slice().toUtf8String()).isEqualTo("value");
    }
    ByteBuf value = requireNonNull(ByteBufDB.of(CopyingDB.of(database)).retained(buf("key")));
    assertThat(value.isDirect()).isFalse();
    assertThat(takeText(value)).isEqualTo("value");
    assertThatThrownBy(value::release).isInstanceOf(IllegalReferenceCountException.class);
  }
}
