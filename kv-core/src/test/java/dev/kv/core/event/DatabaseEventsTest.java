package dev.kv.core.event;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.kv.DB;
import dev.kv.DBIterator;
import dev.kv.Options;
import dev.kv.ReadOnlyDB;
import dev.kv.WriteOptions;
import dev.kv.bytes.Range;
import dev.kv.core.Call;
import dev.kv.core.db.DbTestBase;
import dev.kv.core.db.HookedEnv;
import dev.kv.core.env.FileName;
import dev.kv.core.env.Uninterrupted;
import dev.kv.env.Env;
import dev.kv.env.ForwardingEnv;
import dev.kv.env.ForwardingWritableFile;
import dev.kv.env.WritableFile;
import dev.kv.errors.CorruptionException;
import dev.kv.errors.DBLockedException;
import dev.kv.errors.DBReadOnlyException;
import dev.kv.event.CloseEvent;
import dev.kv.event.CompactionEvent;
import dev.kv.event.DBEvent;
import dev.kv.event.DBListener;
import dev.kv.event.DamageEvent;
import dev.kv.event.FailureEvent;
import dev.kv.event.FlushEvent;
import dev.kv.event.OpenEvent;
import dev.kv.event.StallEvent;
import dev.kv.event.SyncEvent;
import dev.kv.event.TableDeletedEvent;
import dev.kv.options.RecoveryMode;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The events that a database tells its listener, and writes to its file LOG. */
class DatabaseEventsTest extends DbTestBase {
  private final List<DBEvent> heard = new CopyOnWriteArrayList<>();

  private Options listening() {
    return defaults().toBuilder().monitoring(m -> m.listener(heard::add)).build();
  }

  private <E extends DBEvent> List<E> heard(Class<E> type) {
    return heard.stream().filter(type::isInstance).map(type::cast).toList();
  }

  @Test
  void openAndClose_areTheFirstAndTheLastEvent() {
    open(listening());
    assertThat(heard).singleElement().isInstanceOf(OpenEvent.class);
    put("a", "1");
    close();
    assertThat(heard.get(heard.size() - 1)).isEqualTo(new CloseEvent(directory.toString()));
    heard.clear();
    open();
    OpenEvent open = heard(OpenEvent.class).get(0);
    assertThat(open.database()).isEqualTo(directory.toString());
    assertThat(open.readOnly()).isFalse();
    assertThat(open.logs()).isEqualTo(1);
    assertThat(open.records()).isEqualTo(1);
    assertThat(open.droppedBytes()).isZero();
    assertThat(open.tables()).isEqualTo(1);
    assertThat(open.micros()).isPositive();
  }

  /** A listener whose exception the logger of the program cannot print. */
  private final DBListener unprintable =
      event -> {
        heard.add(event);
        throw new IllegalStateException("of a listener") {
          @Override
          public void printStackTrace(PrintStream target) {
            throw new AssertionError("of a logger");
          }
        };
      };

  @Test
  void open_aListenerThrowsWhatALoggerCannotPrint_isOpenAndHoldsItsLock() {
    open(defaults().toBuilder().monitoring(m -> m.listener(unprintable)).build());
    assertThat(heard).hasSize(1);
    assertThatThrownBy(() -> DB.open(directory, defaults())).isInstanceOf(DBLockedException.class);
    put("a", "1");
    assertThat(get("a")).isEqualTo("1");
    close();
    assertThat(heard(CloseEvent.class)).hasSize(1);
    open(defaults());
    assertThat(get("a")).isEqualTo("1");
  }

  @Test
  void open_theFileLogThrowsAnError_isOpenAndHoldsItsLock() {
    Env failing =
        new ForwardingEnv(Env.fileSystem()) {
          @Override
          public WritableFile createWritable(Path file) throws IOException {
            WritableFile target = super.createWritable(file);
            if (!file.endsWith("LOG")) {
              return target;
            }
            return new ForwardingWritableFile(target) {
              @Override
              public void append(ByteBuffer bytes) {
                throw new AssertionError("simulated");
              }
            };
          }
        };
    open(
        defaults().toBuilder()
            .env(failing)
            .monitoring(m -> m.infoLog(true).listener(heard::add))
            .build());
    assertThat(heard).hasSize(1);
    assertThatThrownBy(() -> DB.open(directory, defaults())).isInstanceOf(DBLockedException.class);
    put("a", "1");
    assertThat(get("a")).isEqualTo("1");
  }

  @Test
  void openForReadsOnly_isToldToo() {
    open();
    put("a", "1");
    db.admin().flush();
    try (ReadOnlyDB reader = DB.openReadOnly(directory, listening())) {
      OpenEvent open = heard(OpenEvent.class).get(0);
      assertThat(open.readOnly()).isTrue();
      assertThat(open.tables()).isEqualTo(1);
      assertThat(reader.get(b("a"))).isEqualTo(b("1"));
    }
    assertThat(heard).hasSize(2);
    assertThat(heard.get(1)).isInstanceOf(CloseEvent.class);
  }

  /** It may wait for what another thread does with the database. */
  @Test
  void listenerOfAReadOnlyDatabase_isCalledWithoutItsLocks() throws Exception {
    open();
    put("a", "1");
    close();
    AtomicReference<ReadOnlyDB> reader = new AtomicReference<>();
    AtomicReference<Throwable> other = new AtomicReference<>(new AssertionError("not called"));
    DBListener listener =
        event -> {
          if (event instanceof DamageEvent) {
            Call files = Call.start(() -> reader.get().admin().suspendDeletions().close());
            try {
              other.set(files.outcome());
            } catch (InterruptedException e) {
              throw new AssertionError(e);
            }
          }
        };
    Options with = defaults().toBuilder().monitoring(m -> m.listener(listener)).build();
    try (ReadOnlyDB opened = DB.openReadOnly(directory, with)) {
      reader.set(opened);
      Path log = directory.resolve(files(FileName.Kind.LOG).get(0));
      Files.write(log, new byte[] {1, 2, 3, 4, 100, 0, 1, 9}, StandardOpenOption.APPEND);
      assertThat(opened.refresh()).isFalse();
    }
    assertThat(other.get()).isNull();
  }

  @Test
  void flushesAndCompactions_areToldWithTheirNumbers_andTheDeletedTables() throws IOException {
    open(listening());
    for (int round = 0; round < 3; round++) {
      for (int i = 0; i < 100; i++) {
        put(key(i), "value" + round);
      }
      db.admin().flush();
    }
    compact(null, null);
    close();
    List<FlushEvent> flushes = heard(FlushEvent.class);
    assertThat(flushes).hasSize(3);
    assertThat(flushes)
        .allSatisfy(
            flush -> {
              assertThat(flush.entries()).isEqualTo(100);
              assertThat(flush.bytes()).isPositive();
              assertThat(flush.micros()).isPositive();
            });
    assertThat(flushes.get(0).level()).isEqualTo(2);
    List<CompactionEvent> compactions =
        heard(CompactionEvent.class).stream().filter(event -> !event.isMove()).toList();
    assertThat(compactions).isNotEmpty();
    CompactionEvent last = compactions.get(compactions.size() - 1);
    assertThat(last.reason()).isEqualTo("manual");
    assertThat(last.entriesWritten()).isEqualTo(100);
    assertThat(last.bytesRead()).isGreaterThan(last.bytesWritten());
    List<Long> deleted =
        heard(TableDeletedEvent.class).stream().map(TableDeletedEvent::table).toList();
    assertThat(deleted).contains(flushes.get(0).table()).doesNotHaveDuplicates();
    assertThat(files(FileName.Kind.TABLE)).hasSize(1);
  }

  @Test
  void listener_mayReadAndWrite_andMustNotClose() throws InterruptedException {
    AtomicReference<Throwable> thrown = new AtomicReference<>();
    CountDownLatch done = new CountDownLatch(1);
    open(
        defaults().toBuilder()
            .monitoring(
                m ->
                    m.listener(
                        event -> {
                          if (event instanceof FlushEvent) {
                            try {
                              put("from the listener", get("a"));
                              db.close();
                            } catch (Throwable e) {
                              thrown.set(e);
                            }
                            done.countDown();
                          }
                        }))
            .build());
    put("a", "1");
    db.admin().flush();
    assertThat(done.await(60, TimeUnit.SECONDS)).isTrue();
    assertThat(thrown.get())
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContaining("must not close");
    assertThat(get("from the listener")).isEqualTo("1");
  }

  @Test
  void listener_thatBlocks_holdsUpNoReadWriteFlushOrCompaction() throws InterruptedException {
    CountDownLatch blocked = new CountDownLatch(1);
    CountDownLatch release = new CountDownLatch(1);
    open(
        defaults().toBuilder()
            .monitoring(
                m ->
                    m.listener(
                        event -> {
                          if (event instanceof FlushEvent) {
                            blocked.countDown();
                            Uninterrupted.await(release::await);
                          }
                        }))
            .build());
    put("a", "1");
    db.admin().flush();
    assertThat(blocked.await(60, TimeUnit.SECONDS)).isTrue();
    for (int i = 0; i < 4; i++) {
      put("a", "2");
      put(key(i), "3");
      db.admin().flush();
    }
    compact(null, null);
    assertThat(get("a")).isEqualTo("2");
    release.countDown();
  }

  @Test
  void sync_isToldIfItIsSlow() {
    open(listening().toBuilder().monitoring(m -> m.slowSync(Duration.ZERO)).build());
    db.put(WriteOptions.SYNC, b("a"), b("1"));
    put("b", "2");
    close();
    assertThat(heard(SyncEvent.class)).hasSize(1);
    heard.clear();
    open(listening().toBuilder().monitoring(m -> m.slowSync(Duration.ofDays(1))).build());
    db.put(WriteOptions.SYNC, b("a"), b("1"));
    close();
    assertThat(heard(SyncEvent.class)).isEmpty();
  }

  @Test
  void writeBehindAFlush_isToldAsAStall() throws Exception {
    HookedEnv env = new HookedEnv(Env.fileSystem());
    CountDownLatch errors = new CountDownLatch(1);
    env.tableSyncGate = errors;
    open(listening().toBuilder().env(env).writeBufferSize(64 << 10).build());
    Thread writer =
        new Thread(
            () -> {
              for (int i = 0; i < 200; i++) {
                put(key(i), "v".repeat(4 << 10));
              }
            });
    writer.start();
    while (db.admin().stats().writes().stalls().stops() == 0) {
      Thread.onSpinWait();
    }
    errors.countDown();
    writer.join();
    close();
    assertThat(heard(StallEvent.class))
        .anySatisfy(
            stall -> {
              assertThat(stall.reason()).isEqualTo(StallEvent.Reason.FLUSH_BEHIND);
              assertThat(stall.micros()).isPositive();
            });
  }

  @Test
  void failedLog_isToldOnce() {
    HookedEnv env = new HookedEnv(Env.fileSystem());
    open(listening().toBuilder().env(env).build());
    put("a", "1");
    env.logSyncFails = true;
    assertThatThrownBy(() -> db.put(WriteOptions.SYNC, b("b"), b("2")));
    env.logSyncFails = false;
    assertThatThrownBy(() -> put("c", "3")).isInstanceOf(DBReadOnlyException.class);
    close();
    assertThat(heard(FailureEvent.class))
        .singleElement()
        .satisfies(
            failure -> {
              assertThat(failure.resumable()).isFalse();
              assertThat(failure.during()).isEqualTo("a write");
              assertThat(failure.cause()).hasMessageContaining("simulated");
            });
  }

  /** Opens a database whose only table, of 100 keys, is damaged, and returns the table. */
  private Path openDamaged(boolean index) throws IOException {
    open(listening());
    for (int i = 0; i < 100; i++) {
      put(key(i), "value of " + i);
    }
    db.admin().flush();
    close();
    Path table = directory.resolve(files(FileName.Kind.TABLE).get(0));
    flip(table, index ? (int) Files.size(table) - 60 : 20);
    open();
    return table;
  }

  private void closeAndExpectDamage(DamageEvent.During during, Path table) {
    close();
    assertThat(heard(DamageEvent.class))
        .singleElement()
        .satisfies(
            damage -> {
              assertThat(damage.during()).isEqualTo(during);
              assertThat(damage.file()).isEqualTo(table.toString());
            });
  }

  @Test
  void damagedTable_isToldByARangeDelete() throws IOException {
    Path table = openDamaged(false);
    assertThatThrownBy(() -> db.deleteRange(b(key(10)), b(key(20))))
        .isInstanceOf(CorruptionException.class);
    closeAndExpectDamage(DamageEvent.During.READ, table);
  }

  @Test
  void damagedTable_isToldByStatistics() throws IOException {
    Path table = openDamaged(true);
    List<Range> all = List.of(new Range(b(key(10)), b(key(20))));
    assertThatThrownBy(() -> db.admin().approximateSizes(all))
        .isInstanceOf(CorruptionException.class);
    closeAndExpectDamage(DamageEvent.During.READ, table);
  }

  @Test
  void damagedTable_isToldByACompactionOfDeletes() throws IOException {
    Path table = openDamaged(true);
    assertThatThrownBy(() -> db.admin().compactDeletes(Duration.ZERO))
        .isInstanceOf(CorruptionException.class);
    closeAndExpectDamage(DamageEvent.During.COMPACTION, table);
  }

  @Test
  void damagedTable_isToldOnceByReads() throws IOException {
    Path table = openDamaged(false);
    for (int i = 0; i < 3; i++) {
      assertThatThrownBy(() -> db.get(VERIFIED, b(key(0)))).isInstanceOf(CorruptionException.class);
      try (DBIterator iterator = db.iterator(VERIFIED)) {
        assertThatThrownBy(iterator::seekToFirst).isInstanceOf(CorruptionException.class);
      }
    }
    close();
    assertThat(heard(DamageEvent.class))
        .singleElement()
        .satisfies(
            damage -> {
              assertThat(damage.during()).isEqualTo(DamageEvent.During.READ);
              assertThat(damage.file()).isEqualTo(table.toString());
              assertThat(damage.offset()).isZero();
              assertThat(damage.message()).contains("checksum");
            });
  }

  /** The check of a conditional write reads tables, and so does the open of a cursor. */
  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void damagedTable_isToldByAConditionalWriteAndByTheOpenOfACursor(boolean index)
      throws IOException {
    open(listening());
    for (int i = 0; i < 3; i++) { // to the levels 2, 1 and 0
      put("a", "value " + i);
      put("b", "value " + i);
      db.admin().flush();
    }
    close();
    Path table = directory.resolve(files(FileName.Kind.TABLE).get(2));
    flip(table, index ? (int) Files.size(table) - 60 : 20);
    open();
    if (index) {
      assertThatThrownBy(() -> db.iterator()).isInstanceOf(CorruptionException.class);
    } else {
      assertThatThrownBy(() -> db.putIfAbsent(b("a"), b("1")))
          .isInstanceOf(CorruptionException.class);
    }
    closeAndExpectDamage(DamageEvent.During.READ, table);
  }

  private static final dev.kv.ReadOptions VERIFIED =
      dev.kv.ReadOptions.builder().verifyChecksums(true).build();

  @ParameterizedTest
  @EnumSource(names = {"TORN_WRITES", "PARANOID"})
  void damagedTable_isToldByACompaction(RecoveryMode mode) throws IOException {
    open(listening().toBuilder().recoveryMode(mode).build());
    fillLevels("a", "z");
    List<String> tables = files(FileName.Kind.TABLE);
    for (String table : tables) {
      flip(directory.resolve(table), 5);
    }
    assertThatThrownBy(() -> compact(null, null))
        .isInstanceOf(
            mode == RecoveryMode.PARANOID ? DBReadOnlyException.class : CorruptionException.class);
    close();
    assertThat(heard(DamageEvent.class))
        .isNotEmpty()
        .allMatch(damage -> damage.during() == DamageEvent.During.COMPACTION);
  }

  @Test
  void damagedLog_isToldByTheOpen() throws IOException {
    open();
    for (int i = 0; i < 10; i++) {
      put(key(i), "v");
    }
    close();
    flip(directory.resolve(files(FileName.Kind.LOG).get(0)), 60);
    open(listening().toBuilder().recoveryMode(RecoveryMode.POINT_IN_TIME).build());
    assertThat(heard.get(0)).isInstanceOf(DamageEvent.class);
    assertThat(((DamageEvent) heard.get(0)).during()).isEqualTo(DamageEvent.During.RECOVERY);
    assertThat(heard(OpenEvent.class).get(0).droppedBytes()).isPositive();
  }

  private static void flip(Path file, int offset) throws IOException {
    byte[] bytes = Files.readAllBytes(file);
    bytes[offset] ^= (byte) 0x80;
    Files.write(file, bytes);
  }

  @Test
  void infoLog_isWrittenAndRotated_andIsNoFileOfTheTree() throws IOException {
    Options logged = defaults().toBuilder().monitoring(m -> m.infoLog(true)).build();
    open(logged);
    put("a", "1");
    db.admin().flush();
    close();
    assertThat(Files.readString(directory.resolve("LOG")))
        .contains(" opened: 0 tables")
        .contains(" flushed 1 entries into table ")
        .endsWith(" closed\n");
    assertThat(directory.resolve("LOG.old")).doesNotExist();
    open();
    assertThat(get("a")).isEqualTo("1");
    close();
    assertThat(Files.readString(directory.resolve("LOG"))).contains(" opened: 1 tables");
    assertThat(Files.readString(directory.resolve("LOG.old"))).contains(" flushed 1 entries");
    DB.destroy(directory, logged);
    assertThat(directory).doesNotExist();
  }

  @Test
  void infoLog_ofAnOpenForReadsOnly_isNotWritten() {
    open();
    put("a", "1");
    Options reading = defaults().toBuilder().monitoring(m -> m.infoLog(true)).build();
    DB.openReadOnly(directory, reading).close();
    assertThat(directory.resolve("LOG")).doesNotExist();
  }
}
