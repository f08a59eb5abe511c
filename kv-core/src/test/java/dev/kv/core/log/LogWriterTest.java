package dev.kv.core.log;

import static dev.kv.core.log.LogBytes.BLOCK;
import static dev.kv.core.log.LogBytes.HEADER;
import static dev.kv.core.log.LogBytes.big;
import static dev.kv.core.log.LogBytes.direct;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.kv.core.env.FileEnv;
import dev.kv.env.Env;
import dev.kv.env.MappedLogFile;
import dev.kv.env.SequentialFile;
import dev.kv.env.WritableFile;
import java.io.IOException;
import java.io.SyncFailedException;
import java.lang.management.ManagementFactory;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

final class LogWriterTest {
  private final Env env = Env.inMemory();
  private final Path dir = Path.of("/log-writer-test");

  private byte[] contents(Path file) throws IOException {
    ByteBuffer into = ByteBuffer.allocate((int) env.size(file));
    try (SequentialFile in = env.openSequential(file)) {
      while (into.hasRemaining() && in.read(into) >= 0) {
        continue;
      }
    }
    return into.array();
  }

  @Test
  void mappedAndAppended_randomRecords_areTheSameBytes() throws IOException {
    env.createDirectory(dir);
    for (int seed = 0; seed < 20; seed++) {
      Random random = new Random(seed);
      Path mapped = dir.resolve("mapped");
      Path appended = dir.resolve("appended");
      long length;
      try (LogWriter one = LogWriter.mapped(mapped, env.createMappedLog(mapped));
          LogWriter other = LogWriter.appending(appended, env.createWritable(appended), 0)) {
        for (int i = 0; i < 60; i++) {
          String text = LogBytes.skewed(i, random);
          if (random.nextInt(5) == 0) {
            int left = (int) (BLOCK - one.length() % BLOCK);
            text = big("e", Math.max(0, left - HEADER - random.nextInt(2 * HEADER + 3)));
          }
          ByteBuffer record = direct("ab" + text + "cd");
          one.append(record, 2, text.length());
          other.append(record, 2, text.length());
          assertThat(one.length()).as("seed %d", seed).isEqualTo(other.length());
          assertThat(record.position()).isZero();
          assertThat(record.remaining()).isEqualTo(record.capacity());
          if (one.needsReserve() && random.nextInt(3) == 0) {
            one.reserveAhead();
          }
          if (random.nextInt(10) == 0) {
            one.sync();
          }
        }
        length = one.length();
        one.closeCleanly();
        other.closeCleanly();
      }
      assertThat(env.size(mapped)).as("seed %d", seed).isEqualTo(length);
      assertThat(contents(mapped)).as("seed %d", seed).isEqualTo(contents(appended));
    }
  }

  @Test
  void mapped_closedWithoutCut_readsBackWithZerosBehind() throws IOException {
    env.createDirectory(dir);
    Path file = dir.resolve("l");
    LogWriter writer = LogWriter.mapped(file, env.createMappedLog(file));
    writer.append(direct("foo"), 0, 3);
    writer.append(direct(big("x", 100_000)), 0, 100_000);
    writer.close();
    LogBytes log = new LogBytes();
    log.append(contents(file));
    LogBytes.Result result = log.read();
    assertThat(result.records).containsExactly("foo", big("x", 100_000));
    assertThat(result.reasons).isEmpty();
    assertThat(result.end).isEqualTo(LogEnd.ZEROS);
    assertThat(log.length() % BLOCK).isZero();
  }

  /**
   * Appends records to a mapped log, and remembers its stores. Returns how many there were at the
   * end of each record.
   */
  private static List<Integer> append(List<String> records, List<Store> stores) throws IOException {
    LogWriter writer = LogWriter.mapped(Path.of("l"), new Recorder(stores));
    List<Integer> storesPerRecord = new ArrayList<>();
    for (String record : records) {
      writer.append(direct(record), 0, record.length());
      storesPerRecord.add(stores.size());
    }
    return storesPerRecord;
  }

  /** Every state between two stores is one that a killed process can leave. */
  @Test
  void mapped_killedBetweenAnyTwoStores_leavesWholeRecordsAndASilentEnd() throws IOException {
    List<String> records = List.of("foo", big("y", 2 * BLOCK), "", "bar", big("z", 40_000));
    List<Store> stores = new ArrayList<>();
    List<Integer> storesPerRecord = append(records, stores);
    byte[] bytes = new byte[5 * BLOCK];
    for (int done = 0; done <= stores.size(); done++) {
      LogBytes log = new LogBytes();
      log.append(bytes);
      LogBytes.Result result = log.read();
      int whole = 0;
      while (whole < records.size() && storesPerRecord.get(whole) <= done) {
        whole++;
      }
      assertThat(result.records).as("after %d stores", done).isEqualTo(records.subList(0, whole));
      assertThat(result.reasons).as("after %d stores", done).isEmpty();
      if (done < stores.size()) {
        Store store = stores.get(done);
        System.arraycopy(store.bytes, 0, bytes, (int) store.position, store.bytes.length);
      }
    }
  }

  /**
   * A processor stores four bytes at once. A copy of more bytes may be cut short, by the end of the
   * process, after any of them.
   */
  @Test
  void mapped_killedInsideAStore_leavesWholeRecordsAndASilentEnd() throws IOException {
    String endsBlock = big("v", BLOCK - 3 * HEADER - "foo".length());
    List<String> records = List.of("foo", endsBlock, "", "bar", big("z", 2 * BLOCK), "", "x");
    List<Store> stores = new ArrayList<>();
    List<Integer> storesPerRecord = append(records, stores);
    byte[] bytes = new byte[4 * BLOCK];
    for (int i = 0; i < stores.size(); i++) {
      Store store = stores.get(i);
      int whole = 0;
      while (storesPerRecord.get(whole) <= i) {
        whole++;
      }
      int count = store.bytes.length <= Integer.BYTES ? 0 : Math.min(store.bytes.length, 20);
      for (int done = 0; done < count; done++) {
        System.arraycopy(store.bytes, 0, bytes, (int) store.position, done);
        LogBytes log = new LogBytes();
        log.append(bytes);
        LogBytes.Result result = log.read();
        assertThat(result.reasons).as("after %d bytes of store %d", done, i).isEmpty();
        assertThat(result.records).isEqualTo(records.subList(0, whole));
        assertThat(result.end).isIn(LogEnd.TORN, LogEnd.ZEROS);
      }
      System.arraycopy(store.bytes, 0, bytes, (int) store.position, store.bytes.length);
    }
  }

  /** A store that ends in a zero may change the last byte of its target first. */
  @Test
  void mapped_killedInsideAStoreThatEndsInAZero_leavesWholeRecordsAndASilentEnd()
      throws IOException {
    List<String> records = new ArrayList<>();
    for (int i = 0; i < 600; i++) {
      records.add(i % 2 == 0 ? "x" + i : i + "\0\0");
    }
    records.add(big("\0", 2 * BLOCK));
    List<Store> stores = new ArrayList<>();
    List<Integer> storesPerRecord = append(records, stores);
    byte[] bytes = new byte[4 * BLOCK];
    int whole = 0;
    int headers = 0;
    for (int i = 0; i < stores.size(); i++) {
      while (storesPerRecord.get(whole) <= i) {
        whole++;
      }
      Store store = stores.get(i);
      int last = store.bytes.length - 1;
      if (store.bytes[last] == 0) {
        bytes[(int) store.position + last] = 0x5a;
        LogBytes log = new LogBytes();
        log.append(bytes);
        LogBytes.Result result = log.read();
        assertThat(result.reasons).as("in store %d", i).isEmpty();
        assertThat(result.records).isEqualTo(records.subList(0, whole));
        assertThat(result.end).isEqualTo(LogEnd.TORN);
        headers += store.bytes.length == Integer.BYTES ? 1 : 0;
      }
      System.arraycopy(store.bytes, 0, bytes, (int) store.position, store.bytes.length);
    }
    assertThat(headers).as("checksums that end in a zero").isPositive();
  }

  @Test
  void append_withoutRoom_writesNothingAndMayBeTriedAgain() throws IOException {
    Failing file = new Failing();
    LogWriter writer = LogWriter.mapped(Path.of("l"), file);
    IOException full = new IOException("disk full");
    file.failure = full;
    for (int i = 0; i < 2; i++) {
      assertThatThrownBy(() -> writer.append(direct("foo"), 0, 3))
          .isInstanceOf(NoRoomInLogException.class)
          .hasCause(full);
    }
    assertThat(writer.length()).isZero();
    assertThat(file.stores).isZero();
    file.failure = null;
    writer.append(direct("foo"), 0, 3);
    assertThat(writer.length()).isEqualTo(HEADER + 3);
    writer.sync();
  }

  /** A window of a log is mapped by a thread of its own. */
  @Test
  void append_withoutAThreadToMapMore_mayBeTriedAgain() throws IOException {
    Failing file = new Failing();
    LogWriter writer = LogWriter.mapped(Path.of("l"), file);
    writer.append(direct("foo"), 0, 3);
    file.error = new OutOfMemoryError("unable to create native thread");
    assertThatThrownBy(() -> writer.append(direct(big("x", BLOCK)), 0, BLOCK))
        .isInstanceOf(NoRoomInLogException.class)
        .hasCause(file.error);
    assertThat(file.stores).isEqualTo(3);
    file.error = null;
    writer.append(direct(big("x", BLOCK)), 0, BLOCK);
  }

  @Test
  void append_afterAFailedAppend_failsWithTheFirstCause() throws IOException {
    Failing file = new Failing();
    LogWriter writer = LogWriter.mapped(Path.of("l"), file);
    writer.reserveAhead();
    IOException full = new IOException("disk full");
    file.failure = full;
    assertThatThrownBy(() -> writer.append(direct("foo"), 0, 3)).isSameAs(full);
    file.failure = null;
    assertThatThrownBy(() -> writer.append(direct("foo"), 0, 3))
        .isInstanceOf(IOException.class)
        .hasCause(full);
    assertThatThrownBy(writer::sync).isInstanceOf(IOException.class).hasCause(full);
    assertThat(writer.length()).isZero();
    assertThat(file.stores).isZero();
  }

  @Test
  void append_afterAFailedSync_failsWithTheFirstCause() throws IOException {
    Failing file = new Failing();
    LogWriter writer = LogWriter.mapped(Path.of("l"), file);
    writer.append(direct("foo"), 0, 3);
    IOException lost = new IOException("device lost");
    file.failure = lost;
    assertThatThrownBy(writer::sync).isSameAs(lost);
    file.failure = null;
    int syncs = file.syncs;
    assertThatThrownBy(writer::sync).isInstanceOf(IOException.class).hasCause(lost);
    assertThatThrownBy(() -> writer.append(direct("foo"), 0, 3)).hasCause(lost);
    assertThat(file.syncs).isEqualTo(syncs);
  }

  /** A write or sync that fails has the operating system's reason as its message, and no path. */
  @Test
  void failuresOfTheSystem_nameTheLog() throws IOException {
    Path name = Path.of("db", "000003.log");
    IOException reason = new SyncFailedException("sync failed");
    Failing file = new Failing();
    for (boolean mapped : new boolean[] {true, false}) {
      for (Call call :
          List.<Call>of(LogWriterTest::append, LogWriter::sync, LogWriter::closeCleanly)) {
        LogWriter writer =
            mapped ? LogWriter.mapped(name, file) : LogWriter.appending(name, file, 0);
        append(writer);
        file.failure = reason;
        assertThatThrownBy(() -> call.on(writer))
            .isInstanceOf(IOException.class)
            .hasMessage(name + ": sync failed")
            .hasCause(reason);
        file.failure = null;
      }
    }
  }

  private interface Call {
    void on(LogWriter writer) throws IOException;
  }

  private static void append(LogWriter writer) throws IOException {
    writer.append(direct("foo"), 0, 3);
  }

  @Test
  void append_failedByAnError_isFailedToo() {
    Failing file = new Failing();
    LogWriter writer = LogWriter.mapped(Path.of("l"), file);
    file.error = new InternalError("test");
    assertThatThrownBy(() -> writer.append(direct("foo"), 0, 3)).isSameAs(file.error);
    file.error = null;
    assertThatThrownBy(() -> writer.append(direct("foo"), 0, 3)).isInstanceOf(IOException.class);
  }

  @Test
  void append_badArguments_areRefusedAndNoFailure() throws IOException {
    LogWriter writer = LogWriter.mapped(Path.of("l"), new Failing());
    assertThatThrownBy(() -> writer.append(direct("foo"), 1, 3))
        .isInstanceOf(IndexOutOfBoundsException.class);
    writer.append(direct("foo"), 1, 2);
    assertThat(writer.length()).isEqualTo(HEADER + 2);
  }

  @Test
  void name_isThatOfTheFile() {
    assertThat(LogWriter.mapped(Path.of("l"), new Failing()).name()).isEqualTo(Path.of("l"));
  }

  /** Another 64 headers than those of the largest record so far are needed. */
  @Test
  void mapped_recordsOfEverMoreFragments_areStoredWhole() throws IOException {
    Failing file = new Failing();
    LogWriter writer = LogWriter.mapped(Path.of("l"), file);
    long length = 0;
    for (int blocks : new int[] {63, 64, 65, 200, 1, 129}) {
      int payload = blocks * BLOCK - 100;
      ByteBuffer record = ByteBuffer.allocateDirect(payload).order(ByteOrder.LITTLE_ENDIAN);
      writer.append(record, 0, payload);
      length = LogFormat.endOfRecord(LogFormat.nextHeader(length), payload);
      assertThat(writer.length()).isEqualTo(length);
      assertThat(file.reserved).isBetween(length, length + BLOCK - 1);
    }
  }

  @Test
  void sync_whatIsSynced_isNotSyncedAgain() throws IOException {
    Failing file = new Failing();
    LogWriter writer = LogWriter.mapped(Path.of("l"), file);
    writer.sync();
    assertThat(file.syncs).isZero();
    writer.append(direct("foo"), 0, 3);
    writer.sync();
    writer.sync();
    assertThat(file.syncs).isEqualTo(1);
    assertThat(file.syncedFrom).isZero();
    assertThat(file.syncedTo).isEqualTo(HEADER + 3);
    writer.append(direct("foo"), 0, 3);
    writer.sync();
    assertThat(file.syncedFrom).isEqualTo(HEADER + 3);
  }

  @Test
  void reserveAhead_whenAsked_keepsTheAppendsFromReserving() throws IOException {
    Failing file = new Failing();
    LogWriter writer = LogWriter.mapped(Path.of("l"), file);
    writer.append(direct("foo"), 0, 3);
    assertThat(file.reserved).isEqualTo(BLOCK);
    assertThat(writer.needsReserve()).isFalse();
    int asked = 0;
    for (int i = 0; i < 10_000; i++) {
      if (writer.needsReserve()) {
        asked++;
        writer.reserveAhead();
      }
      long reserved = file.reserved;
      writer.append(direct(big("x", 139)), 0, 139);
      assertThat(file.reserved).isEqualTo(reserved);
      assertThat(reserved - writer.length()).isLessThan(600 << 10);
    }
    assertThat(asked).isBetween(4, 20);
  }

  @ParameterizedTest
  @ValueSource(strings = {"x", "\0"})
  void append_ofARecord_allocatesNothing(String content, @TempDir Path temp) throws IOException {
    Path file = temp.resolve("000003.log");
    FileEnv disk = new FileEnv();
    com.sun.management.ThreadMXBean threads =
        (com.sun.management.ThreadMXBean) ManagementFactory.getThreadMXBean();
    ByteBuffer record = direct(big(content, 139));
    MappedLogFile mapped = disk.createMappedLog(file);
    assumeTrue(mapped != null);
    try (LogWriter writer = LogWriter.mapped(file, mapped)) {
      writer.append(record, 0, 139);
      for (int i = 0; i < 4; i++) {
        writer.reserveAhead();
      }
      long before = threads.getCurrentThreadAllocatedBytes();
      for (int i = 0; i < 3000; i++) {
        writer.append(record, 0, 139);
      }
      assertThat(threads.getCurrentThreadAllocatedBytes() - before).isLessThan(3000);
    }
  }

  @Test
  void reserveAhead_failing_isNoFailureOfTheLog() throws IOException {
    Failing file = new Failing();
    LogWriter writer = LogWriter.mapped(Path.of("l"), file);
    writer.append(direct("foo"), 0, 3);
    file.failure = new IOException("disk full");
    assertThatThrownBy(writer::reserveAhead).isSameAs(file.failure);
    file.failure = null;
    writer.append(direct("foo"), 0, 3);
  }

  private record Store(long position, byte[] bytes) {}

  /** A mapped log that remembers its stores. */
  private static final class Recorder extends Failing {
    private final List<Store> all;

    Recorder(List<Store> all) {
      this.all = all;
    }

    @Override
    public void store(long position, ByteBuffer source, int offset, int length) throws IOException {
      super.store(position, source, offset, length);
      byte[] bytes = new byte[length];
      source.get(offset, bytes);
      all.add(new Store(position, bytes));
    }
  }

  /** A log, mapped or not, that keeps nothing and fails on demand. */
  private static class Failing implements MappedLogFile, WritableFile {
    IOException failure;
    Error error;
    long reserved;
    int stores;
    int syncs;
    long syncedFrom = -1;
    long syncedTo = -1;

    private void fail() throws IOException {
      if (failure != null) {
        throw failure;
      }
      if (error != null) {
        throw error;
      }
    }

    @Override
    public long reserved() {
      return reserved;
    }

    @Override
    public void reserve(long end) throws IOException {
      fail();
      assertThat(end % BLOCK).isZero();
      reserved = Math.max(reserved, end);
    }

    @Override
    public void store(long position, ByteBuffer source, int offset, int length) throws IOException {
      fail();
      assertThat(position + length).isLessThanOrEqualTo(reserved);
      stores++;
    }

    @Override
    public void sync(long from, long to) throws IOException {
      syncs++;
      syncedFrom = from;
      syncedTo = to;
      fail();
    }

    @Override
    public void cut(long length) {}

    @Override
    public void append(ByteBuffer bytes) throws IOException {
      fail();
    }

    @Override
    public void flush() throws IOException {
      fail();
    }

    @Override
    public void sync() throws IOException {
      fail();
    }

    @Override
    public long length() {
      return 0;
    }

    @Override
    public void close() throws IOException {
      fail();
    }
  }
}
