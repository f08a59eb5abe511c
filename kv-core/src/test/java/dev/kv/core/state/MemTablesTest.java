package dev.kv.core.state;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.kv.Options;
import dev.kv.core.Call;
import dev.kv.core.db.DbTestBase;
import dev.kv.core.event.Events;
import dev.kv.core.key.KeyBounds;
import dev.kv.core.key.ValueKind;
import dev.kv.core.manifest.NewDatabase;
import dev.kv.core.manifest.VersionSet;
import dev.kv.core.memory.MemoryKind;
import dev.kv.core.memtable.MemTable;
import dev.kv.core.read.ReadStates;
import dev.kv.core.read.SnapshotList;
import dev.kv.core.shared.SharedResourcesImpl;
import dev.kv.core.shared.WriteBuffers;
import dev.kv.core.version.Version;
import dev.kv.core.write.ErrorHandler;
import dev.kv.env.Env;
import dev.kv.errors.DBClosedException;
import dev.kv.errors.DBReadOnlyException;
import dev.kv.errors.OffHeapExhaustedException;
import dev.kv.testing.FaultEnv;
import dev.kv.testing.FaultEnv.Fault;
import dev.kv.testing.FaultEnv.Kind;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Path;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** The memtables without a commit pipeline and without background threads. */
class MemTablesTest {
  private final FaultEnv env = new FaultEnv(Env.inMemory());
  private final Path directory = Path.of("db");
  private final ErrorHandler errors = new ErrorHandler(new Events("db", null));
  private final Wakeups wakeups = new Wakeups();
  private final Monitor monitor = new Monitor(errors, wakeups);
  private final ReadStates readStates = new ReadStates();
  private final AtomicInteger flushesWanted = new AtomicInteger();
  private DatabaseContext context;
  private VersionSet versions;
  private WriteAheadLog logs;
  private MemTables memTables;
  private long sequence;

  @BeforeEach
  void create() throws IOException {
    env.createDirectory(directory);
    Options options =
        Options.builder()
            .env(env)
            .writeBufferSize(64 << 10)
            .memory(m -> m.offHeapLimit(64 << 20))
            .build();
    context = new DatabaseContext(directory, options);
    NewDatabase.create(context.manifestContext());
    versions = new VersionSet(context.manifestContext(), () -> {});
    versions.recover(false);
    ObsoleteFiles obsolete = new ObsoleteFiles(context, versions, errors, null);
    logs = new WriteAheadLog(context, versions, obsolete, errors, null, () -> {});
    memTables =
        new MemTables(
            context, monitor, versions, readStates, logs, context.emptyMemTable(), wakeups);
    wakeups.onFlush(flushesWanted::incrementAndGet);
    memTables.publish();
  }

  @AfterEach
  void close() throws IOException {
    assertThat(monitor.isLocked()).isFalse();
    readStates.close();
    memTables.close();
    logs.close();
    versions.close();
    context.close();
    assertThat(context.budget().used()).isZero();
  }

  private void add() {
    add(ValueKind.VALUE, 8);
  }

  private void add(ValueKind kind, int valueLength) {
    ByteBuffer source = ByteBuffer.allocateDirect(8 + valueLength).order(ByteOrder.LITTLE_ENDIAN);
    memTables.memtable().add(++sequence, kind, source, 0, 8, 8, valueLength);
  }

  private long currentLog() {
    WriteAheadLog.NumberedLog log = logs.current();
    assertThat(log).isNotNull();
    return log.number();
  }

  private MemTables.Immutable oldest() {
    MemTables.Immutable oldest = memTables.oldestImmutable();
    assertThat(oldest).isNotNull();
    return oldest;
  }

  /** Makes a memtable with one entry immutable. */
  private void fillAndSwitch() throws IOException {
    memTables.makeRoom(16, 1, false);
    add();
    memTables.makeRoom(16, 1, true);
  }

  @Test
  void makeRoom_theFirst_beginsTheLogThatTheManifestNames() throws IOException {
    assertThat(logs.current()).isNull();
    memTables.makeRoom(0, 0, false);
    assertThat(versions.logNumber()).isEqualTo(currentLog());
    assertThat(memTables.oldestImmutable()).isNull();
    Version current = versions.acquireCurrent();
    readStates.<@Nullable Void>withCurrent(
        state -> {
          assertThat(state.version()).isSameAs(current);
          return null;
        });
    current.release();
  }

  @Test
  void makeRoom_emptyMemtable_isReplacedAndKeepsItsLog() throws IOException {
    memTables.makeRoom(0, 0, false);
    long log = currentLog();
    memTables.makeRoom(10_000, 1, true);
    assertThat(memTables.memtable().ensureRoomFor(10_000, 1)).isTrue();
    assertThat(currentLog()).isEqualTo(log);
    assertThat(memTables.oldestImmutable()).isNull();
    assertThat(flushesWanted).hasValue(0);
  }

  @Test
  void makeRoom_memtableWithEntriesAndRoom_isKept() throws IOException {
    memTables.makeRoom(16, 1, false);
    add();
    MemTable before = memTables.memtable();
    memTables.makeRoom(16, 1, false);
    assertThat(memTables.memtable()).isSameAs(before);
  }

  @Test
  void makeRoom_fresh_makesTheMemtableImmutableWithItsLog() throws IOException {
    memTables.makeRoom(16, 1, false);
    add();
    MemTable full = memTables.memtable();
    long log = currentLog();
    memTables.makeRoom(16, 1, true);
    assertThat(oldest().memtable()).isSameAs(full);
    assertThat(oldest().log().number()).isEqualTo(log);
    assertThat(currentLog()).isGreaterThan(log);
    assertThat(memTables.memtable().isEmpty()).isTrue();
    assertThat(flushesWanted).hasValue(1);
  }

  @Test
  void makeRoom_withoutANewLog_changesNothingAndMayBeTriedAgain() throws IOException {
    memTables.makeRoom(16, 1, false);
    add();
    MemTable full = memTables.memtable();
    long log = currentLog();
    long used = context.budget().used();
    env.fail(Fault.ERROR, 1, each -> each.kind() == Kind.CREATE);
    assertThatThrownBy(() -> memTables.makeRoom(16, 1, true)).isInstanceOf(IOException.class);
    assertThat(memTables.memtable()).isSameAs(full);
    assertThat(currentLog()).isEqualTo(log);
    assertThat(memTables.oldestImmutable()).isNull();
    assertThat(flushesWanted).hasValue(0);
    errors.check();
    memTables.makeRoom(16, 1, true);
    assertThat(oldest().memtable()).isSameAs(full);
    assertThat(used).isPositive();
  }

  @Test
  void removeFlushed_fromTheOldestOn_movesTheOldestLogOn() throws IOException {
    fillAndSwitch();
    MemTables.Immutable first = oldest();
    fillAndSwitch();
    long second = memTables.oldestLogWithout(first);
    assertThat(second).isGreaterThan(first.log().number()).isLessThan(currentLog());
    memTables.removeFlushed(first);
    logs.retire(first.log());
    MemTables.Immutable next = oldest();
    assertThat(next.log().number()).isEqualTo(second);
    assertThat(memTables.oldestLogWithout(next)).isEqualTo(currentLog());
    memTables.removeFlushed(next);
    logs.retire(next.log());
    assertThat(memTables.oldestImmutable()).isNull();
    assertThat(memTables.isFlushed()).as("before the end of the flush").isFalse();
    memTables.flushEnded();
    assertThat(memTables.isFlushed()).isTrue();
    memTables.awaitFlushes();
  }

  /** The first wake may have to start the thread of the flush, which needs memory. */
  @Test
  void makeRoom_withoutMemoryForTheWakeOfTheFlush_leavesItToThoseWhoWait() throws IOException {
    AtomicInteger shortages = new AtomicInteger(1);
    wakeups.onFlush(
        () -> {
          if (shortages.getAndDecrement() > 0) {
            throw new OutOfMemoryError("simulated");
          }
          memTables.removeFlushed(oldest());
          memTables.flushEnded();
        });
    fillAndSwitch();
    assertThat(memTables.stallInputs().waitingMemTables()).isEqualTo(1);
    memTables.awaitFlushes();
    assertThat(memTables.isFlushed()).isTrue();
    memTables.awaitFlushes();
    assertThat(flushesWanted).hasValue(2);
  }

  @Test
  void wakeWork_wakesFlushesAndCompactions() {
    AtomicInteger compactionsWanted = new AtomicInteger();
    wakeups.onCompaction(compactionsWanted::incrementAndGet);
    memTables.wakeWork();
    assertThat(flushesWanted).hasValue(1);
    assertThat(compactionsWanted).hasValue(1);
  }

  @Test
  void awaitFlushes_afterAFailure_throws() throws IOException {
    memTables.awaitFlushes();
    fillAndSwitch();
    errors.failResumably("flush", new IOException("simulated"), 0);
    assertThatThrownBy(memTables::awaitFlushes).isInstanceOf(DBReadOnlyException.class);
  }

  @Test
  void flushEarly_ofAnOrdinaryMemtable_requestsNothing() throws IOException {
    memTables.makeRoom(16, 1, false);
    add();
    memTables.flushEarly();
    assertThat(flushesWanted).hasValue(0);
    assertThat(memTables.isFlushPending()).isFalse();
  }

  @Test
  void flushEarly_ofABatchLargerThanAMemtable_requestsAFlushOnce() throws IOException {
    memTables.makeRoom(100_000, 1, false);
    add(ValueKind.VALUE, 90_000);
    assertThat(memTables.isHalfFull()).isTrue();
    memTables.flushEarly();
    assertThat(flushesWanted).hasValue(1);
    assertThat(memTables.stallInputs().isSwitchWanted()).isTrue();
    assertThat(memTables.isFlushPending()).isTrue();
    memTables.flushEarly();
    assertThat(flushesWanted).hasValue(1);
    memTables.makeRoom(16, 1, true);
    assertThat(memTables.stallInputs().isSwitchWanted()).isFalse();
    assertThat(memTables.stallInputs().waitingMemTables())
        .as("counts like the most that may wait")
        .isEqualTo(2);
    assertThat(memTables.isFlushPending()).as("it waits for its flush").isTrue();
    memTables.removeFlushed(oldest());
    assertThat(memTables.isFlushPending()).isFalse();
  }

  @Test
  void memory_ofAllMemtables_isCountedTogether() throws IOException {
    assertThat(memTables.bytes()).as("an empty memtable").isZero();
    assertThat(memTables.estimatedKeys()).isZero();
    fillAndSwitch();
    memTables.makeRoom(16, 1, false);
    add();
    add();
    long first = oldest().memtable().memoryUsed();
    assertThat(first).isPositive();
    assertThat(memTables.memoryUsed()).isEqualTo(first + memTables.memtable().memoryUsed());
    assertThat(memTables.bytes()).isEqualTo(memTables.memtable().arenaBytes());
    assertThat(memTables.estimatedKeys()).isEqualTo(3);
    add(ValueKind.DELETION, 0);
    assertThat(memTables.estimatedKeys()).as("less a key and its tombstone").isEqualTo(2);
    memTables.removeFlushed(oldest());
    assertThat(memTables.memoryUsed()).isEqualTo(memTables.memtable().memoryUsed());
    assertThat(memTables.estimatedKeys()).isEqualTo(1);
  }

  /** The memtable of a database beside this one, which takes all memory until it is flushed. */
  private final class Other implements WriteBuffers.Buffer {
    private final MemoryKind kind;
    private long bytes;
    private int requests;

    Other() {
      this(MemoryKind.MEMTABLE);
    }

    Other(MemoryKind kind) {
      this.kind = kind;
      while (context.budget().tryReserve(kind, 4096)) {
        bytes += 4096;
      }
    }

    @Override
    public long bytes() {
      return bytes;
    }

    @Override
    public long begun() {
      return 0;
    }

    @Override
    public boolean isFlushPending() {
      return false;
    }

    @Override
    public void requestFlush() {
      requests++;
      context.budget().release(kind, bytes);
      bytes = 0;
    }
  }

  @Test
  void makeRoom_withoutMemory_waitsForTheFlushOfAnotherDatabase() throws IOException {
    memTables.makeRoom(0, 0, false);
    Other other = new Other();
    context.shared().writeBuffers().add(other);
    memTables.makeRoom(1000, 1, false);
    assertThat(other.requests).isEqualTo(1);
    assertThat(memTables.memtable().ensureRoomFor(1000, 1)).isTrue();
    context.shared().writeBuffers().remove(other);
  }

  @Test
  void makeRoom_withoutMemoryOrAMemtableToFlush_throwsAndMayBeTriedAgain() throws IOException {
    memTables.makeRoom(0, 0, false);
    Other other = new Other();
    assertThatThrownBy(() -> memTables.makeRoom(1000, 1, false))
        .isInstanceOf(OffHeapExhaustedException.class);
    errors.check();
    other.requestFlush();
    memTables.makeRoom(1000, 1, false);
    assertThat(memTables.memtable().ensureRoomFor(1000, 1)).isTrue();
  }

  /** Its flush ends between the allocation that finds no memory and the look for flushes. */
  @Test
  void makeRoom_whileTheLastFlushEnds_triesAgain() throws IOException {
    memTables.makeRoom(0, 0, false);
    MemTable flushed = context.newMemTable(100_000, 1, false);
    Other rest = new Other();
    WriteBuffers.Buffer ending =
        new WriteBuffers.Buffer() {
          private boolean ended;

          @Override
          public long bytes() {
            return 0;
          }

          @Override
          public long begun() {
            return 0;
          }

          @Override
          public boolean isFlushPending() {
            if (!ended) {
              ended = true;
              flushed.release();
            }
            return false;
          }

          @Override
          public void requestFlush() {
            throw new AssertionError("it has nothing to flush");
          }
        };
    context.shared().writeBuffers().add(ending);
    memTables.makeRoom(1000, 1, false);
    assertThat(memTables.memtable().ensureRoomFor(1000, 1)).isTrue();
    context.shared().writeBuffers().remove(ending);
    rest.requestFlush();
  }

  private void reserveBuffer(long bytes) {
    context.budget().reserve(MemoryKind.WRITE_BUFFER, bytes);
    context.budget().release(MemoryKind.WRITE_BUFFER, bytes);
  }

  /** The memtable of the write stays besides it. */
  @Test
  void awaitMemory_ofMoreThanTheLimitCanEverHave_throwsAtOnce() throws IOException {
    memTables.makeRoom(1000, 1, false);
    long most = context.budget().limit() - memTables.memtable().arenaBytes();
    Other other = new Other(MemoryKind.WRITE_BUFFER);
    context.shared().writeBuffers().add(other);
    assertThatThrownBy(() -> memTables.awaitMemory(most + 1, () -> reserveBuffer(most + 1)))
        .isInstanceOf(OffHeapExhaustedException.class);
    assertThat(other.requests).isZero();
    memTables.awaitMemory(most / 2, () -> reserveBuffer(most / 2));
    assertThat(other.requests).isEqualTo(1);
    context.shared().writeBuffers().remove(other);
  }

  private boolean readersSeeEntries() {
    return readStates.memTablesHold(new KeyBounds(null, null));
  }

  @Test
  void memTables_thatReplaceOthers_areThoseThatReadersSee() throws IOException {
    memTables.makeRoom(10_000, 1, false);
    assertThat(readersSeeEntries()).isFalse();
    add();
    assertThat(readersSeeEntries()).isTrue();
    memTables.makeRoom(10_000, 1, true);
    assertThat(readersSeeEntries()).as("the immutable one").isTrue();
    memTables.removeFlushed(oldest());
    assertThat(readersSeeEntries()).isFalse();
    add();
    assertThat(readersSeeEntries()).isTrue();
  }

  @Test
  void logs_ofImmutableMemtables_areOlderLogs() throws IOException {
    fillAndSwitch();
    ByteBuffer record = ByteBuffer.allocateDirect(8).order(ByteOrder.LITTLE_ENDIAN);
    memTables.append(record, 8, true);
    assertThat(logs.syncs()).isEqualTo(1);
    assertThat(logs.lengths().values()).containsExactly(0L, 15L);
    assertThat(memTables.isHalfFull()).isFalse();
  }

  @Test
  void publishFiltered_withoutSnapshots_publishesTheState() throws IOException {
    memTables.makeRoom(16, 1, false);
    SnapshotList snapshots = new SnapshotList(() -> sequence);
    memTables.publishFiltered(snapshots, SnapshotList.NONE);
    assertThat(readersSeeEntries()).isFalse();
    add();
    assertThat(readersSeeEntries()).isTrue();
  }

  @Test
  void awaitFlushes_whileItWaits_endsWithAFailure() throws Exception {
    fillAndSwitch();
    AtomicReference<Throwable> thrown = new AtomicReference<>();
    Thread waiting =
        new Thread(
            () -> {
              try {
                memTables.awaitFlushes();
              } catch (DBReadOnlyException e) {
                thrown.set(e);
              }
            });
    waiting.start();
    DbTestBase.await("the wait", () -> Call.isParked(waiting));
    errors.failResumably("flush", new IOException("simulated"), 0);
    waiting.join();
    assertThat(thrown.get()).isInstanceOf(DBReadOnlyException.class);
  }

  /** Returns how many memtables may wait for their flush: a batch of its own counts like these. */
  private int maxWaiting(int writeBufferSize, long offHeapLimit) throws IOException {
    Path other = Path.of("other" + writeBufferSize + "-" + offHeapLimit);
    env.createDirectory(other);
    Options options =
        Options.builder()
            .env(env)
            .writeBufferSize(writeBufferSize)
            .blockCacheSize(1 << 20)
            .memory(m -> m.offHeapLimit(offHeapLimit))
            .build();
    try (DatabaseContext its = new DatabaseContext(other, options)) {
      NewDatabase.create(its.manifestContext());
      VersionSet set = new VersionSet(its.manifestContext(), () -> {});
      set.recover(false);
      ReadStates states = new ReadStates();
      WriteAheadLog wal =
          new WriteAheadLog(
              its, set, new ObsoleteFiles(its, set, errors, null), errors, null, () -> {});
      MemTables tables =
          new MemTables(its, monitor, set, states, wal, its.emptyMemTable(), new Wakeups());
      tables.publish();
      tables.makeRoom(writeBufferSize + 100, 1, false);
      ByteBuffer source = ByteBuffer.allocateDirect(writeBufferSize + 100);
      source.order(ByteOrder.LITTLE_ENDIAN);
      tables.memtable().add(1, ValueKind.VALUE, source, 0, 8, 8, writeBufferSize);
      tables.makeRoom(0, 0, true);
      int waiting = tables.stallInputs().waitingMemTables();
      states.close();
      tables.close();
      wal.close();
      set.close();
      return waiting;
    }
  }

  @Test
  void waitingMemTables_areTwoIfTheyAreSmallAndTheLimitHasRoomForAThird() throws IOException {
    assertThat(maxWaiting(64 << 10, 0)).isEqualTo(2);
    assertThat(maxWaiting(8 << 20, 0)).isEqualTo(2);
    assertThat(maxWaiting((8 << 20) + 1, 0)).isEqualTo(1);
    long jobs = (1 + Options.DEFAULT.compaction().maxBackground()) * SharedResourcesImpl.JOB_BYTES;
    long least = 3 * (64 << 10) + (1 << 20) + jobs;
    assertThat(maxWaiting(64 << 10, least)).isEqualTo(2);
    assertThat(maxWaiting(64 << 10, least - 1)).isEqualTo(1);
  }

  /** As if there were no memory for the state. */
  @Test
  void makeRoom_whoseStateCannotBePublished_changesNothing() throws IOException {
    memTables.makeRoom(16, 1, false);
    add();
    MemTable before = memTables.memtable();
    long log = currentLog();
    readStates.close();
    assertThatThrownBy(() -> memTables.makeRoom(16, 1, true)).isInstanceOf(DBClosedException.class);
    assertThat(memTables.memtable()).isSameAs(before);
    assertThat(memTables.oldestImmutable()).isNull();
    assertThat(memTables.stallInputs().waitingMemTables()).isZero();
    assertThat(currentLog()).isEqualTo(log);
    assertThat(errors.isOpen()).isTrue();
  }

  @Test
  void makeRoom_whoseStateCannotBePublishedForALargerMemtable_changesNothing() throws IOException {
    memTables.makeRoom(16, 1, false);
    MemTable before = memTables.memtable();
    readStates.close();
    assertThatThrownBy(() -> memTables.makeRoom(100_000, 1, true))
        .isInstanceOf(DBClosedException.class);
    assertThat(memTables.memtable()).isSameAs(before);
    assertThat(errors.isOpen()).isTrue();
  }
}
