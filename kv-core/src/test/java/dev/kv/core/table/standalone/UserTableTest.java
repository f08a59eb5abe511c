package dev.kv.core.table.standalone;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.kv.DBIterator;
import dev.kv.FilterPolicy;
import dev.kv.Options;
import dev.kv.ReadOptions;
import dev.kv.SharedResources;
import dev.kv.bytes.DBComparator;
import dev.kv.bytes.Slice;
import dev.kv.core.Call;
import dev.kv.core.Children;
import dev.kv.core.Latches;
import dev.kv.core.cache.LruCache;
import dev.kv.core.db.LeakCheck;
import dev.kv.core.env.FileEnv;
import dev.kv.core.key.InternalKeyComparator;
import dev.kv.core.key.UserKeyComparator;
import dev.kv.core.memory.BlockAllocator;
import dev.kv.core.memory.MemoryKind;
import dev.kv.core.memory.OffHeapBudget;
import dev.kv.core.table.TableMemory;
import dev.kv.core.table.cache.CachedBlock;
import dev.kv.core.table.cache.MappingQuota;
import dev.kv.core.table.mapped.EntryIndexMemory;
import dev.kv.env.Env;
import dev.kv.errors.CorruptionException;
import dev.kv.errors.DBIOException;
import dev.kv.errors.OffHeapExhaustedException;
import dev.kv.table.TableReader;
import dev.kv.table.TableWriter;
import dev.kv.testing.FaultEnv;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

@ExtendWith(LeakCheck.class)
class UserTableTest {
  @TempDir private Path directory;

  private final Options options = Options.builder().env(new FileEnv()).blockSize(1024).build();
  private Path file;

  @BeforeEach
  void name() {
    file = directory.resolve("table");
  }

  private static byte[] key(int i) {
    return String.format(Locale.ROOT, "key%04d", i).getBytes();
  }

  private void write(int count) {
    try (TableWriter writer = TableWriter.create(file, options)) {
      for (int i = 0; i < count; i += 2) {
        writer.put(key(i), ("value" + i).getBytes());
      }
      writer.finish();
      assertThat(writer.entryCount()).isEqualTo((count + 1) / 2);
      assertThat(writer.fileSize()).isEqualTo(Files.size(file));
    } catch (IOException e) {
      throw new AssertionError(e);
    }
  }

  @Test
  void iterator_writtenTable_showsWhatWasAdded() {
    write(1000);
    try (TableReader reader = TableReader.open(file, options);
        DBIterator cursor = reader.iterator(ReadOptions.DEFAULT)) {
      int seen = 0;
      for (cursor.seekToFirst(); cursor.isValid(); cursor.next()) {
        assertThat(cursor.key()).isEqualTo(key(seen));
        assertThat(cursor.valueSlice().toUtf8String()).isEqualTo("value" + seen);
        seen += 2;
      }
      assertThat(seen).isEqualTo(1000);
      for (cursor.seekToLast(); cursor.isValid(); cursor.prev()) {
        seen -= 2;
        assertThat(cursor.keySlice()).isEqualTo(Slice.of(key(seen)));
      }
      assertThat(seen).isZero();
      cursor.seek(key(501));
      assertThat(cursor.key()).isEqualTo(key(502));
      cursor.seekForPrev(key(501));
      assertThat(cursor.key()).isEqualTo(key(500));
      cursor.seekForPrev(key(500));
      assertThat(cursor.key()).isEqualTo(key(500));
      cursor.seekForPrev(key(5000));
      assertThat(cursor.key()).isEqualTo(key(998));
      cursor.seek(key(999));
      assertThat(cursor.isValid()).isFalse();
      assertThat(reader.approximateOffsetOf(key(0))).isZero();
      assertThat(reader.approximateOffsetOf(key(998))).isPositive();
    }
  }

  @Test
  void iterator_bounds_showsNothingOutside() {
    write(1000);
    ReadOptions bounds = ReadOptions.builder().lowerBound(key(101)).upperBound(key(110)).build();
    try (TableReader reader = TableReader.open(file, options);
        DBIterator cursor = reader.iterator(bounds)) {
      cursor.seekToFirst();
      assertThat(cursor.key()).isEqualTo(key(102));
      cursor.prev();
      assertThat(cursor.isValid()).isFalse();
      cursor.seekToLast();
      assertThat(cursor.key()).isEqualTo(key(108));
      cursor.next();
      assertThat(cursor.isValid()).isFalse();
      cursor.seek(key(0));
      assertThat(cursor.key()).isEqualTo(key(102));
      cursor.seekForPrev(key(900));
      assertThat(cursor.key()).isEqualTo(key(108));
      cursor.seekForPrev(key(50));
      assertThat(cursor.isValid()).isFalse();
    }
    ReadOptions prefix = ReadOptions.builder().prefix("key005".getBytes()).build();
    try (TableReader reader = TableReader.open(file, options);
        DBIterator cursor = reader.iterator(prefix)) {
      assertThat(cursor.stream().map(e -> new String(e.key())))
          .containsExactly("key0050", "key0052", "key0054", "key0056", "key0058");
    }
  }

  @Test
  void iterator_afterItsReaderOrItself_isClosed_behaves() {
    write(100);
    TableReader reader = TableReader.open(file, options);
    DBIterator cursor = reader.iterator(ReadOptions.DEFAULT);
    reader.close();
    reader.close();
    cursor.seekToFirst();
    Slice key = cursor.keySlice();
    assertThat(key.length()).isEqualTo(7);
    cursor.next();
    cursor.close();
    cursor.close();
    assertThatThrownBy(key::length).isInstanceOf(IllegalStateException.class);
    assertThatThrownBy(cursor::next).isInstanceOf(IllegalStateException.class);
    assertThatThrownBy(() -> reader.iterator(ReadOptions.DEFAULT))
        .isInstanceOf(IllegalStateException.class);
  }

  @Test
  void close_fromAnotherThreadDuringMoves_releasesTheTableOnce() throws Exception {
    write(300);
    for (int round = 0; round < 200; round++) {
      TableReader reader = TableReader.open(file, options);
      DBIterator cursor = reader.iterator(ReadOptions.DEFAULT);
      reader.close();
      CountDownLatch moving = new CountDownLatch(1);
      Thread closer =
          new Thread(
              () -> {
                Latches.await(moving);
                cursor.close();
              });
      closer.start();
      assertThatThrownBy(
              () -> {
                while (true) {
                  for (cursor.seekToFirst(); cursor.isValid(); cursor.next()) {
                    assertThat(cursor.key()).hasSize(7);
                    moving.countDown();
                  }
                }
              })
          .isInstanceOf(IllegalStateException.class)
          .hasMessage("the iterator is closed");
      closer.join();
      cursor.close();
    }
  }

  @Test
  void close_byTheComparatorDuringAMove_endsTheMoveAndReleasesAfterIt() {
    write(100);
    AtomicReference<@Nullable DBIterator> closing = new AtomicReference<>();
    DBComparator comparator =
        new DBComparator() {
          @Override
          public int compare(Slice a, Slice b) {
            DBIterator victim = closing.get();
            if (victim != null) {
              victim.close();
            }
            return DBComparator.bytewise().compare(a, b);
          }

          @Override
          public String name() {
            return DBComparator.bytewise().name();
          }
        };
    Options closer = options.toBuilder().comparator(comparator).build();
    try (TableReader reader = TableReader.open(file, closer)) {
      DBIterator cursor = reader.iterator(ReadOptions.DEFAULT);
      cursor.seekToFirst();
      Slice key = cursor.keySlice();
      closing.set(cursor);
      assertThatThrownBy(() -> cursor.seek(key(50)))
          .isInstanceOf(IllegalStateException.class)
          .hasMessage("the iterator is closed");
      assertThatThrownBy(key::length).isInstanceOf(IllegalStateException.class);
    }
  }

  @Test
  void add_outOfOrder_throwsAndTheWriterGoesOn() {
    try (TableWriter writer = TableWriter.create(file, options)) {
      writer.put(key(2), new byte[0]);
      assertThatThrownBy(() -> writer.put(key(1), new byte[0]))
          .isInstanceOf(IllegalArgumentException.class);
      writer.flush();
      writer.put(key(3), new byte[0]);
      writer.finish();
      assertThatThrownBy(() -> writer.put(key(4), new byte[0]))
          .isInstanceOf(IllegalStateException.class);
    }
    try (TableReader reader = TableReader.open(file, options);
        DBIterator cursor = reader.iterator(ReadOptions.DEFAULT)) {
      assertThat(cursor.stream().count()).isEqualTo(2);
    }
  }

  @Test
  void close_unfinished_deletesTheFile() {
    TableWriter writer = TableWriter.create(file, options);
    writer.put(key(1), new byte[10]);
    writer.close();
    writer.close();
    assertThat(file).doesNotExist();
  }

  @Test
  void create_existingFile_throwsAndLeavesIt() throws IOException {
    Files.writeString(file, "precious");
    assertThatThrownBy(() -> TableWriter.create(file, options)).isInstanceOf(DBIOException.class);
    assertThat(file).hasContent("precious");
    assertThatThrownBy(() -> TableReader.open(file, options))
        .isInstanceOf(CorruptionException.class);
    assertThatThrownBy(() -> TableReader.open(directory.resolve("none"), options))
        .isInstanceOf(DBIOException.class);
  }

  private static void assertClosed(Runnable call) {
    assertThatThrownBy(call::run)
        .isInstanceOf(IllegalStateException.class)
        .hasMessage("the iterator is closed");
  }

  @Test
  void everyCall_onAClosedIterator_throws() {
    write(100);
    try (TableReader reader = TableReader.open(file, options)) {
      DBIterator cursor = reader.iterator(ReadOptions.DEFAULT);
      cursor.seekToFirst();
      Slice key = cursor.keySlice();
      Slice value = cursor.valueSlice();
      cursor.close();
      assertThatThrownBy(key::length).isInstanceOf(IllegalStateException.class);
      assertThatThrownBy(value::length).isInstanceOf(IllegalStateException.class);
      List<Runnable> calls =
          List.of(
              cursor::isValid,
              cursor::isPlaced,
              cursor::seekToFirst,
              cursor::seekToLast,
              () -> cursor.seek(key(1)),
              () -> cursor.seekForPrev(key(1)),
              cursor::next,
              cursor::prev,
              cursor::key,
              cursor::value,
              cursor::keySlice,
              cursor::valueSlice);
      calls.forEach(UserTableTest::assertClosed);
    }
  }

  @Test
  void calls_onAnIteratorWithoutAnEntry_throw() {
    write(100);
    try (TableReader reader = TableReader.open(file, options);
        DBIterator cursor = reader.iterator(ReadOptions.DEFAULT)) {
      assertThatThrownBy(cursor::isValid).hasMessageContaining("no position yet");
      cursor.seek("z".getBytes());
      assertThat(cursor.isPlaced()).isTrue();
      List<Runnable> calls =
          List.of(
              cursor::next,
              cursor::prev,
              cursor::key,
              cursor::value,
              cursor::keySlice,
              cursor::valueSlice);
      for (Runnable call : calls) {
        assertThatThrownBy(call::run).hasMessageContaining("is at no entry");
      }
    }
  }

  @Test
  void slices_afterAMove_areRevoked() {
    write(100);
    try (TableReader reader = TableReader.open(file, options);
        DBIterator cursor = reader.iterator(ReadOptions.DEFAULT)) {
      List<Runnable> moves =
          List.of(
              cursor::next,
              cursor::prev,
              cursor::seekToLast,
              cursor::seekToFirst,
              () -> cursor.seek(key(50)),
              () -> cursor.seekForPrev(key(50)));
      cursor.seekToFirst();
      for (Runnable move : moves) {
        Slice key = cursor.keySlice();
        Slice value = cursor.valueSlice();
        assertThat(key.length() + value.length()).isPositive();
        move.run();
        assertThatThrownBy(key::length).isInstanceOf(IllegalStateException.class);
        assertThatThrownBy(value::length).isInstanceOf(IllegalStateException.class);
      }
    }
  }

  @Test
  void iterator_boundsThatAreKeys_showsTheLowerAndNotTheUpper() {
    write(1000);
    ReadOptions bounds = ReadOptions.builder().lowerBound(key(100)).upperBound(key(110)).build();
    try (TableReader reader = TableReader.open(file, options);
        DBIterator cursor = reader.iterator(bounds)) {
      cursor.seekToFirst();
      assertThat(cursor.key()).isEqualTo(key(100));
      cursor.seek(key(100));
      assertThat(cursor.key()).isEqualTo(key(100));
      cursor.seekForPrev(key(100));
      assertThat(cursor.key()).isEqualTo(key(100));
      cursor.seekToLast();
      assertThat(cursor.key()).isEqualTo(key(108));
      cursor.seekForPrev(key(110));
      assertThat(cursor.key()).isEqualTo(key(108));
      cursor.seek(key(110));
      assertThat(cursor.isValid()).isFalse();
    }
  }

  @Test
  void iterator_options_keysOnlyHasEmptyValuesAndDescendingIsRefused() {
    write(10);
    try (TableReader reader = TableReader.open(file, options)) {
      try (DBIterator cursor = reader.iterator(ReadOptions.builder().keysOnly(true).build())) {
        cursor.seekToFirst();
        assertThat(cursor.key()).isEqualTo(key(0));
        assertThat(cursor.value()).isEmpty();
        assertThat(cursor.valueSlice().length()).isZero();
      }
      ReadOptions descending = ReadOptions.builder().descending(true).build();
      assertThatThrownBy(() -> reader.iterator(descending))
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessageContaining("descending");
    }
  }

  @Test
  void reader_afterItsClose_refusesCalls() {
    write(10);
    TableReader reader = TableReader.open(file, options);
    assertThat(reader.approximateOffsetOf("z".getBytes())).isPositive();
    reader.close();
    assertThatThrownBy(() -> reader.approximateOffsetOf(key(1)))
        .isInstanceOf(IllegalStateException.class)
        .hasMessage("the table reader is closed");
  }

  @Test
  void memoryAndFile_ofAReader_areReleasedOnceWithTheLastIterator() {
    write(1000);
    AtomicInteger released = new AtomicInteger();
    FaultEnv env = new FaultEnv(options.env());
    AtomicInteger closed = new AtomicInteger();
    env.watch(operation -> closed.addAndGet(operation.kind() == FaultEnv.Kind.CLOSE ? 1 : 0));
    Options watched = options.toBuilder().env(env).build();
    OffHeapBudget budget = new OffHeapBudget(0);
    try (BlockAllocator allocator = new BlockAllocator(budget);
        LruCache<CachedBlock> cache = CachedBlock.newCache(allocator, 1 << 20)) {
      TableMemory memory =
          new TableMemory(
              cache, allocator, budget, new EntryIndexMemory(budget, 0), new MappingQuota(1));
      UserTableReader reader =
          new UserTableReader(file, watched, memory, released::incrementAndGet);
      DBIterator cursor = reader.iterator(ReadOptions.DEFAULT);
      cursor.seekToFirst();
      reader.close();
      reader.close();
      assertThat(released).hasValue(0);
      assertThat(closed).hasValue(0);
      assertThat(cursor.key()).isEqualTo(key(0));
      cursor.close();
      cursor.close();
      assertThat(released).hasValue(1);
      assertThat(closed).hasValue(1);
      cache.prune();
      assertThat(budget.used(MemoryKind.INDEX_AND_FILTER)).isZero();
      assertThat(budget.used(MemoryKind.WRITE_BUFFER)).isZero();
      Path missing = directory.resolve("none");
      assertThatThrownBy(
              () -> new UserTableReader(missing, watched, memory, released::incrementAndGet))
          .isInstanceOf(DBIOException.class)
          .hasMessageContaining("none");
      assertThat(released).hasValue(2);
    }
  }

  @Test
  void finish_syncsTheFileAndThenTheDirectory() {
    FaultEnv env = new FaultEnv(options.env());
    List<FaultEnv.Kind> operations = new ArrayList<>();
    env.watch(operation -> operations.add(operation.kind()));
    try (TableWriter writer = TableWriter.create(file, options.toBuilder().env(env).build())) {
      writer.put(key(1), new byte[20]);
      long before = writer.fileSize();
      writer.flush();
      assertThat(writer.fileSize()).isGreaterThan(before);
      writer.finish();
      assertThatThrownBy(writer::flush).hasMessageContaining("FINISHED");
      assertThatThrownBy(writer::finish).hasMessageContaining("FINISHED");
      assertThatThrownBy(writer::abandon).hasMessageContaining("FINISHED");
    }
    int sync = operations.indexOf(FaultEnv.Kind.SYNC);
    assertThat(sync).isGreaterThan(operations.lastIndexOf(FaultEnv.Kind.WRITE));
    assertThat(operations.subList(sync, operations.size()))
        .containsExactly(FaultEnv.Kind.SYNC, FaultEnv.Kind.CLOSE, FaultEnv.Kind.SYNC_DIRECTORY);
    assertThat(file).exists();
  }

  /** It may have written a part of a block, and the next one would follow that. */
  @ParameterizedTest
  @ValueSource(strings = {"put", "flush", "finish"})
  void write_thatFailsByHalf_canBeFollowedByNothing(String call) {
    FaultEnv env = new FaultEnv(Env.inMemory());
    Path table = Path.of("/table");
    TableWriter writer = TableWriter.create(table, options.toBuilder().env(env).build());
    writer.put(key(1), new byte[10]);
    env.fail(FaultEnv.Fault.SHORT, 1, operation -> operation.kind() == FaultEnv.Kind.WRITE);
    assertThatThrownBy(
            () -> {
              switch (call) {
                case "put" -> writer.put(key(2), new byte[1 << 20]);
                case "flush" -> writer.flush();
                default -> writer.finish();
              }
              writer.put(key(3), new byte[1 << 20]);
            })
        .isInstanceOf(DBIOException.class);
    assertThatThrownBy(() -> writer.put(key(4), new byte[10])).hasMessageContaining("FAILED");
    assertThatThrownBy(writer::flush).hasMessageContaining("FAILED");
    assertThatThrownBy(writer::finish).hasMessageContaining("FAILED");
    writer.close();
    assertThat(env).satisfies(each -> assertThat(each.exists(table)).isFalse());
  }

  @ParameterizedTest
  @EnumSource(names = {"WRITE", "SYNC"})
  void finish_thatFails_namesTheTableAndTheCloseDeletesIt(FaultEnv.Kind kind) {
    FaultEnv env = new FaultEnv(options.env());
    TableWriter writer = TableWriter.create(file, options.toBuilder().env(env).build());
    writer.put(key(1), new byte[10]);
    env.fail(FaultEnv.Fault.ERROR, 1, operation -> operation.kind() == kind);
    assertThatThrownBy(writer::finish)
        .isInstanceOf(DBIOException.class)
        .hasMessageContaining("cannot finish table " + file);
    writer.close();
    assertThat(file).doesNotExist();
  }

  @Test
  void abandon_closesAndDeletesTheFile() {
    FaultEnv env = new FaultEnv(options.env());
    List<FaultEnv.Kind> operations = new ArrayList<>();
    TableWriter writer = TableWriter.create(file, options.toBuilder().env(env).build());
    env.watch(operation -> operations.add(operation.kind()));
    writer.abandon();
    assertThat(operations).containsExactly(FaultEnv.Kind.CLOSE, FaultEnv.Kind.DELETE);
    assertThat(file).doesNotExist();
    assertThatThrownBy(writer::abandon).hasMessageContaining("ABANDONED");
  }

  /** The file may be a new one, and the memory belongs to others. */
  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void close_byTheComparatorDuringAnAdd_isTheOnlyOne(boolean thenThrows) throws IOException {
    AtomicReference<@Nullable TableWriter> closing = new AtomicReference<>();
    DBComparator comparator =
        DBComparator.of(
            "test.Closing",
            (a, b) -> {
              TableWriter victim = closing.getAndSet(null);
              if (victim != null) {
                victim.close();
                if (thenThrows) {
                  throw new IllegalStateException("of the program");
                }
              }
              return a.compareTo(b);
            });
    AtomicInteger released = new AtomicInteger();
    UserTableWriter writer =
        new UserTableWriter(
            file,
            options.toBuilder().comparator(comparator).build(),
            new UserKeyComparator(comparator),
            new OffHeapBudget(0),
            released::incrementAndGet);
    writer.put(key(1), new byte[10]);
    closing.set(writer);
    assertThatThrownBy(
            () -> {
              writer.put(key(2), new byte[1 << 20]);
              writer.put(key(3), new byte[1 << 20]);
            })
        .isNotNull();
    assertThat(file).doesNotExist();
    Files.writeString(file, "of another writer");
    writer.close();
    assertThatThrownBy(writer::abandon).hasMessageContaining("ABANDONED");
    assertThat(file).hasContent("of another writer");
    assertThat(released).hasValue(1);
  }

  @Test
  void close_byTheFilterPolicyDuringTheFinish_finishesNothing() {
    AtomicReference<@Nullable TableWriter> closing = new AtomicReference<>();
    FilterPolicy policy =
        new FilterPolicy() {
          @Override
          public String name() {
            return "test.Closing";
          }

          @Override
          public byte[] createFilter(List<Slice> keys) {
            TableWriter victim = closing.getAndSet(null);
            if (victim != null) {
              victim.close();
            }
            return new byte[1];
          }

          @Override
          public boolean keyMayMatch(Slice key, Slice filter) {
            return true;
          }
        };
    AtomicInteger released = new AtomicInteger();
    UserTableWriter writer =
        new UserTableWriter(
            file,
            options.toBuilder().filterPolicy(policy).build(),
            new UserKeyComparator(options.comparator()),
            new OffHeapBudget(0),
            released::incrementAndGet);
    writer.put(key(1), new byte[10]);
    closing.set(writer);
    assertThatThrownBy(writer::finish).isInstanceOf(Exception.class);
    assertThatThrownBy(writer::finish).hasMessageContaining("ABANDONED");
    writer.close();
    assertThat(released).hasValue(1);
  }

  @Test
  void create_thatFails_releasesItsMemoryOnce() throws IOException {
    Files.writeString(file, "precious");
    AtomicInteger released = new AtomicInteger();
    OffHeapBudget budget = new OffHeapBudget(0);
    assertThatThrownBy(
            () ->
                new UserTableWriter(
                    file,
                    options,
                    new InternalKeyComparator(options.comparator()),
                    budget,
                    () -> {
                      assertThat(budget.used()).isZero();
                      released.incrementAndGet();
                    }))
        .isInstanceOf(DBIOException.class);
    assertThat(released).hasValue(1);
  }

  @Test
  void add_nullsAndLargeEntries_areNamedAndKept() {
    byte[] large = new byte[100_000];
    large[99_999] = 1;
    try (TableWriter writer = TableWriter.create(file, options)) {
      assertThatThrownBy(() -> writer.put(null, new byte[0])).hasMessage("key");
      assertThatThrownBy(() -> writer.put(new byte[0], null)).hasMessage("value");
      writer.put(key(1), large);
      writer.finish();
    }
    try (TableReader reader = TableReader.open(file, options);
        DBIterator cursor = reader.iterator(ReadOptions.DEFAULT)) {
      cursor.seekToFirst();
      assertThat(cursor.value()).isEqualTo(large);
    }
  }

  @Test
  void forIngest_keysHaveASequenceOfZero() {
    try (TableWriter writer = TableWriter.forIngest(file, options)) {
      writer.put(key(1), new byte[0]);
      writer.finish();
    }
    try (TableReader reader = TableReader.open(file, options);
        DBIterator cursor = reader.iterator(ReadOptions.DEFAULT)) {
      cursor.seekToFirst();
      byte[] expected = Arrays.copyOf(key(1), 7 + Long.BYTES);
      expected[7] = 1; // a value, with sequence number 0
      assertThat(cursor.key()).isEqualTo(expected);
    }
  }

  /** What the failure leaves must not become a table: its filter would deny every key. */
  @Test
  void finish_whoseFilterPolicyThrows_failsForGood() {
    AtomicBoolean failing = new AtomicBoolean(true);
    FilterPolicy bloom = FilterPolicy.bloom(10);
    FilterPolicy policy =
        new FilterPolicy() {
          @Override
          public String name() {
            return bloom.name();
          }

          @Override
          public byte[] createFilter(List<Slice> keys) {
            if (failing.getAndSet(false)) {
              throw new IllegalStateException("of the program");
            }
            return bloom.createFilter(keys);
          }

          @Override
          public boolean keyMayMatch(Slice key, Slice filter) {
            return bloom.keyMayMatch(key, filter);
          }
        };
    Options with = options.toBuilder().filterPolicy(policy).build();
    try (TableWriter writer = TableWriter.forIngest(file, with)) {
      writer.put(key(1), new byte[0]);
      assertThatThrownBy(writer::finish).hasMessage("of the program");
      assertThatThrownBy(writer::finish)
          .isInstanceOf(IllegalStateException.class)
          .hasMessageContaining("FAILED");
    }
    assertThat(file).doesNotExist();
  }

  /** As the Javadoc of offHeapLimit says; and the memory counts in the limit of the resources. */
  @Test
  void writers_withSharedResources_haveTheirLimitAloneAndGiveAllBack() {
    try (SharedResources shared = SharedResources.builder().offHeapLimit(64 << 20).build()) {
      Options with =
          options.toBuilder().memory(m -> m.offHeapLimit(1 << 20)).sharedResources(shared).build();
      try (TableWriter writer = TableWriter.create(file, with)) {
        writer.put(key(1), new byte[2 << 20]);
        assertThat(shared.offHeapUsed()).isGreaterThan(2 << 20);
        writer.finish();
        assertThat(shared.offHeapUsed()).isZero();
      }
      assertThatThrownBy(() -> TableWriter.create(file, with)).isInstanceOf(DBIOException.class);
      try (TableWriter writer = TableWriter.forIngest(directory.resolve("other"), with)) {
        writer.put(key(1), new byte[0]);
        assertThatThrownBy(() -> writer.put(key(2), new byte[100 << 20]))
            .isInstanceOf(OffHeapExhaustedException.class);
        assertThatThrownBy(writer::finish).hasMessageContaining("FAILED");
      }
      assertThat(shared.offHeapUsed()).isZero();
      assertThat(shared.openDatabases()).isZero();
    }
  }

  @Test
  void create_withTooLittleMemory_throwsAndKeepsNone() {
    try (SharedResources shared =
        SharedResources.builder().blockCacheSize(0).offHeapLimit(200_000).build()) {
      Options with = options.toBuilder().sharedResources(shared).build();
      assertThatThrownBy(() -> TableWriter.create(file, with))
          .isInstanceOf(OffHeapExhaustedException.class);
      assertThat(shared.offHeapUsed()).isZero();
      assertThat(shared.openDatabases()).isZero();
      assertThat(file).doesNotExist();
    }
  }

  @Test
  void asIterator_afterASeekBehindTheLastKey_isEmpty() {
    write(10);
    try (TableReader reader = TableReader.open(file, options);
        DBIterator cursor = reader.iterator(ReadOptions.DEFAULT)) {
      assertThat(cursor.isPlaced()).isFalse();
      cursor.seek("z".getBytes());
      assertThat(cursor.asIterator()).isExhausted();
      cursor.seekToFirst();
      assertThat(cursor.stream()).hasSize(5);
    }
  }

  @Test
  void close_besideReads_isNoticedByThemAndHarmsNone() throws Exception {
    try (TableWriter writer = TableWriter.create(file, options)) {
      writer.put(key(1), new byte[10]);
      writer.finish();
    }
    for (int round = 0; round < 300; round++) {
      TableReader reader = TableReader.open(file, options);
      CountDownLatch reading = new CountDownLatch(1);
      Call other =
          Call.start(
              () -> {
                while (true) {
                  reader.approximateOffsetOf(key(1));
                  reader.iterator(ReadOptions.DEFAULT).close();
                  reading.countDown();
                }
              });
      reading.await();
      reader.close();
      assertThat(other.outcome()).isInstanceOf(IllegalStateException.class);
    }
  }

  @Test
  void iterator_boundWithoutDirectMemory_throwsAndPinsNothing() throws Exception {
    write(10);
    Children.Ended child =
        Children.run(
            List.of("-Xmx200m", "-XX:MaxDirectMemorySize=16m"), LargeBound.class, file.toString());
    assertThat(child.exitCode()).as(child.output()).isZero();
    assertThat(child.output()).contains("the JVM has no direct memory left", "users left: 0");
  }

  /** The program of the child JVM: it opens an iterator whose lower bound is too large. */
  static final class LargeBound {
    private LargeBound() {}

    public static void main(String[] args) {
      ReadOptions bound = ReadOptions.builder().lowerBound(new byte[32 << 20]).build();
      try (SharedResources shared = SharedResources.builder().blockCacheSize(0).build()) {
        Options options = Options.builder().sharedResources(shared).build();
        try (TableReader reader = TableReader.open(Path.of(args[0]), options)) {
          reader.iterator(bound).close();
        } catch (OffHeapExhaustedException | OutOfMemoryError e) {
          System.out.println(e);
        }
        System.out.println("users left: " + shared.openDatabases());
      }
    }
  }
}
