package dev.kv.core.read;

import static dev.kv.core.Bytes.bytes;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.sun.management.ThreadMXBean;
import dev.kv.DB;
import dev.kv.DBIterator;
import dev.kv.ReadOptions;
import dev.kv.Snapshot;
import dev.kv.bytes.DBComparator;
import dev.kv.bytes.Slice;
import dev.kv.core.Call;
import dev.kv.core.event.Events;
import dev.kv.core.iterator.TombstoneSkipIndex;
import dev.kv.core.key.InternalKeyComparator;
import dev.kv.core.key.ValueKind;
import dev.kv.core.memory.ArenaPool;
import dev.kv.core.memory.MemoryKind;
import dev.kv.core.memory.OffHeapBudget;
import dev.kv.core.memtable.MemTable;
import dev.kv.core.version.Version;
import dev.kv.errors.DBClosedException;
import java.lang.management.ManagementFactory;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Reads of memtables; what lies in tables is tested with the database. */
@Timeout(value = 60, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
final class DatabaseReaderTest {
  private final DBComparator comparator = new SlowComparator();
  private final InternalKeyComparator order = new InternalKeyComparator(DBComparator.bytewise());
  private final OffHeapBudget budget = new OffHeapBudget(0);
  private final ArenaPool arenas = new ArenaPool(budget);
  private final ReadStates states = new ReadStates();
  private final List<MemTable> memtables = new ArrayList<>();
  private volatile long last;
  private Runnable beforeNumberIsRead = () -> {};
  private final SnapshotList snapshots =
      new SnapshotList(
          () -> {
            Runnable hook = beforeNumberIsRead;
            beforeNumberIsRead = () -> {};
            hook.run();
            return last;
          });
  private final Version version = Version.empty(order, freed -> {});
  private final DatabaseReader reader =
      new DatabaseReader(
          states,
          snapshots,
          null,
          budget,
          new TombstoneSkipIndex(order.userComparator(), ranges -> {}),
          null,
          new Events("db", null),
          false);

  DatabaseReaderTest() {
    beginMemtable(order);
  }

  private void beginMemtable(InternalKeyComparator keys) {
    memtables.add(0, new MemTable(keys, arenas.acquire(1 << 20), arenas));
    states.publish(memtables, version);
  }

  private void add(ValueKind kind, String key, String value) {
    byte[] bytes = bytes(key + value);
    ByteBuffer source = ByteBuffer.allocateDirect(bytes.length).put(0, bytes);
    int split = bytes(key).length;
    memtables.get(0).add(last + 1, kind, source, 0, split, split, bytes.length - split);
    last++;
  }

  private void put(String key, String value) {
    add(ValueKind.VALUE, key, value);
  }

  private String get(ReadOptions options, String key) {
    byte[] value = reader.get(options, bytes(key));
    return value == null ? null : new String(value, StandardCharsets.UTF_8);
  }

  // Content that changes outside the log. Here another memtable takes the place of tables.

  private void replaceContent(String key, String value) {
    MemTable before = memtables.remove(0);
    memtables.add(0, new MemTable(order, arenas.acquire(1 << 20), arenas));
    put(key, value);
    long number = last--;
    snapshots.keepViews(
        states,
        () -> last = number,
        () -> {
          assertThat(last).isEqualTo(number);
          states.publish(List.of(memtables.get(0)), version);
        });
    before.release();
  }

  @Test
  void iterator_whoseStateIsReplacedBeforeItsNumberIsRead_showsTheNextState() {
    put("a", "1");
    beforeNumberIsRead = () -> replaceContent("b", "2");
    try (DBIterator cursor = reader.iterator(ReadOptions.DEFAULT)) {
      cursor.seekToFirst();
      assertThat(new String(cursor.key(), StandardCharsets.UTF_8)).isEqualTo("b");
      cursor.next();
      assertThat(cursor.isValid()).isFalse();
    }
  }

  @Test
  void snapshot_fromBeforeContentIsReplaced_keepsItsState() {
    put("a", "1");
    MemTable kept = memtables.get(0);
    SnapshotImpl first = reader.snapshot();
    SnapshotImpl second = reader.snapshot();
    replaceContent("b", "2");
    SnapshotImpl between = reader.snapshot();
    replaceContent("c", "3");
    assertThat(get(ReadOptions.at(first), "a")).isEqualTo("1");
    assertThat(get(ReadOptions.at(first), "b")).isNull();
    assertThat(get(ReadOptions.at(between), "a")).isNull();
    assertThat(get(ReadOptions.at(between), "b")).isEqualTo("2");
    assertThat(get(ReadOptions.DEFAULT, "c")).isEqualTo("3");

    first.close();
    assertThat(kept.references()).isPositive();
    DBIterator cursor = reader.iterator(ReadOptions.at(second));
    second.close();
    second.close();
    cursor.seekToFirst();
    assertThat(cursor.isValid()).isTrue();
    assertThat(kept.references()).isPositive();
    cursor.close();
    assertThat(kept.references()).isZero();
    between.close();
  }

  @Test
  void close_withSnapshotsThatKeepStates_releasesTheStates() {
    put("a", "1");
    MemTable kept = memtables.get(0);
    SnapshotImpl snapshot = reader.snapshot();
    replaceContent("b", "2");
    assertThat(kept.references()).isPositive();
    reader.close();
    assertThat(kept.references()).isZero();
    snapshot.close();
    assertThatThrownBy(() -> get(ReadOptions.at(snapshot), "a"))
        .isInstanceOf(DBClosedException.class);
  }

  // Lookups.

  @Test
  void get_ofAKeyInAnyMemtable_findsTheNewest() {
    put("a", "old");
    put("b", "1");
    beginMemtable(order);
    put("a", "new");
    add(ValueKind.DELETION, "b", "");
    beginMemtable(order);
    put("c", "3");
    assertThat(get(ReadOptions.DEFAULT, "a")).isEqualTo("new");
    assertThat(get(ReadOptions.DEFAULT, "b")).isNull();
    assertThat(get(ReadOptions.DEFAULT, "c")).isEqualTo("3");
    assertThat(get(ReadOptions.DEFAULT, "d")).isNull();
  }

  @Test
  void get_atASnapshot_seesWhatWasThere() {
    put("a", "1");
    try (Snapshot snapshot = reader.snapshot()) {
      put("a", "2");
      beginMemtable(order);
      add(ValueKind.DELETION, "a", "");
      assertThat(get(ReadOptions.at(snapshot), "a")).isEqualTo("1");
      assertThat(get(ReadOptions.DEFAULT, "a")).isNull();
    }
  }

  @Test
  void get_intoABuffer_copiesWhatFits() {
    put("key", "value");
    ByteBuffer key = ByteBuffer.wrap(bytes("xkey"), 1, 3);
    ByteBuffer heap = ByteBuffer.allocate(10).position(2);
    assertThat(reader.get(ReadOptions.DEFAULT, key, heap)).isEqualTo(5);
    assertThat(heap.position()).isEqualTo(7);
    assertThat(new String(heap.array(), 2, 5, StandardCharsets.UTF_8)).isEqualTo("value");
    assertThat(key.position()).isEqualTo(1);

    ByteBuffer small = ByteBuffer.allocateDirect(3);
    assertThat(reader.get(ReadOptions.DEFAULT, key, small)).isEqualTo(5);
    assertThat(small.position()).isEqualTo(3);
    assertThat(reader.get(ReadOptions.DEFAULT, ByteBuffer.wrap(bytes("no")), heap))
        .isEqualTo(DB.NOT_FOUND);
    assertThat(heap.position()).isEqualTo(7);
  }

  @Test
  void read_ofAValue_lendsItForTheCallOnly() {
    put("a", "value");
    List<Slice> kept = new ArrayList<>();
    String text =
        reader.read(
            ReadOptions.DEFAULT,
            bytes("a"),
            slice -> {
              kept.add(slice);
              return slice.toUtf8String() + get(ReadOptions.DEFAULT, "a");
            });
    assertThat(text).isEqualTo("valuevalue");
    assertThatThrownBy(kept.get(0)::length).isInstanceOf(IllegalStateException.class);
    assertThat(reader.<String>read(ReadOptions.DEFAULT, bytes("b"), slice -> "no")).isNull();
    IllegalMonitorStateException own = new IllegalMonitorStateException();
    assertThatThrownBy(
            () ->
                reader.read(
                    ReadOptions.DEFAULT,
                    bytes("a"),
                    slice -> {
                      throw own;
                    }))
        .isSameAs(own);
  }

  /** The view is pinned, so the value is found, and the caller is told all the same. */
  @ParameterizedTest
  @ValueSource(ints = {0, 1, 2, 3, 4, 5, 6})
  void lookup_duringWhichTheReaderIsClosed_throws(int which) {
    put("a", "1");
    ByteBuffer key = ByteBuffer.wrap(bytes("a"));
    ByteBuffer missing = ByteBuffer.wrap(bytes("b"));
    ByteBuffer into = ByteBuffer.allocate(10);
    List<Runnable> lookups =
        List.of(
            () -> reader.get(ReadOptions.DEFAULT, bytes("a")),
            () -> reader.get(ReadOptions.DEFAULT, key, into),
            () -> reader.get(ReadOptions.DEFAULT, missing, into),
            () -> reader.<String>read(ReadOptions.DEFAULT, bytes("b"), slice -> "no"),
            () -> reader.pinned(ReadOptions.DEFAULT, key),
            () -> reader.pinned(ReadOptions.DEFAULT, missing),
            () ->
                reader.read(
                    ReadOptions.DEFAULT,
                    bytes("a"),
                    slice -> {
                      reader.close();
                      return slice.toUtf8String();
                    }));
    beforeNumberIsRead = which == 6 ? () -> {} : reader::close;
    assertThatThrownBy(lookups.get(which)::run).isInstanceOf(DBClosedException.class);
    assertThat(memtables.get(0).references()).isEqualTo(1);
    assertThat(budget.used(MemoryKind.WRITE_BUFFER)).isZero();
  }

  @Test
  void get_intoABuffer_allocatesNothing() {
    put("key", "value");
    ByteBuffer key = ByteBuffer.allocateDirect(3).put(0, bytes("key"));
    ByteBuffer into = ByteBuffer.allocateDirect(100);
    ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
    long id = Thread.currentThread().getId();
    long least = Long.MAX_VALUE;
    for (int round = 0; round < 10; round++) {
      long before = threads.getThreadAllocatedBytes(id);
      for (int i = 0; i < 1000; i++) {
        reader.get(ReadOptions.DEFAULT, key, into.clear());
      }
      least = Math.min(least, threads.getThreadAllocatedBytes(id) - before);
    }
    assertThat(least).as("bytes for 1000 gets").isLessThan(1000);
  }

  // Iterators.

  @Test
  void iterator_whileTheDatabaseChanges_showsAFrozenView() {
    put("a", "1");
    put("b", "2");
    try (DBIterator iterator = reader.iterator(ReadOptions.DEFAULT)) {
      put("a", "later");
      beginMemtable(order);
      put("c", "3");
      add(ValueKind.DELETION, "b", "");
      assertThat(forward(iterator)).isEqualTo("a=1 b=2");
      assertThat(backward(iterator)).isEqualTo("b=2 a=1");
    }
    try (DBIterator iterator = reader.iterator(ReadOptions.DEFAULT)) {
      assertThat(forward(iterator)).isEqualTo("a=later c=3");
      assertThat(backward(iterator)).isEqualTo("c=3 a=later");
    }
  }

  @Test
  void iterator_movedOrReadWhereItIsInvalid_throws() {
    put("a", "1");
    try (DBIterator iterator = reader.iterator(ReadOptions.DEFAULT)) {
      for (Runnable use : uses(iterator)) {
        assertThatThrownBy(use::run).isInstanceOf(IllegalStateException.class);
      }
      iterator.seekToFirst();
      iterator.next();
      assertThat(iterator.isValid()).isFalse();
      for (Runnable use : uses(iterator)) {
        assertThatThrownBy(use::run).isInstanceOf(IllegalStateException.class);
      }
      iterator.seekToLast();
      assertThat(iterator.isValid()).isTrue();
    }
  }

  private static List<Runnable> uses(DBIterator iterator) {
    return List.of(
        iterator::next,
        iterator::prev,
        iterator::key,
        iterator::value,
        iterator::keySlice,
        iterator::valueSlice);
  }

  @Test
  void slices_ofAnIterator_endWithTheMoveAndAreTheSameObjects() {
    put("a", "1");
    put("b", "2");
    DBIterator iterator = reader.iterator(ReadOptions.DEFAULT);
    iterator.seekToFirst();
    Slice key = iterator.keySlice();
    Slice value = iterator.valueSlice();
    assertThat(key.toUtf8String() + value.toUtf8String()).isEqualTo("a1");
    iterator.next();
    assertThatThrownBy(key::length).isInstanceOf(IllegalStateException.class);
    assertThatThrownBy(value::length).isInstanceOf(IllegalStateException.class);
    assertThat(iterator.keySlice()).isSameAs(key);
    assertThat(iterator.valueSlice()).isSameAs(value);
    assertThat(key.toUtf8String() + value.toUtf8String()).isEqualTo("b2");
    iterator.prev();
    assertThat(iterator.keySlice().toUtf8String()).isEqualTo("a");
    iterator.close();
    assertThatThrownBy(key::length).isInstanceOf(IllegalStateException.class);
  }

  @Test
  void iterator_afterItsClose_throwsAndHoldsNothing() {
    put("a", "1");
    DBIterator iterator = reader.iterator(ReadOptions.DEFAULT);
    iterator.seekToFirst();
    iterator.close();
    iterator.close();
    assertThatThrownBy(iterator::isValid).isInstanceOf(IllegalStateException.class);
    assertThatThrownBy(iterator::seekToFirst).isInstanceOf(IllegalStateException.class);
    assertThatThrownBy(iterator::key).isInstanceOf(IllegalStateException.class);
    reader.close();
    assertThat(memtables.get(0).references()).isEqualTo(1);
  }

  @Test
  void close_ofTheReader_revokesIteratorsAndFreesTheirView() {
    put("a", "1");
    DBIterator iterator = reader.iterator(ReadOptions.DEFAULT);
    iterator.seekToFirst();
    Slice key = iterator.keySlice();
    Slice rest = key.suffix(0);
    Snapshot snapshot = reader.snapshot();
    beginMemtable(order);
    assertThat(memtables.get(1).references()).isEqualTo(3);
    reader.close();
    reader.close();

    assertThat(memtables.get(0).references()).isEqualTo(1);
    assertThat(memtables.get(1).references()).isEqualTo(1);
    assertThat(budget.used(MemoryKind.WRITE_BUFFER)).isZero();
    assertThatThrownBy(key::length).isInstanceOf(DBClosedException.class);
    assertThatThrownBy(() -> rest.byteAt(0)).isInstanceOf(DBClosedException.class);
    assertThat(List.of(key, rest)).asString().containsPattern("(.*after its window){2}");
    assertThatThrownBy(iterator::isValid).isInstanceOf(DBClosedException.class);
    for (Runnable use : uses(iterator)) {
      assertThatThrownBy(use::run).isInstanceOf(DBClosedException.class);
    }
    iterator.close();
    assertThatThrownBy(snapshot::sequence).isInstanceOf(DBClosedException.class);
    assertThatThrownBy(() -> get(ReadOptions.DEFAULT, "a")).isInstanceOf(DBClosedException.class);
    assertThatThrownBy(() -> reader.iterator(ReadOptions.DEFAULT))
        .isInstanceOf(DBClosedException.class);
    assertThat(budget.used(MemoryKind.WRITE_BUFFER)).isZero();
  }

  @Test
  void iterator_lostWithoutAClose_releasesWhatItPinsAfterItsCollection() {
    put("a", "1");
    loseIterators(20);
    try (DBIterator held = reader.iterator(ReadOptions.DEFAULT)) {
      held.seekToFirst();
      beginMemtable(order);
      awaitLeaked(20);
      assertThat(reader.openIterators()).isEqualTo(1);
      assertThat(memtables.get(1).references()).isEqualTo(3); // the test, and the cursor's two pins
      assertThat(new String(held.key(), StandardCharsets.UTF_8)).isEqualTo("a");
    }
    assertThat(reader.openIterators()).isZero();
    assertThat(reader.leakedIterators()).isEqualTo(20);
    assertThat(memtables.get(1).references()).isEqualTo(2);
  }

  @Test
  void slice_ofALostIterator_staysValid() {
    put("a", "value");
    Slice value = sliceOfALostIterator();
    loseIterators(1);
    awaitLeaked(1);
    assertThat(value.toUtf8String()).isEqualTo("value");
    assertThat(reader.openIterators()).isEqualTo(1);
    reader.close();
    assertThatThrownBy(value::length).isInstanceOf(DBClosedException.class);
  }

  @Test
  void openAndClose_ofOtherIterators_releaseLostOnes() {
    put("a", "1");
    loseIterators(1);
    while (reader.leakedIterators() < 1) {
      System.gc();
      reader.iterator(ReadOptions.DEFAULT).close();
    }
    assertThat(reader.openIterators()).isZero();
  }

  @Test
  void close_ofTheReader_countsLostIteratorsAndReleasesThem() {
    put("a", "1");
    loseIterators(3);
    reader.close();
    assertThat(reader.openIterators()).isZero();
    assertThat(memtables.get(0).references()).isEqualTo(1);
    assertThat(budget.used(MemoryKind.WRITE_BUFFER)).isZero();
  }

  private void loseIterators(int count) {
    for (int i = 0; i < count; i++) {
      DBIterator lost = reader.iterator(ReadOptions.DEFAULT);
      lost.seekToFirst();
    }
  }

  private Slice sliceOfALostIterator() {
    DBIterator lost = reader.iterator(ReadOptions.DEFAULT);
    lost.seekToFirst();
    return lost.valueSlice();
  }

  private void awaitLeaked(long count) {
    while (reader.leakedIterators() < count) {
      System.gc();
      reader.releaseCollectedIterators();
    }
  }

  @Test
  void close_duringACallback_letsItEndAndThenThrows() {
    put("a", "value");
    assertThatThrownBy(
            () ->
                reader.read(
                    ReadOptions.DEFAULT,
                    bytes("a"),
                    slice -> {
                      reader.close();
                      return slice.toUtf8String();
                    }))
        .isInstanceOf(DBClosedException.class);
    assertThat(memtables.get(0).references()).isEqualTo(1);
    assertThat(budget.used(MemoryKind.WRITE_BUFFER)).isZero();
  }

  @Test
  void iterator_ofABadPrefix_holdsNothing() {
    Snapshot closed = reader.snapshot();
    closed.close();
    assertThatThrownBy(() -> reader.iterator(ReadOptions.at(closed)))
        .isInstanceOf(IllegalStateException.class);
    reader.close();
    assertThat(memtables.get(0).references()).isEqualTo(1);
    assertThat(budget.used(MemoryKind.WRITE_BUFFER)).isZero();
  }

  @Test
  void close_besideAMoveThatDoesNotEnd_returnsAndTheMoveReleasesTheView() throws Exception {
    InternalKeyComparator slow = new InternalKeyComparator(comparator);
    beginMemtable(slow);
    states.publish(List.of(memtables.get(0)), Version.empty(slow, freed -> {}));
    for (int i = 0; i < 100; i++) {
      add(ValueKind.DELETION, "key" + i, "");
    }
    DBIterator iterator = reader.iterator(ReadOptions.DEFAULT);
    SlowComparator errors = (SlowComparator) comparator;
    errors.block();
    AtomicReference<Throwable> thrown = new AtomicReference<>();
    Thread mover =
        new Thread(
            () -> {
              try {
                iterator.seek(bytes("key"));
              } catch (Throwable e) {
                thrown.set(e);
              }
            });
    mover.start();
    errors.awaitEntered();
    reader.close(); // returns although the move goes on
    assertThat(memtables.get(0).references()).isEqualTo(2);
    assertThat(thrown.get()).isNull();

    errors.unblock();
    mover.join(60_000);
    assertThat(thrown.get()).isInstanceOf(DBClosedException.class);
    assertThat(memtables.get(0).references()).isEqualTo(1);
  }

  @Test
  void move_duringAnotherThreadsMove_isRefused() throws Exception {
    InternalKeyComparator slow = new InternalKeyComparator(comparator);
    beginMemtable(slow);
    states.publish(List.of(memtables.get(0)), Version.empty(slow, freed -> {}));
    put("a", "1");
    put("b", "2");
    DBIterator iterator = reader.iterator(ReadOptions.DEFAULT);
    SlowComparator errors = (SlowComparator) comparator;
    errors.block();
    Call mover = Call.start(() -> iterator.seek(bytes("b")));
    errors.awaitEntered();
    assertThatThrownBy(iterator::seekToFirst)
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContaining("two threads");
    errors.unblock();
    assertThat(mover.outcome()).isNull();
    assertThat(new String(iterator.key(), StandardCharsets.UTF_8)).isEqualTo("b");
    iterator.close();
  }

  @Test
  void close_underMovingIterators_releasesEachViewOnce() throws Exception {
    for (int i = 0; i < 500; i++) {
      put("key" + i, "value" + i);
    }
    AtomicReference<Throwable> failure = new AtomicReference<>();
    List<Thread> threads = new ArrayList<>();
    CountDownLatch started = new CountDownLatch(3);
    for (int t = 0; t < 3; t++) {
      Thread thread = new Thread(() -> scanUntilClosed(started, failure));
      thread.start();
      threads.add(thread);
    }
    assertThat(started.await(60, TimeUnit.SECONDS)).isTrue();
    Thread.sleep(20);
    reader.close();
    for (Thread thread : threads) {
      thread.join(60_000);
      assertThat(thread.isAlive()).isFalse();
    }
    assertThat(failure.get()).isNull();
    assertThat(memtables.get(0).references()).isEqualTo(1);
    assertThat(budget.used(MemoryKind.WRITE_BUFFER)).isZero();
  }

  private void scanUntilClosed(CountDownLatch started, AtomicReference<Throwable> failure) {
    try {
      while (true) {
        DBIterator iterator = reader.iterator(ReadOptions.DEFAULT);
        int count = 0;
        for (iterator.seekToFirst(); iterator.isValid(); iterator.next()) {
          if (iterator.keySlice().length() < 4) {
            throw new AssertionError("not a key");
          }
          count++;
        }
        if (count != 500) {
          throw new AssertionError("only " + count);
        }
        iterator.close();
        started.countDown();
      }
    } catch (DBClosedException expected) {
      // The reader is closed.
    } catch (Throwable e) {
      failure.set(e);
    }
  }

  private static String forward(DBIterator iterator) {
    List<String> shown = new ArrayList<>();
    for (iterator.seekToFirst(); iterator.isValid(); iterator.next()) {
      shown.add(show(iterator));
    }
    return String.join(" ", shown);
  }

  private static String backward(DBIterator iterator) {
    List<String> shown = new ArrayList<>();
    for (iterator.seekToLast(); iterator.isValid(); iterator.prev()) {
      shown.add(show(iterator));
    }
    return String.join(" ", shown);
  }

  private static String show(DBIterator iterator) {
    assertThat(iterator.keySlice().toByteArray()).isEqualTo(iterator.key());
    assertThat(iterator.valueSlice().toByteArray()).isEqualTo(iterator.value());
    return new String(iterator.key(), StandardCharsets.UTF_8)
        + "="
        + new String(iterator.value(), StandardCharsets.UTF_8);
  }

  /** The bytewise order, which can be made to wait. */
  private static final class SlowComparator implements DBComparator {
    private volatile CountDownLatch barrier;
    private final CountDownLatch entered = new CountDownLatch(1);

    void block() {
      barrier = new CountDownLatch(1);
    }

    void unblock() {
      barrier.countDown();
    }

    void awaitEntered() throws InterruptedException {
      assertThat(entered.await(60, TimeUnit.SECONDS)).isTrue();
    }

    @Override
    public String name() {
      return "test.Slow";
    }

    @Override
    public int compare(Slice a, Slice b) {
      CountDownLatch latch = barrier;
      if (latch != null) {
        entered.countDown();
        try {
          latch.await();
        } catch (InterruptedException e) {
          Thread.currentThread().interrupt();
        }
      }
      return a.compareTo(b);
    }
  }
}
