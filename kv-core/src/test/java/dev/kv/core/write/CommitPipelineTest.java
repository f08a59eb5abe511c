package dev.kv.core.write;

import static dev.kv.core.Bytes.bytes;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import com.sun.management.ThreadMXBean;
import dev.kv.bytes.DBComparator;
import dev.kv.core.Call;
import dev.kv.core.CutFile;
import dev.kv.core.CutsMappedFile;
import dev.kv.core.batch.BatchCursor;
import dev.kv.core.batch.EncodedBatch;
import dev.kv.core.event.Events;
import dev.kv.core.key.InternalKey;
import dev.kv.core.key.LookupKey;
import dev.kv.core.memory.MemoryKind;
import dev.kv.core.memory.OffHeapBudget;
import dev.kv.core.write.FakeTarget.Group;
import dev.kv.errors.ComparatorException;
import dev.kv.errors.DBClosedException;
import dev.kv.errors.DBIOException;
import dev.kv.errors.DBReadOnlyException;
import dev.kv.errors.OffHeapExhaustedException;
import dev.kv.errors.OutcomeUnknownException;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicIntegerArray;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.DisabledIfSystemProperty;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@Timeout(60)
final class CommitPipelineTest {
  private static final int ARENA = 4 << 20;

  private final FakeTarget target = new FakeTarget(ARENA);
  private final ErrorHandler errors = new ErrorHandler(new Events("db", null));
  private final CommitPipeline pipeline = target.pipeline(errors, 0);
  private final List<Call> calls = new ArrayList<>();

  @AfterEach
  void endThreads() throws InterruptedException {
    for (Call call : calls) {
      call.thread().join(30_000);
      assertThat(call.thread().isAlive()).isFalse();
    }
  }

  // Exclusive access.

  @Test
  void takeSequence_withExclusiveAccess_logsItAndTheNextAndSyncs() throws IOException {
    pipeline.put(bytes("a"), bytes("1"), false);
    try (ExclusiveWriter writer = pipeline.exclusive()) {
      assertThat(writer.takeSequence()).isEqualTo(2);
      assertThat(pipeline.lastSequence()).isEqualTo(1);
      assertThat(target.file().syncs()).isEqualTo(1);
      assertThat(target.olderLogSyncs).isEqualTo(1);
      writer.publish();
      assertThat(pipeline.lastSequence()).isEqualTo(2);
    }
    pipeline.put(bytes("b"), bytes("1"), false);
    assertThat(target.groups())
        .containsExactly(new Group(1, 1), new Group(2, 0), new Group(3, 0), new Group(3, 1));
  }

  @Test
  void takeSequence_thatIsNotPublished_isUsedUp() {
    assertThatThrownBy(
            () -> {
              try (ExclusiveWriter writer = pipeline.exclusive()) {
                writer.takeSequence();
                throw new IllegalMonitorStateException();
              }
            })
        .isInstanceOf(IllegalMonitorStateException.class);
    assertThat(pipeline.lastSequence()).isEqualTo(1);
    pipeline.put(bytes("b"), bytes("1"), false);
    assertThat(pipeline.lastSequence()).isEqualTo(2);
  }

  @Test
  void takeSequence_withALogThatFails_endsWriting() {
    target.olderLogsFailure = new IOException("simulated");
    try (ExclusiveWriter writer = pipeline.exclusive()) {
      assertThatThrownBy(writer::takeSequence)
          .isExactlyInstanceOf(DBIOException.class)
          .hasMessageContaining("nothing was changed");
    }
    assertThat(errors.isFailedPermanently()).isTrue();
    assertThatThrownBy(pipeline::exclusive).isInstanceOf(DBReadOnlyException.class);
    assertThat(pipeline.tryExclusive()).isNull();
  }

  @Test
  void exclusive_besideWriters_keepsThemWaiting() throws Exception {
    Call waiting;
    try (ExclusiveWriter writer = pipeline.exclusive()) {
      waiting = waiting(() -> pipeline.put(bytes("a"), bytes("1"), false));
      assertThat(pipeline.tryExclusive()).isNull();
      writer.takeSequence();
      writer.publish();
    }
    assertThat(waiting.outcome()).isNull();
    assertThat(target.groups()).containsExactly(new Group(1, 0), new Group(2, 0), new Group(2, 1));
  }

  @Test
  void exclusive_ofAClosedPipeline_throws() {
    pipeline.close();
    assertThatThrownBy(pipeline::exclusive).isInstanceOf(DBClosedException.class);
    assertThat(pipeline.tryExclusive()).isNull();
  }

  @Test
  void tryExclusive_refused_letsOthersFindOut() {
    errors.fail("a test", new IOException("simulated"));
    for (int i = 0; i < 2; i++) {
      assertThat(pipeline.tryExclusive()).isNull();
      assertThatThrownBy(() -> pipeline.put(bytes("a"), bytes("1"), false))
          .isInstanceOf(DBReadOnlyException.class);
    }
  }

  @Test
  void exclusive_amongWaitingWriters_takesItsTurn() throws Exception {
    target.file().blockNextAppend();
    call(() -> pipeline.put(bytes("a"), bytes("1"), false));
    target.file().awaitBlocked();
    waiting(() -> pipeline.put(bytes("b"), bytes("2"), false));
    waiting(
        () -> {
          try (ExclusiveWriter writer = pipeline.exclusive()) {
            assertThat(writer.lastSequence()).isEqualTo(2);
            writer.write(batchOf("c"));
          }
        });
    waiting(() -> pipeline.put(bytes("d"), bytes("4"), false));
    target.file().unblock();
    endThreads();

    for (Call each : calls) {
      assertThat(each.outcome()).isNull();
    }
    assertThat(target.groups())
        .containsExactly(new Group(1, 1), new Group(2, 1), new Group(3, 1), new Group(4, 1));
  }

  @Test
  void write_withExclusiveAccess_isSyncedAndVisible() throws IOException {
    pipeline.put(bytes("a"), bytes("1"), false);
    try (ExclusiveWriter writer = pipeline.exclusive()) {
      writer.write(batchOf("b").delete(bytes("a")));
      assertThat(writer.lastSequence()).isEqualTo(3);
      assertThat(target.file().syncs()).isEqualTo(1);
      assertThat(target.get("a", 3)).isNull();
      assertThat(target.get("b", 3)).isEqualTo("v");
    }
    assertThat(target.groups()).containsExactly(new Group(1, 1), new Group(2, 2));
  }

  @Test
  void write_withExclusiveAccessThatDoesNotFitTheMemTable_switches() {
    pipeline.put(bytes("a"), bytes("1"), false);
    try (ExclusiveWriter writer = pipeline.exclusive()) {
      writer.write(new EncodedBatch().put(bytes("b"), new byte[ARENA]));
    }
    assertThat(target.memtables).hasSize(2);
    assertThat(target.get("b", 2)).hasSize(ARENA);
  }

  @Test
  void write_withExclusiveAccessThatFails_endsWriting() throws IOException {
    pipeline.put(bytes("a"), bytes("1"), false);
    IOException cause = new IOException("1.log: fsync");
    target.file().syncFailure = cause;
    try (ExclusiveWriter writer = pipeline.exclusive()) {
      assertThatThrownBy(() -> writer.write(batchOf("b")))
          .isInstanceOf(OutcomeUnknownException.class)
          .hasMessageContaining("unknown")
          .hasCause(cause);
      assertThatThrownBy(() -> writer.write(batchOf("c"))).isInstanceOf(DBReadOnlyException.class);
      assertThatThrownBy(writer::switchMemTable).isInstanceOf(DBReadOnlyException.class);
      assertThatThrownBy(writer::takeSequence).isInstanceOf(DBReadOnlyException.class);
    }
    assertReadOnlySince(cause);
  }

  @Test
  void confirm_afterTakeSequence_logsTheNumberAgainAndSyncs() throws IOException {
    try (ExclusiveWriter writer = pipeline.exclusive()) {
      writer.takeSequence();
      writer.confirm();
      assertThat(target.file().syncs()).isEqualTo(2);
      assertThat(pipeline.lastSequence()).isZero();
      writer.publish();
    }
    pipeline.put(bytes("b"), bytes("1"), false);
    assertThat(target.groups())
        .containsExactly(new Group(1, 0), new Group(2, 0), new Group(1, 0), new Group(2, 1));
  }

  @Test
  void confirm_withALogThatFails_endsWritingAndSaysThatTheChangeIsMade() {
    IOException cause = new IOException("1.log: fsync");
    try (ExclusiveWriter writer = pipeline.exclusive()) {
      writer.takeSequence();
      target.file().syncFailure = cause;
      assertThatThrownBy(writer::confirm)
          .isInstanceOf(DBIOException.class)
          .hasMessageContaining("is in the MANIFEST")
          .hasCause(cause);
    }
    assertThat(errors.isFailedPermanently()).isTrue();
    assertThat(errors.failure()).isSameAs(cause);
  }

  @Test
  void takeSequence_whereThereIsNoLog_beginsIt() throws IOException {
    target.hasLog = false;
    try (ExclusiveWriter writer = pipeline.exclusive()) {
      writer.takeSequence();
      assertThat(target.beginnings).isEqualTo(1);
    }
    assertThat(target.groups()).containsExactly(new Group(1, 0), new Group(2, 0));
  }

  /** Its second batch without operations has the next number. */
  @Test
  void takeSequence_withOneNumberLeft_isRefused() throws IOException {
    FakeTarget old = new FakeTarget(ARENA);
    CommitPipeline last = old.pipeline(errors, InternalKey.MAX_SEQUENCE - 1);
    try (ExclusiveWriter writer = last.exclusive()) {
      assertThatThrownBy(writer::takeSequence).isInstanceOf(DBReadOnlyException.class);
    }
    assertThat(old.groups()).isEmpty();
    last = old.pipeline(errors, InternalKey.MAX_SEQUENCE - 2);
    try (ExclusiveWriter writer = last.exclusive()) {
      assertThat(writer.takeSequence()).isEqualTo(InternalKey.MAX_SEQUENCE - 1);
    }
  }

  @Test
  void requireLog_whereThereIsNone_beginsItOnce() {
    target.hasLog = false;
    try (ExclusiveWriter writer = pipeline.exclusive()) {
      writer.requireLog();
      writer.requireLog();
    }
    assertThat(target.beginnings).isEqualTo(1);
    assertThat(target.memtables).hasSize(1);
  }

  @Test
  void switchMemTableIfPossible_givesTheMemoryOfALargeGroupBack() {
    pipeline.put(bytes("a"), new byte[100_000], false);
    assertThat(target.budget.used(MemoryKind.WRITE_BUFFER)).isGreaterThan(100_000);
    try (ExclusiveWriter writer = pipeline.exclusive()) {
      writer.switchMemTableIfPossible();
    }
    assertThat(target.budget.used(MemoryKind.WRITE_BUFFER)).isZero();
    assertThat(target.memtables).hasSize(2);
    pipeline.put(bytes("b"), bytes("2"), false);
    assertThat(target.get("b", 2)).isEqualTo("2");
  }

  /** A range of tombstones ends before the first put into it, and a deletion changes nothing. */
  @Test
  void put_intoARangeThatSeeksSkip_shortensIt() {
    pipeline.put(bytes("a"), bytes("1"), false);
    for (int i = 0; i < 2; i++) { // the first one begins the watch, and the second one is proved
      pipeline.skips().offer(bytes("b"), bytes("y"), 1, 0);
    }
    assertThat(skips("n", 1)).isTrue();
    pipeline.delete(bytes("e"), false);
    pipeline.put(bytes("z"), bytes("1"), false);
    assertThat(skips("n", 3)).isTrue();
    pipeline.write(new EncodedBatch().delete(bytes("c")).put(bytes("m"), bytes("1")), false);
    assertThat(skips("n", 5)).isFalse();
    assertThat(skips("d", 5)).isTrue();
  }

  private boolean skips(String key, long sequence) {
    try (LookupKey lookup = new LookupKey(target.budget)) {
      lookup.set(bytes(key), sequence);
      return pipeline.skips().find(lookup, sequence, 0) != null;
    }
  }

  // One thread.

  @Test
  void write_ofAnyKind_isToldToTheTarget() {
    pipeline.put(bytes("a"), bytes("1"), false);
    assertThat(target.committed).isEqualTo(1);
    assertThat(target.committedSynced).isZero();
    pipeline.write(batchOf("b").delete(bytes("a")), true);
    assertThat(target.committed).isEqualTo(3);
    assertThat(target.committedSynced).isEqualTo(3);
    pipeline.write(batchOf("c"), false);
    pipeline.write(new EncodedBatch(), true);
    assertThat(target.committedSynced).isEqualTo(4);
    assertThat(target.commits).isEqualTo(4);
  }

  @Test
  void loggedBytes_isTheLengthOfAllRecords() {
    assertThat(pipeline.loggedBytes()).isZero();
    pipeline.put(bytes("a"), bytes("1"), false);
    assertThat(pipeline.loggedBytes()).isEqualTo(12 + 5);
    pipeline.delete(bytes("a"), false);
    assertThat(pipeline.loggedBytes()).isEqualTo(12 + 5 + 12 + 3);
    pipeline.write(new EncodedBatch(), true);
    assertThat(pipeline.loggedBytes()).isEqualTo(12 + 5 + 12 + 3);
  }

  @Test
  void put_of64KiB_asksWhetherToFlushEarly() {
    int overhead = 1 + 1 + 1 + 3; // kind, key length, key, value length
    pipeline.put(bytes("a"), new byte[(64 << 10) - overhead - 1], false);
    assertThat(target.earlyFlushes).isZero();
    pipeline.put(bytes("a"), new byte[(64 << 10) - overhead], false);
    assertThat(target.earlyFlushes).isEqualTo(1);
  }

  @Test
  void delete_ofManyKeysInARow_asksWhetherToFlushEarly() {
    for (int i = 0; target.earlyFlushes == 0; i++) {
      assertThat(i).isLessThan(40_000);
      pipeline.delete(bytes("key" + (1_000_000 + i)), false);
    }
    assertThat(target.memtable().hasManyTombstones()).isTrue();
  }

  @Test
  void put_byOneThread_isLoggedAppliedAndPublished() throws IOException {
    pipeline.put(bytes("a"), bytes("1"), false);
    pipeline.put(ByteBuffer.wrap(bytes("xb"), 1, 1), direct("2"), false);
    pipeline.delete(bytes("a"), false);
    pipeline.delete(direct("missing"), false);

    assertThat(pipeline.lastSequence()).isEqualTo(4);
    assertThat(target.get("a", 2)).isEqualTo("1");
    assertThat(target.get("a", 4)).isNull();
    assertThat(target.get("b", 4)).isEqualTo("2");
    assertThat(target.groups())
        .containsExactly(new Group(1, 1), new Group(2, 1), new Group(3, 1), new Group(4, 1));
    assertThat(target.file().syncs()).isZero();
  }

  @Test
  void put_ofBuffers_leavesTheirPositions() {
    ByteBuffer key = ByteBuffer.wrap(bytes("xkey"), 1, 3);
    ByteBuffer value = direct("value");
    pipeline.put(key, value, false);
    assertThat(key.position()).isEqualTo(1);
    assertThat(value.position()).isZero();
    assertThat(target.get("key", 1)).isEqualTo("value");
  }

  @Test
  void write_ofABatch_takesASequenceNumberPerOperation() throws IOException {
    EncodedBatch batch = new EncodedBatch();
    batch.put(bytes("a"), bytes("1"));
    batch.put(bytes("a"), bytes("2"));
    pipeline.write(batch, false);
    pipeline.put(bytes("b"), bytes("3"), false);

    assertThat(target.groups()).containsExactly(new Group(1, 2), new Group(3, 1));
    assertThat(target.get("a", 1)).isEqualTo("1");
    assertThat(target.get("a", 2)).isEqualTo("2");
    assertThat(target.get("b", 3)).isEqualTo("3");
  }

  @Test
  void write_ofAnEmptyBatch_logsNothing() throws IOException {
    pipeline.write(new EncodedBatch(), false);
    assertThat(target.groups()).isEmpty();
    assertThat(pipeline.lastSequence()).isZero();
  }

  @Test
  void write_ofAnEmptyBatchWithSync_syncsWhatCameBefore() throws IOException {
    pipeline.put(bytes("a"), bytes("1"), false);
    pipeline.write(new EncodedBatch(), true);
    assertThat(target.file().syncs()).isEqualTo(1);
    assertThat(target.olderLogSyncs).isEqualTo(1);
    assertThat(target.groups()).containsExactly(new Group(1, 1));
  }

  @Test
  void put_withSync_syncsOlderLogsOnceForEachLog() {
    pipeline.put(bytes("a"), bytes("1"), true);
    pipeline.put(bytes("b"), bytes("1"), true);
    assertThat(target.olderLogSyncs).isEqualTo(1);
    switchMemTable();
    pipeline.put(bytes("c"), bytes("1"), false);
    assertThat(target.olderLogSyncs).isEqualTo(1);
    pipeline.put(bytes("d"), bytes("1"), true);
    assertThat(target.olderLogSyncs).isEqualTo(2);
  }

  @Test
  void put_largerThanAnArena_getsALargerOne() {
    byte[] value = new byte[3 * ARENA];
    pipeline.put(bytes("a"), bytes("1"), false);
    pipeline.put(bytes("large"), value, false);
    pipeline.put(bytes("b"), bytes("2"), false);
    assertThat(target.get("large", 3)).hasSize(value.length);
    assertThat(target.get("b", 3)).isEqualTo("2");
  }

  @Test
  void put_intoAFullMemtable_switches() {
    byte[] value = new byte[100_000];
    for (int i = 0; i < 100; i++) {
      pipeline.put(bytes("key" + i), value, false);
    }
    assertThat(target.memtables).hasSizeBetween(3, 5);
    assertThat(pipeline.lastSequence()).isEqualTo(100);
    for (int i = 0; i < 100; i++) {
      assertThat(target.get("key" + i, 100)).hasSize(value.length);
    }
  }

  @Test
  void write_whereThereIsNoLog_beginsItOnce() throws IOException {
    target.hasLog = false;
    pipeline.write(new EncodedBatch(), false);
    assertThat(target.beginnings).isZero();
    pipeline.write(new EncodedBatch(), true);
    assertThat(target.beginnings).isEqualTo(1);
    pipeline.put(bytes("a"), bytes("1"), false);
    pipeline.put(bytes("b"), bytes("1"), true);
    switchMemTable();
    assertThat(target.beginnings).isEqualTo(1);
    assertThat(target.groups()).containsExactly(new Group(1, 1), new Group(2, 1));
    assertThat(pipeline.lastSequence()).isEqualTo(2);
  }

  @Test
  void put_whereThereIsNoLog_beginsItBeforeAnythingIsLogged() throws IOException {
    target.hasLog = false;
    target.beginFailure = new IOException("no space");
    for (int i = 0; i < 2; i++) {
      assertThatThrownBy(() -> pipeline.put(bytes("a"), bytes("1"), true))
          .isExactlyInstanceOf(DBIOException.class)
          .hasMessageContaining("was not done")
          .hasMessageContaining("may be tried again")
          .hasCause(target.beginFailure);
    }
    assertThat(target.groups()).isEmpty();
    assertThat(pipeline.lastSequence()).isZero();
    target.beginFailure = null;
    pipeline.put(bytes("a"), bytes("1"), true);
    assertThat(target.beginnings).isEqualTo(3);
    assertThat(target.groups()).containsExactly(new Group(1, 1));
  }

  @Test
  void put_whoseFirstLogCannotBeNamed_saysThatItWasNotDone() throws IOException {
    target.hasLog = false;
    target.beginFailure = new DBIOException("cannot write the MANIFEST", new IOException("broken"));
    target.beforeBegin = () -> errors.fail("a test", target.beginFailure);
    assertThatThrownBy(() -> pipeline.put(bytes("a"), bytes("1"), false))
        .isExactlyInstanceOf(DBIOException.class)
        .hasMessageContaining("was not done")
        .hasMessageContaining("until it is opened again")
        .hasMessageContaining("cannot write the MANIFEST");
    assertThatThrownBy(() -> pipeline.put(bytes("a"), bytes("1"), false))
        .isInstanceOf(DBReadOnlyException.class);
    assertThatThrownBy(this::switchMemTable).isInstanceOf(DBReadOnlyException.class);
    assertThat(target.beginnings).isEqualTo(1);
    assertThat(target.groups()).isEmpty();
  }

  @Test
  void put_whoseManifestCannotBeCreated_mayBeTriedAgain() throws IOException {
    target.hasLog = false;
    target.beginFailure = new DBIOException("cannot create the MANIFEST", new IOException("full"));
    assertThatThrownBy(() -> pipeline.put(bytes("a"), bytes("1"), false))
        .isExactlyInstanceOf(DBIOException.class)
        .hasMessageContaining("was not done")
        .hasMessageContaining("may be tried again")
        .hasCause(target.beginFailure);
    target.beginFailure = null;
    pipeline.put(bytes("a"), bytes("1"), true);
    assertThat(target.groups()).containsExactly(new Group(1, 1));
  }

  @Test
  void switchMemTable_whereThereIsNoLog_beginsIt() {
    target.hasLog = false;
    switchMemTable();
    assertThat(target.beginnings).isEqualTo(1);
    assertThat(target.memtables).hasSize(1);
    switchMemTable();
    assertThat(target.beginnings).isEqualTo(1);
  }

  @Test
  void switchMemTable_whereItIsEmpty_doesNothing() {
    switchMemTable();
    assertThat(target.memtables).hasSize(1);
    pipeline.put(bytes("a"), bytes("1"), false);
    switchMemTable();
    assertThat(target.memtables).hasSize(2);
  }

  @Test
  void put_atTheLastSequenceNumber_isRefusedForEver() throws IOException {
    FakeTarget old = new FakeTarget(ARENA);
    CommitPipeline last = old.pipeline(errors, InternalKey.MAX_SEQUENCE - 1);
    last.put(bytes("a"), bytes("1"), false);
    assertThat(last.lastSequence()).isEqualTo(InternalKey.MAX_SEQUENCE);
    assertThatThrownBy(() -> last.put(bytes("b"), bytes("2"), false))
        .isInstanceOf(DBReadOnlyException.class);
    assertThat(old.groups()).hasSize(1);
  }

  @Test
  void put_ofNull_leavesThePipelineUsable() {
    assertThatThrownBy(() -> pipeline.put((byte[]) null, bytes("1"), false))
        .isInstanceOf(NullPointerException.class);
    assertThatThrownBy(() -> pipeline.put(bytes("a"), (byte[]) null, false))
        .isInstanceOf(NullPointerException.class);
    assertThatThrownBy(() -> pipeline.write(null, false)).isInstanceOf(NullPointerException.class);
    pipeline.put(bytes("a"), bytes("1"), false);
    assertThat(pipeline.lastSequence()).isEqualTo(1);
  }

  @Test
  void put_withoutRoomForAMemtable_isNotLoggedAndMayBeTriedAgain() throws IOException {
    target.switchFailure = new OffHeapExhaustedException("full");
    byte[] large = new byte[ARENA];
    assertThatThrownBy(() -> pipeline.put(bytes("a"), large, false)).isSameAs(target.switchFailure);
    assertThat(target.groups()).isEmpty();
    assertThat(pipeline.lastSequence()).isZero();

    target.switchFailure = null;
    pipeline.put(bytes("a"), large, false);
    assertThat(pipeline.lastSequence()).isEqualTo(1);
  }

  /** Returns a pipeline whose group, and nothing else, is limited by {@code budget}. */
  private CommitPipeline pipeline(OffHeapBudget budget, long lastSequence) {
    return new CommitPipeline(
        target,
        target.stallInputs,
        errors,
        lastSequence,
        target.comparator.userComparator(),
        budget,
        new Events("db", null));
  }

  /** The memory of its memtable may be what it waits for. */
  @Test
  void put_withoutRoomForTheGroup_waitsForItWithAnEmptyMemtable() throws IOException {
    OffHeapBudget budget = new OffHeapBudget(64 << 20);
    CommitPipeline limited = pipeline(budget, 0);
    limited.put(bytes("a"), bytes("1"), false);
    long taken = budget.limit() - budget.used();
    budget.reserve(MemoryKind.MEMTABLE, taken);
    target.duringMemoryWait =
        () -> {
          assertThat(target.memtables).hasSize(2);
          assertThat(target.memtable().isEmpty()).isTrue();
          assertThat(target.memtable().ensureRoomFor(100_000, 1)).isTrue();
          budget.release(MemoryKind.MEMTABLE, taken);
        };
    limited.put(bytes("b"), new byte[100_000], false);
    assertThat(target.groups()).containsExactly(new Group(1, 1), new Group(2, 1));
    target.duringMemoryWait = () -> assertThat(budget.used()).as("it waits no more").isZero();
    limited.put(bytes("c"), new byte[100_000], false);
    assertThat(target.memtables).hasSize(2);
  }

  @Test
  void takeSequence_withoutRoomForItsRecords_waitsForItAsAPutDoes() throws IOException {
    pipeline.put(bytes("a"), bytes("1"), false);
    OffHeapBudget budget = new OffHeapBudget(64 << 20);
    CommitPipeline limited = pipeline(budget, 1);
    long taken = budget.limit() - budget.used();
    budget.reserve(MemoryKind.MEMTABLE, taken);
    target.duringMemoryWait =
        () -> {
          assertThat(target.memtable().isEmpty()).isTrue();
          budget.release(MemoryKind.MEMTABLE, taken);
        };
    try (ExclusiveWriter writer = limited.exclusive()) {
      assertThat(writer.takeSequence()).isEqualTo(2);
      writer.publish();
    }
    assertThat(target.groups()).containsExactly(new Group(1, 1), new Group(2, 0), new Group(3, 0));
    assertThat(errors.isOpen()).isTrue();
  }

  @Test
  void takeSequence_whoseRecordsFindNoMemory_takesNone() throws IOException {
    OffHeapBudget budget = new OffHeapBudget(64 << 20);
    CommitPipeline limited = pipeline(budget, 0);
    long taken = budget.limit() - budget.used();
    budget.reserve(MemoryKind.MEMTABLE, taken);
    try (ExclusiveWriter writer = limited.exclusive()) {
      assertThatThrownBy(writer::takeSequence).isInstanceOf(OffHeapExhaustedException.class);
      assertThat(limited.lastSequence()).isZero();
      budget.release(MemoryKind.MEMTABLE, taken);
      assertThat(writer.takeSequence()).as("tried again").isEqualTo(1);
    }
    assertThat(target.groups()).containsExactly(new Group(1, 0), new Group(2, 0));
  }

  @Test
  void put_byOneThread_allocatesNothing() {
    target.file().keepsContents = false;
    byte[] key = new byte[16];
    byte[] value = new byte[100];
    ByteBuffer keyBuffer = ByteBuffer.allocateDirect(16);
    ByteBuffer valueBuffer = ByteBuffer.allocateDirect(100);
    ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
    long id = Thread.currentThread().getId();
    long least = Long.MAX_VALUE;
    for (int round = 0; round < 10; round++) {
      long before = threads.getThreadAllocatedBytes(id);
      for (int i = 0; i < 1000; i++) {
        pipeline.put(key, value, false);
        pipeline.put(keyBuffer, valueBuffer, false);
        pipeline.delete(key, false);
        pipeline.delete(keyBuffer, false);
      }
      least = Math.min(least, threads.getThreadAllocatedBytes(id) - before);
    }
    assertThat(least).as("bytes for 4000 writes").isLessThan(1000);
  }

  // Failures.

  @Test
  void put_whoseAppendFails_isOfUnknownOutcomeAndTheLast() throws IOException {
    pipeline.put(bytes("a"), bytes("1"), false);
    IOException cause = new IOException("1.log: no space");
    target.file().appendFailure = cause;
    assertThatThrownBy(() -> pipeline.put(bytes("b"), bytes("2"), false))
        .isInstanceOf(OutcomeUnknownException.class)
        .hasMessageContaining("unknown")
        .hasCause(cause);
    assertReadOnlySince(cause);
    assertThat(target.get("b", InternalKey.MAX_SEQUENCE)).isNull();
  }

  @Test
  void put_whoseSyncFails_isOfUnknownOutcomeAndTheLast() throws IOException {
    pipeline.put(bytes("a"), bytes("1"), false);
    IOException cause = new IOException("1.log: fsync");
    target.file().syncFailure = cause;
    assertThatThrownBy(() -> pipeline.put(bytes("b"), bytes("2"), true))
        .isInstanceOf(OutcomeUnknownException.class)
        .hasCause(cause);
    assertReadOnlySince(cause);
  }

  @Test
  void put_whoseOlderLogsCannotBeSynced_isTheLast() throws IOException {
    pipeline.put(bytes("a"), bytes("1"), false);
    target.olderLogsFailure = new IOException("fsync of the older log");
    assertThatThrownBy(() -> pipeline.put(bytes("b"), bytes("2"), true))
        .isInstanceOf(OutcomeUnknownException.class)
        .hasCause(target.olderLogsFailure);
    assertReadOnlySince(target.olderLogsFailure);
  }

  @Test
  void put_whoseAppendThrowsAnError_isTheLast() throws IOException {
    pipeline.put(bytes("a"), bytes("1"), false);
    InternalError cause = new InternalError("a fault at a store into a mapping");
    target.file().appendFailure = cause;
    assertThatThrownBy(() -> pipeline.put(bytes("b"), bytes("2"), false)).hasCause(cause);
    assertReadOnlySince(cause);
  }

  @Test
  void put_whoseComparatorThrows_isInTheLogAndSeenByNobody() throws IOException {
    AtomicBoolean broken = new AtomicBoolean();
    DBComparator order =
        DBComparator.ofArrays(
            "test",
            (a, b) -> {
              if (broken.get()) {
                throw new IllegalStateException("simulated");
              }
              return Arrays.compareUnsigned(a, b);
            });
    FakeTarget ordered = new FakeTarget(ARENA, new OffHeapBudget(0), order);
    CommitPipeline commits = ordered.pipeline(errors, 0);
    commits.put(bytes("a"), bytes("1"), false);
    broken.set(true);
    assertThatThrownBy(() -> commits.put(bytes("b"), bytes("2"), false))
        .isInstanceOf(ComparatorException.class)
        .hasMessageContaining("the write is in the log")
        .hasRootCauseMessage("simulated");
    assertThat(commits.lastSequence()).isEqualTo(1);
    assertThat(ordered.groups()).containsExactly(new Group(1, 1), new Group(2, 1));
    assertThat(errors.isFailedPermanently()).isTrue();
  }

  /** The followers must be woken in any case. */
  @Test
  void put_whoseFailureCannotBeReported_failsWithBoth() {
    IllegalStateException listeners = new IllegalStateException("from a listener");
    errors.onChange(
        () -> {
          throw listeners;
        });
    IOException cause = new IOException("1.log: no space");
    target.file().appendFailure = cause;
    assertThatThrownBy(() -> pipeline.put(bytes("a"), bytes("1"), false))
        .isInstanceOf(OutcomeUnknownException.class)
        .hasCause(cause);
    assertThat(cause).hasSuppressedException(listeners);
    assertThatThrownBy(() -> pipeline.put(bytes("a"), bytes("1"), false))
        .isInstanceOf(DBReadOnlyException.class);
  }

  @Test
  void notLogged_ofAShortageOfMemory_saysThatMemoryIsShort() {
    assertThat(CommitPipeline.notLogged(new IOException("no space left")))
        .isExactlyInstanceOf(DBIOException.class)
        .hasMessageContaining("may be tried again");
    assertThat(CommitPipeline.notLogged(new IOException(new OffHeapExhaustedException("full"))))
        .isInstanceOf(OffHeapExhaustedException.class)
        .hasMessageContaining("may be tried again");
  }

  private void assertReadOnlySince(Throwable cause) throws IOException {
    target.file().appendFailure = null;
    target.file().syncFailure = null;
    assertThat(errors.failure()).isSameAs(cause);
    assertThat(pipeline.lastSequence()).isEqualTo(1);
    assertThat(target.get("a", 1)).isEqualTo("1");
    assertThatThrownBy(() -> pipeline.put(bytes("c"), bytes("3"), false))
        .isInstanceOf(DBReadOnlyException.class)
        .hasCause(cause);
    assertThatThrownBy(() -> pipeline.write(new EncodedBatch(), true))
        .isInstanceOf(DBReadOnlyException.class);
    assertThatThrownBy(() -> pipeline.write(new EncodedBatch(), false))
        .isInstanceOf(DBReadOnlyException.class);
    assertThatThrownBy(this::switchMemTable).isInstanceOf(DBReadOnlyException.class);
  }

  @Test
  void append_thatFails_refusesTheWritersThatWait() throws Exception {
    target.file().blockNextAppend();
    Call first = call(() -> pipeline.put(bytes("a"), bytes("1"), false));
    target.file().awaitBlocked();
    Call second = waiting(() -> pipeline.put(bytes("b"), bytes("2"), false));
    Call third = waiting(() -> pipeline.put(bytes("c"), bytes("3"), false));
    Call sync = waiting(() -> pipeline.put(bytes("d"), bytes("4"), true));
    IOException cause = new IOException("1.log: no space");
    FakeFile file = target.file();
    // The first append passes: it asks for a failure after it was unblocked. So let it be the one
    // that fails.
    file.appendFailure = cause;
    file.unblock();

    assertThat(first.outcome()).isInstanceOf(OutcomeUnknownException.class).hasCause(cause);
    for (Call later : List.of(second, third, sync)) {
      assertThat(later.outcome()).isInstanceOf(DBReadOnlyException.class).hasCause(cause);
    }
  }

  @Test
  void followers_ofAFailedLeader_getTheFailureEachInItsOwnException() throws Exception {
    fallBehind();
    byte[] large = new byte[ARENA];
    Call leader = call(() -> pipeline.put(bytes("a"), large, false));
    awaitStop(1);
    Call second = waiting(() -> pipeline.put(bytes("b"), bytes("2"), false));
    // Too large a leader takes nobody along; so let the second lead the third.
    Call third = waiting(() -> pipeline.put(bytes("c"), bytes("3"), false));
    target.stallInputs.setWaitingMemTables(0);
    IOException cause = new IOException("2.log: no space");
    target.failNextLogFromItsSecondAppend(cause);
    pipeline.progress();

    assertThat(leader.outcome()).isNull();
    for (Call each : List.of(second, third)) {
      assertThat(each.outcome())
          .isInstanceOf(OutcomeUnknownException.class)
          .hasCause(cause)
          .hasMessageContaining("unknown");
    }
    assertThat(second.outcome()).isNotSameAs(third.outcome());
    assertThat(pipeline.lastSequence()).isEqualTo(2);
  }

  /** The JVM throws one error again and again if there is no memory for another one. */
  @Test
  void followers_ofAFailureThatIsThrownAgainAsItIsReported_areWoken() throws Exception {
    OutOfMemoryError cause = new OutOfMemoryError("simulated");
    errors.onChange(
        () -> {
          throw cause;
        });
    target.file().blockNextAppend();
    Call first = call(() -> pipeline.put(bytes("a"), bytes("1"), false));
    target.file().awaitBlocked();
    Call leader = waiting(() -> pipeline.put(bytes("b"), bytes("2"), false));
    Call follower = waiting(() -> pipeline.put(bytes("c"), bytes("3"), false));
    target.file().laterAppendFailure = cause;
    target.file().unblock();
    assertThat(first.outcome()).isNull();
    for (Call each : List.of(leader, follower)) {
      assertThat(each.outcome()).isInstanceOf(OutcomeUnknownException.class).hasCause(cause);
    }
    assertThat(cause).hasNoSuppressedExceptions();
    assertThatThrownBy(() -> pipeline.put(bytes("d"), bytes("4"), false))
        .isInstanceOf(DBReadOnlyException.class);
  }

  // Groups.

  @Test
  void writers_thatWaited_areCommittedInOrderAsOneGroup() throws Exception {
    target.file().blockNextAppend();
    call(() -> pipeline.put(bytes("k"), bytes("0"), false));
    target.file().awaitBlocked();
    for (int i = 1; i <= 5; i++) {
      byte[] value = bytes(Integer.toString(i));
      waiting(() -> pipeline.put(bytes("k"), value, false));
    }
    target.file().unblock();
    endThreads();

    assertThat(target.groups()).containsExactly(new Group(1, 1), new Group(2, 5));
    for (int i = 0; i <= 5; i++) {
      assertThat(target.get("k", i + 1)).isEqualTo(Integer.toString(i));
    }
  }

  @Test
  void syncWriter_behindOneWithoutSync_leadsItsOwnGroup() throws Exception {
    target.file().blockNextAppend();
    call(() -> pipeline.put(bytes("a"), bytes("1"), false));
    target.file().awaitBlocked();
    waiting(() -> pipeline.put(bytes("b"), bytes("2"), false));
    waiting(() -> pipeline.put(bytes("c"), bytes("3"), true));
    waiting(() -> pipeline.put(bytes("d"), bytes("4"), false));
    waiting(() -> pipeline.put(bytes("e"), bytes("5"), true));
    target.file().unblock();
    endThreads();

    assertThat(target.groups()).containsExactly(new Group(1, 1), new Group(2, 1), new Group(3, 3));
    assertThat(target.file().syncs()).isEqualTo(1);
  }

  @Test
  void smallLeader_takesNoMoreThanItsSizeAnd128KiB() throws Exception {
    target.file().blockNextAppend();
    call(() -> pipeline.put(bytes("a"), bytes("1"), false));
    target.file().awaitBlocked();
    waiting(() -> pipeline.put(bytes("b"), new byte[1000], false));
    waiting(() -> pipeline.put(bytes("c"), new byte[100 << 10], false));
    waiting(() -> pipeline.put(bytes("d"), new byte[100 << 10], false));
    waiting(() -> pipeline.put(bytes("e"), new byte[1000], false));
    target.file().unblock();
    endThreads();

    assertThat(target.groups()).containsExactly(new Group(1, 1), new Group(2, 2), new Group(4, 2));
  }

  /** A write is counted with the most that a key and a value take: 11 bytes. */
  @Test
  void smallLeader_takesExactlyItsSizeAnd128KiB() throws Exception {
    target.file().blockNextAppend();
    call(() -> pipeline.put(bytes("a"), bytes("1"), false));
    target.file().awaitBlocked();
    byte[] fits = new byte[(128 << 10) - 1 - 11];
    byte[] tooLarge = new byte[(128 << 10) - 11];
    waiting(() -> pipeline.put(bytes("b"), bytes("2"), false));
    waiting(() -> pipeline.put(bytes("c"), fits, false));
    waiting(() -> pipeline.put(bytes("d"), bytes("4"), false));
    waiting(() -> pipeline.put(bytes("e"), tooLarge, false));
    target.file().unblock();
    endThreads();

    assertThat(target.groups())
        .containsExactly(new Group(1, 1), new Group(2, 2), new Group(4, 1), new Group(5, 1));
  }

  @Test
  void leaderOf128KiB_isSmall() throws Exception {
    target.file().blockNextAppend();
    call(() -> pipeline.put(bytes("a"), bytes("1"), false));
    target.file().awaitBlocked();
    int overhead = 1 + 1 + 1 + 3; // kind, key length, key, value length
    waiting(() -> pipeline.put(bytes("b"), new byte[(128 << 10) - overhead], false));
    waiting(() -> pipeline.put(bytes("c"), new byte[150 << 10], false));
    target.file().unblock();
    endThreads();

    assertThat(target.groups()).containsExactly(new Group(1, 1), new Group(2, 1), new Group(3, 1));
  }

  @Test
  void group_upToTheLastSequenceNumber_takesNoMoreThanThat() throws Exception {
    FakeTarget old = new FakeTarget(ARENA);
    CommitPipeline last = old.pipeline(errors, InternalKey.MAX_SEQUENCE - 3);
    old.file().blockNextAppend();
    call(() -> last.put(bytes("a"), bytes("1"), false));
    old.file().awaitBlocked();
    Call second = waiting(() -> last.put(bytes("b"), bytes("2"), false));
    Call third = waiting(() -> last.put(bytes("c"), bytes("3"), false));
    Call fourth = waiting(() -> last.put(bytes("d"), bytes("4"), false));
    old.file().unblock();

    assertThat(second.outcome()).isNull();
    assertThat(third.outcome()).isNull();
    assertThat(fourth.outcome()).isInstanceOf(DBReadOnlyException.class);
    assertThat(last.lastSequence()).isEqualTo(InternalKey.MAX_SEQUENCE);
    assertThat(old.groups())
        .containsExactly(
            new Group(InternalKey.MAX_SEQUENCE - 2, 1), new Group(InternalKey.MAX_SEQUENCE - 1, 2));
  }

  @Test
  void follower_withoutMemoryForItsOperations_failsAlone() throws Exception {
    FakeTarget small =
        new FakeTarget(ARENA, new OffHeapBudget(ARENA + (64 << 10)), DBComparator.bytewise());
    CommitPipeline limited = small.pipeline(errors, 0);
    small.file().blockNextAppend();
    call(() -> limited.put(bytes("a"), bytes("1"), false));
    small.file().awaitBlocked();
    Call before = waiting(() -> limited.put(bytes("b"), bytes("2"), false));
    Call large = waiting(() -> limited.put(bytes("c"), new byte[100 << 10], false));
    Call after = waiting(() -> limited.put(bytes("d"), bytes("4"), false));
    small.file().unblock();

    assertThat(before.outcome()).isNull();
    assertThat(large.outcome()).isInstanceOf(OffHeapExhaustedException.class);
    assertThat(after.outcome()).isNull();
    assertThat(small.groups()).containsExactly(new Group(1, 1), new Group(2, 1), new Group(3, 1));
    assertThat(errors.isOpen()).isTrue();
  }

  @Test
  void follower_whoseRoomFailsWithAnError_failsAlone() throws Exception {
    OffHeapBudget budget = new OffHeapBudget(ARENA + (64 << 10));
    FakeTarget small = new FakeTarget(ARENA, budget, DBComparator.bytewise());
    OutOfMemoryError error = new OutOfMemoryError("simulated");
    budget.onShortage(
        () -> {
          throw error;
        });
    CommitPipeline limited = small.pipeline(errors, 0);
    small.file().blockNextAppend();
    call(() -> limited.put(bytes("a"), bytes("1"), false));
    small.file().awaitBlocked();
    Call leader = waiting(() -> limited.put(bytes("b"), bytes("2"), false));
    Call follower = waiting(() -> limited.put(bytes("c"), bytes("3"), false));
    Call failing = waiting(() -> limited.put(bytes("d"), new byte[100 << 10], false));
    Call after = waiting(() -> limited.put(bytes("e"), bytes("5"), false));
    small.file().unblock();

    assertThat(leader.outcome()).isNull();
    assertThat(follower.outcome()).isNull();
    assertThat(failing.outcome()).isSameAs(error);
    assertThat(after.outcome()).isNull();
    assertThat(small.groups()).containsExactly(new Group(1, 1), new Group(2, 2), new Group(4, 1));
    assertThat(errors.isOpen()).isTrue();
  }

  @Test
  void largeLeader_takesNoMoreThanOneMiB() throws Exception {
    target.file().blockNextAppend();
    call(() -> pipeline.put(bytes("a"), bytes("1"), false));
    target.file().awaitBlocked();
    waiting(() -> pipeline.put(bytes("b"), new byte[600 << 10], false));
    waiting(() -> pipeline.put(bytes("c"), new byte[300 << 10], false));
    waiting(() -> pipeline.put(bytes("d"), new byte[300 << 10], false));
    target.file().unblock();
    endThreads();

    assertThat(target.groups()).containsExactly(new Group(1, 1), new Group(2, 2), new Group(4, 1));
  }

  @Test
  void group_thatWouldNotFitTheMemtable_endsWhereItIsFull() throws Exception {
    pipeline.put(bytes("a"), new byte[ARENA - (300 << 10)], false);
    target.file().blockNextAppend();
    call(() -> pipeline.put(bytes("b"), new byte[130 << 10], false));
    target.file().awaitBlocked();
    waiting(() -> pipeline.put(bytes("c"), new byte[100 << 10], false));
    waiting(() -> pipeline.put(bytes("d"), new byte[100 << 10], false));
    target.file().unblock();
    endThreads();

    assertThat(target.memtables).hasSize(2);
    assertThat(target.groups())
        .containsExactly(new Group(1, 1), new Group(2, 1), new Group(3, 1), new Group(4, 1));
    assertThat(target.get("d", 4)).hasSize(100 << 10);
  }

  @Test
  void followers_ofEveryKind_areWritten() throws Exception {
    target.file().blockNextAppend();
    call(() -> pipeline.put(bytes("a"), bytes("1"), false));
    target.file().awaitBlocked();
    EncodedBatch batch = new EncodedBatch();
    batch.put(bytes("b"), bytes("2"));
    batch.put(bytes("c"), bytes("3"));
    waiting(() -> pipeline.write(batch, false));
    waiting(() -> pipeline.put(direct("d"), direct("4"), false));
    waiting(() -> pipeline.delete(bytes("a"), false));
    waiting(() -> pipeline.delete(direct("b"), false));
    target.file().unblock();
    endThreads();

    assertThat(target.groups()).containsExactly(new Group(1, 1), new Group(2, 5));
    assertThat(target.get("a", 6)).isNull();
    assertThat(target.get("b", 6)).isNull();
    assertThat(target.get("c", 6)).isEqualTo("3");
    assertThat(target.get("d", 6)).isEqualTo("4");
  }

  /** The group knows where the only operation is: it must not take that of the refused one. */
  @Test
  void follower_thatIsRefusedAfterOneOperation_leavesThatOperation() throws Exception {
    pipeline.put(bytes("other"), bytes("old"), false);
    target.file().blockNextAppend();
    call(() -> pipeline.put(bytes("a"), bytes("1"), false));
    target.file().awaitBlocked();
    ByteBuffer changed = ByteBuffer.allocate(1 << 20).limit(10);
    Call leader = waiting(() -> pipeline.put(bytes("b"), bytes("2"), false));
    Call refused = waiting(() -> pipeline.put(ByteBuffer.wrap(bytes("other")), changed, false));
    changed.limit(1 << 20);
    target.file().unblock();
    assertThat(leader.outcome()).isNull();
    assertThat(refused.outcome()).isInstanceOf(IllegalStateException.class);
    assertThat(target.get("b", 3)).isEqualTo("2");
    assertThat(target.get("other", 3)).isEqualTo("old");
  }

  /** The copy fails after the key was copied, when the group still has a single operation. */
  @Test
  @CutsMappedFile
  void follower_whoseCopyFailsAfterOneOperation_leavesThatOperation(@TempDir Path temp)
      throws Exception {
    ByteBuffer cut = CutFile.map(temp.resolve("value"));
    pipeline.put(bytes("other"), bytes("old"), false);
    target.file().blockNextAppend();
    call(() -> pipeline.put(bytes("a"), bytes("1"), false));
    target.file().awaitBlocked();
    Call leader = waiting(() -> pipeline.put(bytes("b"), bytes("2"), false));
    Call refused = waiting(() -> pipeline.put(ByteBuffer.wrap(bytes("other")), cut, false));
    target.file().unblock();
    assertThat(leader.outcome()).isNull();
    assertThat(refused.outcome()).isInstanceOf(IllegalStateException.class);
    assertThat(target.get("b", 3)).isEqualTo("2");
    assertThat(target.get("other", 3)).isEqualTo("old");
  }

  @Test
  void follower_whoseBufferIsChangedMeanwhile_isRefusedAlone() throws Exception {
    target.file().blockNextAppend();
    call(() -> pipeline.put(bytes("a"), bytes("1"), false));
    target.file().awaitBlocked();
    ByteBuffer grown = ByteBuffer.allocate(1 << 20).limit(10);
    Call before = waiting(() -> pipeline.put(bytes("b"), bytes("2"), false));
    Call misused = waiting(() -> pipeline.put(direct("c"), grown, false));
    Call after = waiting(() -> pipeline.put(bytes("d"), bytes("4"), false));
    grown.limit(1 << 20);
    target.file().unblock();

    assertThat(before.outcome()).isNull();
    assertThat(misused.outcome()).isInstanceOf(IllegalStateException.class);
    assertThat(after.outcome()).isNull();
    assertThat(target.groups()).containsExactly(new Group(1, 1), new Group(2, 2));
    assertThat(target.get("d", 3)).isEqualTo("4");
  }

  /** Only the thread of a confined arena can read its buffers. */
  @Test
  void followers_whoseBuffersOnlyTheirThreadsCanRead_areWritten() throws Exception {
    assumeTrue(Runtime.version().feature() >= 22, "java.lang.foreign is not final");
    target.file().blockNextAppend();
    call(() -> pipeline.put(bytes("a"), bytes("1"), false));
    target.file().awaitBlocked();
    Call put =
        waiting(() -> inAnArena(arena -> pipeline.put(in(arena, "b"), in(arena, "2"), false)));
    Call value = waiting(() -> inAnArena(arena -> pipeline.put(direct("c"), in(arena, ""), false)));
    Call delete = waiting(() -> inAnArena(arena -> pipeline.delete(in(arena, "a"), false)));
    Call after = waiting(() -> pipeline.put(bytes("d"), bytes("4"), false));
    target.file().unblock();

    for (Call each : List.of(put, value, delete, after)) {
      assertThat(each.outcome()).isNull();
    }
    assertThat(target.get("a", 5)).isNull();
    assertThat(target.get("b", 5)).isEqualTo("2");
    assertThat(target.get("c", 5)).isEmpty();
    assertThat(target.get("d", 5)).isEqualTo("4");
  }

  private interface ArenaBody {
    void run(AutoCloseable arena) throws Exception;
  }

  private static void inAnArena(ArenaBody body) throws Exception {
    try (AutoCloseable arena =
        (AutoCloseable)
            Class.forName("java.lang.foreign.Arena").getMethod("ofConfined").invoke(null)) {
      body.run(arena);
    }
  }

  private static ByteBuffer in(AutoCloseable arena, String text) throws Exception {
    Object segment =
        Class.forName("java.lang.foreign.SegmentAllocator")
            .getMethod("allocate", long.class)
            .invoke(arena, text.length());
    ByteBuffer buffer =
        (ByteBuffer)
            Class.forName("java.lang.foreign.MemorySegment")
                .getMethod("asByteBuffer")
                .invoke(segment);
    return buffer.put(0, bytes(text));
  }

  /** The JVM would throw an Error for it some time later, in the leader, and end the writing. */
  @Test
  @DisabledIfSystemProperty(
      named = "os.arch",
      matches = "aarch64",
      disabledReason = "the JVM ends if a large copy meets a missing page")
  void followers_whoseMappedFilesAreCutMeanwhile_areRefusedAlone(@TempDir Path temp)
      throws Exception {
    try (FileChannel channel = channel(temp)) {
      ByteBuffer mapped = channel.map(FileChannel.MapMode.READ_WRITE, 0, 40_000);
      ByteBuffer key = mapped.slice(20_000, 10);
      for (int round = 0; round < 20; round++) {
        channel.truncate(0);
        channel.write(ByteBuffer.allocate(1), 39_999);
        target.file().blockNextAppend();
        call(() -> pipeline.put(bytes("a"), bytes("1"), false));
        target.file().awaitBlocked();
        Call before = waiting(() -> pipeline.put(bytes("b"), bytes("2"), false));
        Call value = waiting(() -> pipeline.put(direct("c"), mapped, false));
        Call put = waiting(() -> pipeline.put(key, direct("3"), false));
        Call delete = waiting(() -> pipeline.delete(key, false));
        Call after = waiting(() -> pipeline.put(bytes("d"), bytes("4"), false));
        channel.truncate(0);
        target.file().unblock();

        assertThat(before.outcome()).isNull();
        assertThat(after.outcome()).isNull();
        for (Call each : List.of(value, put, delete)) {
          assertThat(each.outcome())
              .isInstanceOf(IllegalStateException.class)
              .hasRootCauseInstanceOf(InternalError.class);
        }
        assertThat(pipeline.lastSequence()).isEqualTo(3 * (round + 1));
      }
      assertThat(errors.isOpen()).isTrue();
    }
  }

  @Test
  @DisabledIfSystemProperty(
      named = "os.arch",
      matches = "aarch64",
      disabledReason = "the JVM ends if a large copy meets a missing page")
  void put_ofAMappedFileThatIsCut_isNotDone_andLaterWritesAre(@TempDir Path temp) throws Exception {
    ByteBuffer mapped = CutFile.map(temp.resolve("value"));
    EncodedBatch batch = new EncodedBatch();
    for (int round = 0; round < 200; round++) {
      for (ByteBuffer cut : List.of(mapped, mapped.slice(30_000, 1))) {
        assertThatThrownBy(() -> pipeline.put(direct("c"), cut, false))
            .isInstanceOf(IllegalStateException.class)
            .hasMessageContaining("cut short");
        assertThatThrownBy(() -> pipeline.put(cut, direct("c"), false))
            .isInstanceOf(IllegalStateException.class);
        assertThatThrownBy(() -> pipeline.delete(cut, false))
            .isInstanceOf(IllegalStateException.class);
        assertThatThrownBy(() -> batch.put(direct("c"), cut))
            .isInstanceOf(IllegalStateException.class)
            .hasMessageContaining("cut short");
        assertThatThrownBy(() -> batch.delete(cut)).isInstanceOf(IllegalStateException.class);
      }
      batch.put(direct("b"), mapped.slice(0, 10));
      pipeline.write(batch, false);
      batch.clear();
      pipeline.put(direct("a"), mapped.slice(0, 3_000), false);
      pipeline.put(direct("empty"), mapped.slice(0, 0), false);
    }
    assertThat(pipeline.lastSequence()).isEqualTo(600);
    assertThat(target.get("a", 600)).hasSize(3_000);
  }

  private static FileChannel channel(Path temp) throws IOException {
    return FileChannel.open(
        temp.resolve("value"),
        StandardOpenOption.CREATE,
        StandardOpenOption.READ,
        StandardOpenOption.WRITE);
  }

  /** The last byte of a copy out of a direct buffer is also the mark that finds a fault. */
  @Test
  void put_ofDirectBuffersWithAnyLastByte_storesIt() {
    for (int last = 0; last < 256; last++) {
      byte[] value = {1, 2, (byte) last};
      pipeline.put(direct("k"), ByteBuffer.allocateDirect(3).put(0, value), false);
      EncodedBatch batch = new EncodedBatch();
      batch.put(direct("l"), ByteBuffer.allocateDirect(3).put(0, value));
      pipeline.write(batch, false);
      String expected = new String(value, StandardCharsets.ISO_8859_1);
      assertThat(target.get("k", 2L * last + 1)).isEqualTo(expected);
      assertThat(target.get("l", 2L * last + 2)).isEqualTo(expected);
    }
  }

  @Test
  void fourThreads_writingAtOnce_loseAndRepeatNothing() throws Exception {
    int each = Boolean.getBoolean("kv.long") ? 500_000 : 5_000;
    for (int t = 0; t < 4; t++) {
      int thread = t;
      call(
          () -> {
            for (int i = 0; i < each; i++) {
              pipeline.put(bytes(thread + "-" + i), bytes("v" + i), i % 500 == 0);
            }
          });
    }
    endThreads();

    for (Call call : calls) {
      assertThat(call.outcome()).isNull();
    }
    assertThat(pipeline.lastSequence()).isEqualTo(4L * each);
    long next = 1;
    for (Group group : target.groups()) {
      assertThat(group.sequence()).isEqualTo(next);
      next += group.count();
    }
    assertThat(next).isEqualTo(4L * each + 1);
    for (int t = 0; t < 4; t++) {
      for (int i = 0; i < each; i += 97) {
        assertThat(target.get(t + "-" + i, next)).isEqualTo("v" + i);
      }
    }
  }

  /**
   * Without waiting for each other they would take turns, and need a sync for every two writes. No
   * sync ends before all of them write, however late the system lets them; its time is that for
   * which the next leader waits.
   */
  @Test
  void fourThreads_writingWithSync_shareSyncs() throws Exception {
    int total = 100;
    AtomicInteger begun = new AtomicInteger();
    target.file().syncMillis = 10;
    target.file().duringSync =
        () -> {
          long writing = Math.min(total, pipeline.lastSequence() + 4);
          while (begun.get() < writing) {
            Thread.yield();
          }
        };
    for (int t = 0; t < 4; t++) {
      byte[] key = bytes("thread" + t);
      call(
          () -> {
            while (begun.incrementAndGet() <= total) {
              pipeline.put(key, key, true);
            }
          });
    }
    endThreads();
    for (Call call : calls) {
      assertThat(call.outcome()).isNull();
    }
    assertThat(pipeline.lastSequence()).isEqualTo(total);
    assertThat(target.file().syncs()).isBetween(total / 4, total * 3 / 8);
  }

  /**
   * Until each has written enough, and not for a time: the system may keep a thread from its
   * processor for a while.
   */
  @Test
  void fourThreads_writingAtOnce_allMakeProgress() throws Exception {
    target.file().keepsContents = false;
    int wanted = 2000;
    AtomicIntegerArray counts = new AtomicIntegerArray(4);
    CyclicBarrier start = new CyclicBarrier(4);
    for (int t = 0; t < 4; t++) {
      int thread = t;
      byte[] key = bytes("thread" + t);
      call(
          () -> {
            start.await();
            while (least(counts) < wanted && pipeline.lastSequence() < 200L * wanted) {
              pipeline.put(key, key, false);
              counts.incrementAndGet(thread);
            }
          });
    }
    endThreads();
    long total = 0;
    for (int t = 0; t < counts.length(); t++) {
      assertThat(calls.get(t).outcome()).isNull();
      assertThat(counts.get(t)).as("writes of each: %s", counts).isGreaterThanOrEqualTo(wanted);
      total += counts.get(t);
    }
    assertThat(pipeline.lastSequence()).isEqualTo(total);
  }

  private static int least(AtomicIntegerArray counts) {
    int least = Integer.MAX_VALUE;
    for (int i = 0; i < counts.length(); i++) {
      least = Math.min(least, counts.get(i));
    }
    return least;
  }

  // Conditions.

  /** What the check of a condition may return. */
  private static final WriteOutcome[] CHECKED = {
    WriteOutcome.DONE, WriteOutcome.CONFLICT, WriteOutcome.STALE
  };

  /** A condition with a fixed outcome, which keeps what it was asked. */
  private static final class FixedCondition implements CommitCondition {
    private final WriteOutcome outcome;
    private final int size;
    final List<String> asked = new ArrayList<>();

    FixedCondition(WriteOutcome outcome) {
      this(outcome, 1);
    }

    FixedCondition(WriteOutcome outcome, int size) {
      this.outcome = outcome;
      this.size = size;
    }

    @Override
    public WriteOutcome check(long lastSequence, BatchCursor earlier) {
      StringBuilder keys = new StringBuilder();
      while (earlier.next()) {
        byte[] key = new byte[earlier.keyLength()];
        earlier.buffer().get(earlier.keyOffset(), key);
        keys.append(new String(key, StandardCharsets.ISO_8859_1));
      }
      asked.add(lastSequence + ":" + keys);
      return outcome;
    }

    @Override
    public int size() {
      return size;
    }
  }

  private static EncodedBatch batchOf(String key) {
    return new EncodedBatch().put(bytes(key), bytes("v"));
  }

  @Test
  void write_ofOneThreadUnderACondition_isDoneOnlyIfItHolds() throws IOException {
    pipeline.put(bytes("a"), bytes("1"), false);
    for (WriteOutcome outcome : CHECKED) {
      FixedCondition condition = new FixedCondition(outcome);
      long before = pipeline.lastSequence();
      assertThat(pipeline.write(batchOf("b"), false, condition)).isEqualTo(outcome);
      assertThat(condition.asked).containsExactly(before + ":");
    }
    assertThat(target.groups()).containsExactly(new Group(1, 1), new Group(2, 1));
    pipeline.put(bytes("c"), bytes("3"), false);
    assertThat(pipeline.lastSequence()).isEqualTo(3);
  }

  @Test
  void write_ofAnEmptyBatchUnderACondition_checksItAndSyncs() throws IOException {
    pipeline.put(bytes("a"), bytes("1"), false);
    for (WriteOutcome outcome : CHECKED) {
      FixedCondition condition = new FixedCondition(outcome);
      assertThat(pipeline.write(new EncodedBatch(), true, condition)).isEqualTo(outcome);
      assertThat(condition.asked).hasSize(1);
    }
    assertThat(target.groups()).containsExactly(new Group(1, 1));
    assertThat(target.file().syncs()).isEqualTo(1);
  }

  @Test
  void followers_underConditions_seeTheGroupAndFailAlone() throws Exception {
    target.file().blockNextAppend();
    call(() -> pipeline.put(bytes("a"), bytes("1"), false));
    target.file().awaitBlocked();
    FixedCondition holds = new FixedCondition(WriteOutcome.DONE);
    FixedCondition fails = new FixedCondition(WriteOutcome.CONFLICT);
    FixedCondition stale = new FixedCondition(WriteOutcome.STALE);
    List<WriteOutcome> verdicts = Collections.synchronizedList(new ArrayList<>());
    waiting(() -> pipeline.put(bytes("b"), bytes("2"), false));
    waiting(() -> verdicts.add(pipeline.write(batchOf("c"), false, fails)));
    waiting(() -> verdicts.add(pipeline.write(batchOf("d"), false, holds)));
    waiting(() -> verdicts.add(pipeline.write(batchOf("e"), false, stale)));
    waiting(() -> pipeline.delete(bytes("f"), false));
    target.file().unblock();
    endThreads();

    assertThat(verdicts).containsExactlyInAnyOrder(CHECKED);
    assertThat(fails.asked).containsExactly("1:b");
    assertThat(holds.asked).containsExactly("1:b");
    assertThat(stale.asked).containsExactly("1:bd");
    assertThat(target.groups()).containsExactly(new Group(1, 1), new Group(2, 3));
    assertThat(target.get("c", 4)).isNull();
    assertThat(target.get("d", 4)).isEqualTo("v");
    for (Call call : calls) {
      assertThat(call.outcome()).isNull();
    }
  }

  /** It would otherwise read the old value after it was told of the new one. */
  @Test
  void follower_whoseConditionFails_isToldAfterTheGroupIsVisible() throws Exception {
    target.file().blockNextAppend();
    call(() -> pipeline.put(bytes("a"), bytes("1"), false));
    target.file().awaitBlocked();
    target.file().blockNextSync();
    waiting(() -> pipeline.put(bytes("b"), bytes("2"), true));
    FixedCondition fails = new FixedCondition(WriteOutcome.CONFLICT);
    Call conflicting =
        waiting(
            () -> {
              pipeline.write(batchOf("c"), false, fails);
              assertThat(pipeline.lastSequence()).isEqualTo(2);
            });
    FakeFile file = target.file();
    file.unblock(); // of the first append; the sync of the next group blocks
    file.awaitBlocked();
    assertThat(fails.asked).containsExactly("1:b");
    conflicting.awaitParked();
    file.unblock();
    assertThat(conflicting.outcome()).isNull();
  }

  @Test
  void follower_whoseConditionFailsInAGroupThatFails_startsAgain() throws Exception {
    fallBehind();
    Call leader = call(() -> pipeline.put(bytes("a"), new byte[ARENA], false));
    awaitStop(1);
    Call second = waiting(() -> pipeline.put(bytes("b"), bytes("2"), false));
    List<WriteOutcome> verdicts = Collections.synchronizedList(new ArrayList<>());
    FixedCondition fails = new FixedCondition(WriteOutcome.CONFLICT);
    waiting(() -> verdicts.add(pipeline.write(batchOf("c"), false, fails)));
    target.stallInputs.setWaitingMemTables(0);
    target.failNextLogFromItsSecondAppend(new IOException("no space"));
    pipeline.progress();
    endThreads();

    assertThat(leader.outcome()).isNull();
    assertThat(second.outcome()).isInstanceOf(OutcomeUnknownException.class);
    assertThat(fails.asked).containsExactly("2:b");
    assertThat(verdicts).containsExactly(WriteOutcome.STALE);
  }

  @Test
  void follower_whoseCheckThrows_isRefusedAlone() throws Exception {
    target.file().blockNextAppend();
    call(() -> pipeline.put(bytes("a"), bytes("1"), false));
    target.file().awaitBlocked();
    ComparatorException thrown = new ComparatorException("a comparator threw", null);
    CommitCondition condition =
        new CommitCondition() {
          @Override
          public WriteOutcome check(long lastSequence, BatchCursor earlier) {
            throw thrown;
          }

          @Override
          public int size() {
            return 1;
          }
        };
    Call before = waiting(() -> pipeline.put(bytes("b"), bytes("2"), false));
    Call failing = waiting(() -> pipeline.write(batchOf("c"), false, condition));
    Call after = waiting(() -> pipeline.put(bytes("d"), bytes("4"), false));
    target.file().unblock();

    assertThat(before.outcome()).isNull();
    assertThat(failing.outcome()).isSameAs(thrown);
    assertThat(after.outcome()).isNull();
    assertThat(target.groups()).containsExactly(new Group(1, 1), new Group(2, 2));
    assertThatThrownBy(() -> pipeline.write(batchOf("c"), false, condition)).isSameAs(thrown);
    pipeline.put(bytes("e"), bytes("5"), false);
    assertThat(pipeline.lastSequence()).isEqualTo(4);
  }

  /** The others of the group would wait for the comparisons. */
  @Test
  void follower_withALargeCondition_leadsTheNextGroup() throws Exception {
    target.file().blockNextAppend();
    call(() -> pipeline.put(bytes("a"), bytes("1"), false));
    target.file().awaitBlocked();
    FixedCondition small = new FixedCondition(WriteOutcome.DONE, 4095);
    FixedCondition large = new FixedCondition(WriteOutcome.DONE, 4096);
    waiting(() -> pipeline.put(bytes("b"), bytes("2"), false));
    waiting(() -> pipeline.write(batchOf("c"), false, small));
    waiting(() -> pipeline.write(batchOf("d"), false, large));
    waiting(() -> pipeline.put(bytes("e"), bytes("5"), false));
    target.file().unblock();
    endThreads();

    assertThat(small.asked).containsExactly("1:b");
    assertThat(large.asked).containsExactly("3:");
    assertThat(target.groups()).containsExactly(new Group(1, 1), new Group(2, 2), new Group(4, 2));
  }

  // Interrupts and the close.

  @Test
  void put_ofAnInterruptedThread_isDoneAndTheFlagStays() throws Exception {
    Call call =
        call(
            () -> {
              Thread.currentThread().interrupt();
              pipeline.put(bytes("a"), bytes("1"), true);
              assertThat(Thread.currentThread().isInterrupted()).isTrue();
            });
    assertThat(call.outcome()).isNull();
    assertThat(pipeline.lastSequence()).isEqualTo(1);
  }

  @Test
  void follower_interruptedWhileItWaits_isDoneAndTheFlagStays() throws Exception {
    target.file().blockNextAppend();
    call(() -> pipeline.put(bytes("a"), bytes("1"), false));
    target.file().awaitBlocked();
    Call follower =
        waiting(
            () -> {
              pipeline.put(bytes("b"), bytes("2"), false);
              assertThat(Thread.currentThread().isInterrupted()).isTrue();
            });
    follower.thread().interrupt();
    follower.awaitParked();
    target.file().unblock();
    assertThat(follower.outcome()).isNull();
    assertThat(target.get("b", 2)).isEqualTo("2");
  }

  @Test
  void stoppedLeader_interrupted_goesOnWaiting() throws Exception {
    fallBehind();
    Call leader =
        call(
            () -> {
              pipeline.put(bytes("a"), new byte[ARENA], false);
              assertThat(Thread.currentThread().isInterrupted()).isTrue();
            });
    awaitStop(1);
    leader.thread().interrupt();
    leader.awaitParked();
    assertThat(pipeline.lastSequence()).isEqualTo(1);
    target.stallInputs.setWaitingMemTables(0);
    pipeline.progress();
    assertThat(leader.outcome()).isNull();
    assertThat(pipeline.lastSequence()).isEqualTo(2);
  }

  @Test
  void close_whileWritersWait_endsEachOfThem() throws Exception {
    fallBehind();
    Call leader = call(() -> pipeline.put(bytes("a"), new byte[ARENA], false));
    awaitStop(1);
    Call follower = waiting(() -> pipeline.put(bytes("b"), bytes("2"), false));
    Call flush = waiting(this::switchMemTable);
    pipeline.close();

    for (Call call : List.of(leader, follower, flush)) {
      assertThat(call.outcome()).isInstanceOf(DBClosedException.class);
    }
    assertThat(target.groups()).hasSize(1);
    assertThatThrownBy(() -> pipeline.put(bytes("c"), bytes("3"), false))
        .isInstanceOf(DBClosedException.class);
    assertThatThrownBy(() -> pipeline.write(new EncodedBatch(), false))
        .isInstanceOf(DBClosedException.class);
  }

  @Test
  void close_duringAnAppend_waitsForIt() throws Exception {
    target.file().blockNextAppend();
    Call leader = call(() -> pipeline.put(bytes("a"), bytes("1"), false));
    target.file().awaitBlocked();
    Call close = waiting(pipeline::close);
    assertThat(pipeline.lastSequence()).isZero();
    target.file().unblock();
    assertThat(close.outcome()).isNull();
    assertThat(leader.outcome()).isNull();
    assertThat(pipeline.lastSequence()).isEqualTo(1);
  }

  @Test
  void close_givesTheCommitBufferBack() {
    long memtables = target.budget.used(MemoryKind.MEMTABLE);
    pipeline.put(bytes("a"), bytes("1"), false);
    assertThat(target.budget.used()).isGreaterThan(memtables);
    pipeline.close();
    assertThat(target.budget.used()).isEqualTo(memtables);
  }

  @Test
  void fail_fromTheBackground_endsAStoppedLeader() throws Exception {
    fallBehind();
    Call leader = call(() -> pipeline.put(bytes("a"), new byte[ARENA], false));
    awaitStop(1);
    IOException cause = new IOException("the flush failed");
    errors.fail("a test", cause);
    assertThat(leader.outcome()).isInstanceOf(DBReadOnlyException.class).hasCause(cause);
    errors.fail("a test", new IOException("a later one"));
    assertThat(errors.failure()).isSameAs(cause);
  }

  // Threads.

  /**
   * Makes a write that the memtable has no room for wait: there is an entry in it, and a flush is
   * behind.
   */
  private void fallBehind() {
    pipeline.put(bytes("0"), bytes("0"), false);
    target.stallInputs.setWaitingMemTables(1);
  }

  private Call call(Call.Body body) {
    Call call = Call.start(body);
    calls.add(call);
    return call;
  }

  /** Starts a thread and returns once it is parked. */
  private Call waiting(Call.Body body) throws InterruptedException {
    Call call = call(body);
    call.awaitParked();
    return call;
  }

  private void awaitStop(long stops) throws InterruptedException {
    long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(60);
    while (pipeline.stalls().stops() < stops) {
      assertThat(System.nanoTime()).as("no writer stops").isLessThan(end);
      Thread.sleep(1);
    }
  }

  private static ByteBuffer direct(String text) {
    byte[] bytes = bytes(text);
    return ByteBuffer.allocateDirect(bytes.length).put(0, bytes);
  }

  private void switchMemTable() {
    try (ExclusiveWriter writer = pipeline.exclusive()) {
      writer.switchMemTable();
    }
  }

  /** An Env in another language may throw one. */
  @ParameterizedTest
  @ValueSource(strings = {"array", "buffer", "delete"})
  void write_whoseRoomFailsWithACheckedException_leavesTheQueueToOthers(String way)
      throws Exception {
    Exception failure = new Exception("of an Env");
    target.roomFailure = failure;
    Call first =
        call(
            () -> {
              switch (way) {
                case "array" -> pipeline.put(bytes("a"), bytes("1"), false);
                case "buffer" -> pipeline.put(direct("a"), direct("1"), false);
                default -> pipeline.delete(bytes("a"), false);
              }
            });
    assertThat(first.outcome()).isSameAs(failure);
    Call second = call(() -> pipeline.put(bytes("b"), bytes("2"), false));
    assertThat(second.outcome()).isNull();
  }
}
