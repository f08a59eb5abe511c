package dev.kv.core.env;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.kv.core.Call;
import dev.kv.env.Env;
import dev.kv.env.MappedLogFile;
import dev.kv.env.RandomAccessFile;
import dev.kv.env.SequentialFile;
import dev.kv.env.WritableFile;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.NoSuchFileException;
import java.nio.file.NotDirectoryException;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Random;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.DisabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * What every environment keeps to: extend it, give an environment and an existing, empty directory.
 */
public abstract class EnvContract {
  private static final int BLOCK = 32 << 10;

  /** The environment under test. */
  protected Env env;

  /** A directory of it, existing and empty. */
  protected Path dir;

  /** Returns the environment under test. */
  protected abstract Env newEnv() throws IOException;

  /** Returns an existing and empty directory of that environment. */
  protected abstract Path newDirectory(Env env) throws IOException;

  @BeforeEach
  final void setUp() throws IOException {
    env = newEnv();
    dir = newDirectory(env);
  }

  // Sequential files.

  @Test
  final void sequential_readInPieces_givesEverythingThenMinusOne() throws IOException {
    byte[] data = randomBytes(100_000, 301);
    write("f", data);
    Random random = new Random(302);
    byte[] read = new byte[data.length];
    try (SequentialFile file = env.openSequential(dir.resolve("f"))) {
      int done = 0;
      while (done < data.length) {
        ByteBuffer into = buffer(random.nextBoolean(), 1 + random.nextInt(5000));
        int count = file.read(into);
        assertThat(count).isEqualTo(into.position()).isPositive();
        into.flip().get(read, done, count);
        done += count;
      }
      assertThat(file.read(ByteBuffer.allocate(1))).isEqualTo(-1);
      assertThat(file.read(ByteBuffer.allocateDirect(1))).isEqualTo(-1);
    }
    assertThat(read).isEqualTo(data);
  }

  @Test
  final void sequential_skip_goesOnBehind() throws IOException {
    write("f", "0123456789");
    try (SequentialFile file = env.openSequential(dir.resolve("f"))) {
      ByteBuffer into = ByteBuffer.allocate(2);
      file.read(into);
      file.skip(3);
      file.skip(0);
      into.clear();
      assertThat(file.read(into)).isEqualTo(2);
      assertThat(into.array()).isEqualTo("56".getBytes(US_ASCII));
      file.skip(Long.MAX_VALUE);
      assertThat(file.read(into.clear())).isEqualTo(-1);
    }
  }

  @Test
  final void sequential_intoAPartOfABuffer_writesNothingElse() throws IOException {
    write("f", "0123456789");
    ByteBuffer array = ByteBuffer.wrap(new byte[20], 5, 10).slice();
    for (ByteBuffer into : new ByteBuffer[] {array, ByteBuffer.allocateDirect(10)}) {
      try (SequentialFile file = env.openSequential(dir.resolve("f"))) {
        into.position(2).limit(5);
        assertThat(file.read(into)).isEqualTo(3);
        assertThat(into.position()).isEqualTo(5);
        byte[] read = new byte[10];
        into.clear().get(0, read);
        assertThat(read).containsExactly(0, 0, '0', '1', '2', 0, 0, 0, 0, 0);
        into.limit(0);
        assertThat(file.read(into)).isZero();
      }
    }
  }

  @Test
  final void open_missingFile_throwsNoSuchFile() throws IOException {
    Path missing = dir.resolve("missing");
    assertThatThrownBy(() -> env.openSequential(missing)).isInstanceOf(NoSuchFileException.class);
    assertThatThrownBy(() -> env.openRandomAccess(missing, true))
        .isInstanceOf(NoSuchFileException.class);
    assertThatThrownBy(() -> env.openRandomAccess(missing, false))
        .isInstanceOf(NoSuchFileException.class);
    assertThatThrownBy(() -> env.size(missing)).isInstanceOf(NoSuchFileException.class);
    assertThatThrownBy(() -> env.delete(missing)).isInstanceOf(NoSuchFileException.class);
    assertThatThrownBy(() -> env.rename(missing, dir.resolve("other")))
        .isInstanceOf(NoSuchFileException.class);
    assertThat(env.exists(missing)).isFalse();
  }

  @Test
  final void open_directory_throws() throws IOException {
    env.createDirectory(dir.resolve("d"));
    assertThatThrownBy(() -> env.openSequential(dir.resolve("d"))).isInstanceOf(IOException.class);
    assertThatThrownBy(() -> env.openRandomAccess(dir.resolve("d"), true))
        .isInstanceOf(IOException.class);
    assertThatThrownBy(() -> env.createWritable(dir.resolve("d"))).isInstanceOf(IOException.class);
    assertThatThrownBy(() -> env.delete(dir.resolve("d"))).isInstanceOf(IOException.class);
    assertThat(env.exists(dir.resolve("d"))).isTrue();
  }

  @Test
  final void create_inMissingDirectory_throwsNoSuchFile() {
    Path file = dir.resolve("missing").resolve("f");
    assertThatThrownBy(() -> env.createWritable(file)).isInstanceOf(NoSuchFileException.class);
    assertThatThrownBy(() -> env.openAppendable(file)).isInstanceOf(NoSuchFileException.class);
  }

  // Random access files.

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  final void randomAccess_read_givesBytesAtPosition(boolean map) throws IOException {
    byte[] data = randomBytes(200_000, 303);
    write("f", data);
    Random random = new Random(304);
    try (RandomAccessFile file = env.openRandomAccess(dir.resolve("f"), map)) {
      assertThat(file.size()).isEqualTo(data.length);
      for (int i = 0; i < 300; i++) {
        int position = random.nextInt(data.length + 100);
        int length = random.nextInt(i % 10 == 0 ? 150_000 : 5000);
        int offset = random.nextInt(100);
        ByteBuffer into = buffer(random.nextBoolean(), offset + length + 1);
        into.limit(offset + length).position(into.limit());
        int count = file.read(position, into, offset, length);
        assertThat(count).isEqualTo(Math.max(0, Math.min(length, data.length - position)));
        byte[] read = new byte[count];
        into.get(offset, read);
        assertThat(read)
            .isEqualTo(
                Arrays.copyOfRange(
                    data,
                    Math.min(position, data.length),
                    Math.min(position, data.length) + count));
        assertThat(into.position()).isEqualTo(into.limit()).isEqualTo(offset + length);
      }
    }
  }

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  final void randomAccess_emptyFile_readsNothing(boolean map) throws IOException {
    write("f", "");
    try (RandomAccessFile file = env.openRandomAccess(dir.resolve("f"), map)) {
      assertThat(file.size()).isZero();
      assertThat(file.read(0, ByteBuffer.allocate(10), 0, 10)).isZero();
      assertThat(file.read(Long.MAX_VALUE, ByteBuffer.allocate(10), 0, 10)).isZero();
    }
  }

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  final void randomAccess_badArguments_areRefused(boolean map) throws IOException {
    write("f", "0123456789");
    try (RandomAccessFile file = env.openRandomAccess(dir.resolve("f"), map)) {
      ByteBuffer into = ByteBuffer.allocateDirect(8);
      assertThatThrownBy(() -> file.read(-1, into, 0, 1))
          .isInstanceOf(IllegalArgumentException.class);
      assertThatThrownBy(() -> file.read(0, into, 4, 5))
          .isInstanceOf(IndexOutOfBoundsException.class);
      assertThatThrownBy(() -> file.read(0, into, -1, 5))
          .isInstanceOf(IndexOutOfBoundsException.class);
      assertThatThrownBy(() -> file.read(0, into, 0, -1))
          .isInstanceOf(IndexOutOfBoundsException.class);
      assertThat(file.read(2, into, 0, 8)).isEqualTo(8);
    }
  }

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  final void randomAccess_readAfterClose_throws(boolean map) throws IOException {
    write("f", "0123456789");
    RandomAccessFile file = env.openRandomAccess(dir.resolve("f"), map);
    file.close();
    file.close();
    assertThatThrownBy(() -> file.read(0, ByteBuffer.allocate(1), 0, 1))
        .isInstanceOf(IOException.class);
  }

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  final void randomAccess_closeRacesReads_theyReadOrThrow(boolean map) throws Exception {
    byte[] data = randomBytes(64 << 10, 305);
    write("f", data);
    for (int round = 0; round < 20; round++) {
      RandomAccessFile file = env.openRandomAccess(dir.resolve("f"), map);
      CountDownLatch reading = new CountDownLatch(2);
      AtomicReference<Throwable> wrong = new AtomicReference<>();
      Thread[] readers = new Thread[2];
      for (int i = 0; i < readers.length; i++) {
        readers[i] = env.startThread("reader", () -> readUntilClosed(file, data, reading, wrong));
      }
      assertThat(reading.await(60, TimeUnit.SECONDS)).isTrue();
      file.close();
      for (Thread reader : readers) {
        reader.join(60_000);
        assertThat(reader.isAlive()).isFalse();
      }
      assertThat(wrong.get()).isNull();
    }
  }

  private static void readUntilClosed(
      RandomAccessFile file,
      byte[] data,
      CountDownLatch reading,
      AtomicReference<Throwable> wrong) {
    try {
      ByteBuffer into = ByteBuffer.allocateDirect(4096);
      for (int i = 0; ; i++) {
        int position = (int) (i * 4096L % data.length);
        try {
          file.read(position, into, 0, 4096);
        } catch (IOException closed) {
          return;
        }
        assertThat(into.get(17)).isEqualTo(data[position + 17]);
        reading.countDown();
      }
    } catch (Throwable e) {
      wrong.set(e);
    }
  }

  @ParameterizedTest
  @DisabledOnOs(
      value = OS.WINDOWS,
      disabledReason = "files that are open are not deleted or renamed there")
  @ValueSource(booleans = {true, false})
  final void randomAccess_fileDeletedOrReplaced_readsOn(boolean map) throws IOException {
    write("f", "old");
    try (RandomAccessFile file = env.openRandomAccess(dir.resolve("f"), map)) {
      env.delete(dir.resolve("f"));
      write("f", "new");
      ByteBuffer into = ByteBuffer.allocate(3);
      assertThat(file.read(0, into, 0, 3)).isEqualTo(3);
      assertThat(into.array()).isEqualTo("old".getBytes(US_ASCII));
    }
  }

  @Test
  final void randomAccess_fileOverwritten_readsTheNewBytes() throws IOException {
    write("f", "before it");
    try (RandomAccessFile file = env.openRandomAccess(dir.resolve("f"), false)) {
      write("f", "behind it");
      ByteBuffer into = ByteBuffer.allocate(9);
      assertThat(file.read(0, into, 0, 9)).isEqualTo(9);
      assertThat(into.array()).isEqualTo("behind it".getBytes(US_ASCII));
    }
  }

  // Writable files.

  @Test
  final void writable_createdAgain_isTruncated() throws IOException {
    write("f", "first content");
    try (WritableFile file = env.createWritable(dir.resolve("f"))) {
      assertThat(file.length()).isZero();
      assertThat(env.size(dir.resolve("f"))).isZero();
      file.append(bytes("second"));
      assertThat(file.length()).isEqualTo(6);
    }
    assertThat(readAll("f")).isEqualTo("second".getBytes(US_ASCII));
  }

  @Test
  final void appendable_opened_goesOnAtTheEnd() throws IOException {
    try (WritableFile file = env.openAppendable(dir.resolve("f"))) {
      file.append(bytes("hello "));
    }
    try (WritableFile file = env.openAppendable(dir.resolve("f"))) {
      assertThat(file.length()).isEqualTo(6);
      file.append(bytes("world"));
      assertThat(file.length()).isEqualTo(11);
      file.sync();
    }
    assertThat(readAll("f")).isEqualTo("hello world".getBytes(US_ASCII));
  }

  @Test
  final void writable_flushed_isSeenByReaders() throws IOException {
    try (WritableFile file = env.createWritable(dir.resolve("f"))) {
      file.append(bytes("abc"));
      file.flush();
      assertThat(readAll("f")).isEqualTo("abc".getBytes(US_ASCII));
      file.append(bytes("def"));
      file.sync();
      assertThat(readAll("f")).isEqualTo("abcdef".getBytes(US_ASCII));
    }
  }

  @Test
  final void writable_largeAndSmallAppends_areKeptInOrder() throws IOException {
    byte[] data = randomBytes(1 << 20, 306);
    Random random = new Random(307);
    try (WritableFile file = env.createWritable(dir.resolve("f"))) {
      int done = 0;
      while (done < data.length) {
        int count =
            Math.min(data.length - done, random.nextInt(random.nextInt(4) == 0 ? 200_000 : 300));
        ByteBuffer piece = buffer(random.nextBoolean(), count + 3);
        piece.position(2).limit(2 + count);
        piece.put(2, data, done, count);
        file.append(piece);
        assertThat(piece.hasRemaining()).isFalse();
        done += count;
        assertThat(file.length()).isEqualTo(done);
        if (random.nextInt(10) == 0) {
          file.flush();
        }
      }
    }
    assertThat(readAll("f")).isEqualTo(data);
  }

  @Test
  final void writable_afterClose_throwsAndClosesAgain() throws IOException {
    WritableFile file = env.createWritable(dir.resolve("f"));
    file.append(bytes("x"));
    file.close();
    file.close();
    assertThatThrownBy(() -> file.append(bytes("y"))).isInstanceOf(IOException.class);
    assertThatThrownBy(file::flush).isInstanceOf(IOException.class);
    assertThatThrownBy(file::sync).isInstanceOf(IOException.class);
    assertThat(readAll("f")).isEqualTo("x".getBytes(US_ASCII));
  }

  // Mapped logs.

  @Test
  final void mappedLog_stored_isSeenAtOnceWithZerosBehind() throws IOException {
    try (MappedLogFile log = mappedLog("l")) {
      log.reserve(BLOCK);
      assertThat(log.reserved() % BLOCK).isZero();
      assertThat(log.reserved()).isGreaterThanOrEqualTo(BLOCK);
      ByteBuffer source = direct("xxhelloxx").limit(7).position(7);
      log.store(100, source, 2, 5);
      assertThat(source.position()).isEqualTo(source.limit()).isEqualTo(7);
      byte[] read = readAll("l");
      assertThat(read.length % BLOCK).isZero();
      assertThat(Arrays.copyOfRange(read, 100, 105)).isEqualTo("hello".getBytes(US_ASCII));
      assertAll(read, 0, 100, 0);
      assertAll(read, 105, read.length, 0);
    }
  }

  @Test
  final void mappedLog_createdOverAFile_beginsWithZeros() throws IOException {
    write("l", randomBytes(100_000, 308));
    try (MappedLogFile log = mappedLog("l")) {
      log.reserve(4 * BLOCK);
      assertAll(readAll("l"), 0, 4 * BLOCK, 0);
    }
  }

  @Test
  final void mappedLog_storesOverManyWindows_areAllThere() throws IOException {
    byte[] data = randomBytes(6 << 20, 309);
    ByteBuffer source = ByteBuffer.allocateDirect(data.length).put(0, data);
    Random random = new Random(310);
    try (MappedLogFile log = mappedLog("l")) {
      int done = 0;
      int synced = 0;
      while (done < data.length) {
        int count = Math.min(data.length - done, 1 + random.nextInt(300_000));
        if (log.reserved() < done + count) {
          log.reserve((done + count + BLOCK - 1L) / BLOCK * BLOCK);
        }
        log.store(done + count / 2, source, done + count / 2, count - count / 2);
        log.store(done, source, done, count / 2);
        done += count;
        if (random.nextInt(4) == 0) {
          log.sync(synced, done);
          synced = done;
        }
      }
      log.sync(0, done);
      log.cut(done);
    }
    assertThat(readAll("l")).isEqualTo(data);
  }

  /** From a buffer with these bytes alone: nothing after them is read. */
  @Test
  final void mappedLog_storeOverTheEndOfAWindow_isWhole() throws IOException {
    long position = (4 << 20) - 5;
    try (MappedLogFile log = mappedLog("l")) {
      log.reserve((4 << 20) + BLOCK);
      log.store(position, direct("0123456789"), 0, 10);
      log.store(position, direct(""), 0, 0);
      log.sync(position, position + 10);
      log.cut(position + 10);
    }
    byte[] read = readAll("l");
    assertThat(Arrays.copyOfRange(read, (int) position, read.length))
        .isEqualTo("0123456789".getBytes(US_ASCII));
  }

  @Test
  final void mappedLog_cutOrClosedByAnotherThread_isClosedByThisOne() throws Exception {
    MappedLogFile log = mappedLog("l");
    log.reserve(BLOCK);
    assertThat(Call.start(() -> log.cut(log.reserved())).outcome()).isNull();
    assertThat(Call.start(log::close).outcome()).isNull();
    log.close();
    assertThat(env.size(dir.resolve("l")) % BLOCK).isZero();
  }

  @Test
  final void mappedLog_reservedOnAnotherThread_storesGoOn() throws Exception {
    try (MappedLogFile log = mappedLog("l")) {
      AtomicReference<Throwable> wrong = new AtomicReference<>();
      Thread reserver =
          env.startThread(
              "reserver",
              () -> {
                try {
                  for (int i = 1; i <= 100; i++) {
                    log.reserve((long) i * BLOCK);
                  }
                } catch (Throwable e) {
                  wrong.set(e);
                }
              });
      ByteBuffer source = ByteBuffer.allocateDirect(1000);
      for (int i = 0; i < 1000; i++) {
        source.put(i, (byte) 7);
      }
      long end = 100L * BLOCK;
      for (long at = 0; at + 1000 <= end && wrong.get() == null; ) {
        if (at + 1000 <= log.reserved()) {
          log.store(at, source, 0, 1000);
          at += 1000;
        } else {
          Thread.onSpinWait();
        }
      }
      reserver.join(60_000);
      assertThat(wrong.get()).isNull();
      byte[] read = readAll("l");
      assertAll(read, 0, (int) (end / 1000 * 1000), 7);
    }
  }

  @Test
  final void mappedLog_badArguments_areRefused() throws IOException {
    try (MappedLogFile log = mappedLog("l")) {
      log.reserve(BLOCK);
      long reserved = log.reserved();
      ByteBuffer source = ByteBuffer.allocateDirect(16);
      assertThatThrownBy(() -> log.store(reserved - 7, source, 0, 8))
          .isInstanceOf(IllegalArgumentException.class);
      assertThatThrownBy(() -> log.store(-1, source, 0, 8))
          .isInstanceOf(IllegalArgumentException.class);
      assertThatThrownBy(() -> log.store(0, source, 9, 8))
          .isInstanceOf(IndexOutOfBoundsException.class);
      assertThatThrownBy(() -> log.reserve(BLOCK + 1)).isInstanceOf(IllegalArgumentException.class);
      assertThatThrownBy(() -> log.sync(0, reserved + 1))
          .isInstanceOf(IllegalArgumentException.class);
      assertThatThrownBy(() -> log.cut(reserved + 1)).isInstanceOf(IllegalArgumentException.class);
      log.store(reserved - 8, source, 8, 8);
      log.sync(0, 0);
      log.reserve(0);
      assertThat(log.reserved()).isEqualTo(reserved);
    }
  }

  @Test
  final void mappedLog_cut_endsThere() throws IOException {
    MappedLogFile log = mappedLog("l");
    log.reserve(2 * BLOCK);
    log.store(0, direct("hello"), 0, 5);
    log.cut(5);
    log.close();
    assertThat(readAll("l")).isEqualTo("hello".getBytes(US_ASCII));
  }

  @Test
  final void mappedLog_closedWithoutCut_keepsItsZeros() throws IOException {
    MappedLogFile log = mappedLog("l");
    log.reserve(2 * BLOCK);
    log.store(0, direct("hello"), 0, 5);
    log.close();
    log.close();
    byte[] read = readAll("l");
    assertThat(read.length % BLOCK).isZero();
    assertThat(Arrays.copyOf(read, 5)).isEqualTo("hello".getBytes(US_ASCII));
    assertAll(read, 5, read.length, 0);
  }

  @Test
  final void mappedLog_afterClose_throws() throws IOException {
    MappedLogFile log = mappedLog("l");
    log.reserve(BLOCK);
    log.close();
    assertThatThrownBy(() -> log.store(0, direct("x"), 0, 1)).isInstanceOf(IOException.class);
    assertThatThrownBy(() -> log.reserve(9 * BLOCK)).isInstanceOf(IOException.class);
    assertThatThrownBy(() -> log.sync(0, 1)).isInstanceOf(IOException.class);
    assertThatThrownBy(() -> log.cut(1)).isInstanceOf(IOException.class);
  }

  // Directories and names.

  @Test
  final void directory_filesComeAndGo_areListed() throws IOException {
    assertThat(env.list(dir)).isEmpty();
    write("f", "hello");
    env.createDirectory(dir.resolve("d"));
    write("d/inner", "x");
    assertThat(env.list(dir)).containsExactlyInAnyOrder("f", "d");
    assertThat(env.list(dir.resolve("d"))).containsExactly("inner");
    assertThat(env.exists(dir.resolve("f"))).isTrue();
    assertThat(env.exists(dir.resolve("d"))).isTrue();
    assertThat(env.size(dir.resolve("f"))).isEqualTo(5);
    env.delete(dir.resolve("f"));
    assertThat(env.exists(dir.resolve("f"))).isFalse();
    assertThat(env.list(dir)).containsExactly("d");
  }

  @Test
  final void directory_createdWithParentsAndTwice_isThere() throws IOException {
    Path deep = dir.resolve("a").resolve("b").resolve("c");
    env.createDirectory(deep);
    env.createDirectory(deep);
    assertThat(env.exists(dir.resolve("a").resolve("b"))).isTrue();
    assertThat(env.list(deep)).isEmpty();
  }

  @Test
  final void directory_overAFile_throws() throws IOException {
    write("f", "x");
    assertThatThrownBy(() -> env.createDirectory(dir.resolve("f")))
        .isInstanceOf(FileAlreadyExistsException.class);
    assertThatThrownBy(() -> env.list(dir.resolve("f"))).isInstanceOf(NotDirectoryException.class);
    assertThatThrownBy(() -> env.deleteDirectory(dir.resolve("f"))).isInstanceOf(IOException.class);
    assertThat(readAll("f")).hasSize(1);
  }

  @Test
  final void deleteDirectory_onlyWhenEmpty() throws IOException {
    env.createDirectory(dir.resolve("d"));
    write("d/f", "x");
    assertThatThrownBy(() -> env.deleteDirectory(dir.resolve("d"))).isInstanceOf(IOException.class);
    env.delete(dir.resolve("d").resolve("f"));
    env.deleteDirectory(dir.resolve("d"));
    assertThat(env.exists(dir.resolve("d"))).isFalse();
    assertThatThrownBy(() -> env.deleteDirectory(dir.resolve("d")))
        .isInstanceOf(NoSuchFileException.class);
  }

  @Test
  final void list_missingDirectory_throwsNoSuchFile() {
    assertThatThrownBy(() -> env.list(dir.resolve("missing")))
        .isInstanceOf(NoSuchFileException.class);
    assertThatThrownBy(() -> env.syncDirectory(dir.resolve("missing")))
        .isInstanceOf(NoSuchFileException.class);
  }

  @Test
  final void rename_overAnExisting_replacesIt() throws IOException {
    write("f", "new");
    write("g", "old content");
    env.rename(dir.resolve("f"), dir.resolve("g"));
    assertThat(env.exists(dir.resolve("f"))).isFalse();
    assertThat(readAll("g")).isEqualTo("new".getBytes(US_ASCII));
    env.syncDirectory(dir);
    env.rename(dir.resolve("g"), dir.resolve("h"));
    assertThat(env.list(dir)).containsExactly("h");
  }

  @Test
  @DisabledOnOs(
      value = OS.WINDOWS,
      disabledReason = "files that are open are not deleted or renamed there")
  final void rename_whileOpen_writesGoOn() throws IOException {
    try (WritableFile file = env.createWritable(dir.resolve("f"))) {
      file.append(bytes("abc"));
      env.rename(dir.resolve("f"), dir.resolve("g"));
      file.append(bytes("def"));
    }
    assertThat(readAll("g")).isEqualTo("abcdef".getBytes(US_ASCII));
  }

  @Test
  final void rename_directory_takesItsFilesAlong() throws IOException {
    env.createDirectory(dir.resolve("work").resolve("d"));
    write("work/d/f", "content");
    env.rename(dir.resolve("work").resolve("d"), dir.resolve("e"));
    assertThat(env.exists(dir.resolve("work").resolve("d"))).isFalse();
    assertThat(env.list(dir.resolve("work"))).isEmpty();
    assertThat(env.list(dir.resolve("e"))).containsExactly("f");
    assertThat(readAll("e/f")).isEqualTo("content".getBytes(US_ASCII));
    env.syncDirectory(dir);
    env.deleteDirectory(dir.resolve("work"));
  }

  @Test
  final void rename_directoryOverAnything_isRefused() throws IOException {
    env.createDirectory(dir.resolve("d"));
    env.createDirectory(dir.resolve("e"));
    write("d/f", "content");
    write("g", "file");
    for (String taken : new String[] {"e", "g"}) {
      assertThatThrownBy(() -> env.rename(dir.resolve("d"), dir.resolve(taken)))
          .isInstanceOf(IOException.class);
    }
    assertThat(readAll("d/f")).isEqualTo("content".getBytes(US_ASCII));
    assertThat(readAll("g")).isEqualTo("file".getBytes(US_ASCII));
  }

  // Links.

  @Test
  final void link_toAFile_isAnEqualNameOfIt() throws IOException {
    Assumptions.assumeTrue(links());
    env.createDirectory(dir.resolve("d"));
    write("f", "content");
    assertThat(env.link(dir.resolve("f"), dir.resolve("d").resolve("g"))).isTrue();
    env.syncDirectory(dir.resolve("d"));
    assertThat(readAll("d/g")).isEqualTo("content".getBytes(US_ASCII));
    assertThat(env.size(dir.resolve("d").resolve("g"))).isEqualTo(7);
    env.delete(dir.resolve("f"));
    assertThat(env.exists(dir.resolve("f"))).isFalse();
    assertThat(readAll("d/g")).isEqualTo("content".getBytes(US_ASCII));
    write("f", "another");
    assertThat(readAll("d/g")).isEqualTo("content".getBytes(US_ASCII));
  }

  @Test
  final void link_overAnExistingFile_isRefused() throws IOException {
    Assumptions.assumeTrue(links());
    write("f", "content");
    write("g", "other");
    assertThatThrownBy(() -> env.link(dir.resolve("f"), dir.resolve("g")))
        .isInstanceOf(FileAlreadyExistsException.class);
    assertThat(readAll("g")).isEqualTo("other".getBytes(US_ASCII));
  }

  @Test
  final void link_fromAMissingFileOrIntoAMissingDirectory_throwsNoSuchFile() throws IOException {
    Assumptions.assumeTrue(links());
    write("f", "content");
    assertThatThrownBy(() -> env.link(dir.resolve("missing"), dir.resolve("g")))
        .isInstanceOf(NoSuchFileException.class);
    assertThatThrownBy(() -> env.link(dir.resolve("f"), dir.resolve("missing").resolve("g")))
        .isInstanceOf(NoSuchFileException.class);
  }

  /** Returns true unless the environment cannot link, and says so by returning false. */
  private boolean links() throws IOException {
    write("linked", "x");
    boolean links = env.link(dir.resolve("linked"), dir.resolve("link"));
    assertThat(env.exists(dir.resolve("link"))).isEqualTo(links);
    return links;
  }

  // Locks.

  @Test
  final void lock_held_isRefusedUntilClosed() throws IOException {
    Path file = dir.resolve("LOCK");
    Env.Lock lock = env.lock(file);
    assertThat(lock).isNotNull();
    assertThat(env.exists(file)).isTrue();
    assertThat(env.lock(file)).isNull();
    assertThat(env.lock(dir.resolve("x").resolve("..").resolve("LOCK").normalize())).isNull();
    try (Env.Lock other = env.lock(dir.resolve("OTHER"))) {
      assertThat(other).isNotNull();
    }
    assertThat(env.lock(file)).isNull();
    lock.close();
    lock.close();
    Env.Lock again = env.lock(file);
    assertThat(again).isNotNull();
    lock.close();
    assertThat(env.lock(file)).isNull();
    again.close();
  }

  @Test
  final void lock_twoThreads_oneGetsIt() throws Exception {
    for (int round = 0; round < 20; round++) {
      CountDownLatch go = new CountDownLatch(1);
      Env.Lock[] locks = new Env.Lock[2];
      AtomicReference<Throwable> wrong = new AtomicReference<>();
      Thread[] threads = new Thread[2];
      for (int i = 0; i < 2; i++) {
        int index = i;
        threads[i] =
            env.startThread(
                "locker",
                () -> {
                  try {
                    go.await();
                    locks[index] = env.lock(dir.resolve("LOCK"));
                  } catch (Throwable e) {
                    wrong.set(e);
                  }
                });
      }
      go.countDown();
      for (Thread thread : threads) {
        thread.join(60_000);
      }
      assertThat(wrong.get()).isNull();
      assertThat(Arrays.stream(locks).filter(lock -> lock != null)).hasSize(1);
      for (Env.Lock lock : locks) {
        if (lock != null) {
          lock.close();
        }
      }
    }
  }

  // Clock and threads.

  @Test
  final void clock_sleep_goesForward() {
    long before = env.nowMicros();
    env.sleepMicros(2000);
    assertThat(env.nowMicros() - before).isBetween(2000L, 60_000_000L);
  }

  @Test
  final void sleep_interrupted_sleepsOnAndKeepsTheInterrupt() {
    long before = env.nowMicros();
    Thread.currentThread().interrupt();
    env.sleepMicros(5000);
    assertThat(Thread.interrupted()).isTrue();
    assertThat(env.nowMicros() - before).isGreaterThanOrEqualTo(5000);
  }

  @Test
  final void startThread_runsTheTaskOnADaemon() throws Exception {
    AtomicReference<Thread> ran = new AtomicReference<>();
    Thread thread = env.startThread("a name", () -> ran.set(Thread.currentThread()));
    thread.join(60_000);
    assertThat(ran.get()).isSameAs(thread).isNotSameAs(Thread.currentThread());
    assertThat(thread.isDaemon()).isTrue();
    assertThat(thread.getName()).isEqualTo("a name");
  }

  // Interrupts.

  @Test
  final void interruptedThread_everyCall_worksAndStaysInterrupted() throws IOException {
    byte[] data = randomBytes(100_000, 311);
    write("f", data);
    WritableFile writable = env.createWritable(dir.resolve("w"));
    RandomAccessFile positional = env.openRandomAccess(dir.resolve("f"), false);
    RandomAccessFile mapped = env.openRandomAccess(dir.resolve("f"), true);
    MappedLogFile log = env.createMappedLog(dir.resolve("l"));
    Thread.currentThread().interrupt();
    try {
      ByteBuffer into = ByteBuffer.allocateDirect(100);
      assertThat(positional.read(5000, into, 0, 100)).isEqualTo(100);
      assertThat(mapped.read(5000, into, 0, 100)).isEqualTo(100);
      writable.append(bytes("hello"));
      writable.sync();
      writable.append(bytes(" world"));
      writable.close();
      if (log != null) {
        log.reserve(3 << 20);
        log.store(2 << 20, direct("x"), 0, 1);
        log.sync(0, 3 << 20);
        log.store(2 << 20, direct("y"), 0, 1);
        log.sync(2 << 20, (2 << 20) + 1);
        log.cut(2 << 20);
        log.close();
      }
      try (Env.Lock lock = env.lock(dir.resolve("LOCK"));
          RandomAccessFile again = env.openRandomAccess(dir.resolve("f"), true)) {
        assertThat(lock).isNotNull();
        assertThat(again.read(1, into, 0, 100)).isEqualTo(100);
      }
      env.rename(dir.resolve("w"), dir.resolve("v"));
      env.syncDirectory(dir);
      assertThat(readAll("v")).isEqualTo("hello world".getBytes(US_ASCII));
      assertThat(env.list(dir)).contains("v");
      env.delete(dir.resolve("v"));
      assertThat(Thread.currentThread().isInterrupted()).isTrue();
    } finally {
      Thread.interrupted();
      positional.close();
      mapped.close();
    }
  }

  // Tools.

  /** Creates a file with that content. */
  protected final void write(String name, String content) throws IOException {
    write(name, content.getBytes(US_ASCII));
  }

  /** Creates a file with that content. */
  protected final void write(String name, byte[] content) throws IOException {
    try (WritableFile file = env.createWritable(dir.resolve(name))) {
      file.append(ByteBuffer.wrap(content));
    }
  }

  /** Returns a file's content. */
  protected final byte[] readAll(String name) throws IOException {
    Path path = dir.resolve(name);
    ByteBuffer into = ByteBuffer.allocate(Math.toIntExact(env.size(path)));
    try (SequentialFile file = env.openSequential(path)) {
      while (into.hasRemaining() && file.read(into) >= 0) {
        assertThat(into.position()).isPositive();
      }
    }
    return into.array();
  }

  /** Creates a mapped log, or skips the test where the environment has none. */
  protected final MappedLogFile mappedLog(String name) throws IOException {
    MappedLogFile log = env.createMappedLog(dir.resolve(name));
    Assumptions.assumeTrue(log != null);
    return log;
  }

  /** Asserts that the bytes [from, to) are all {@code value}. */
  protected static void assertAll(byte[] bytes, int from, int to, int value) {
    assertThat(bytes.length).isGreaterThanOrEqualTo(to);
    for (int i = from; i < to; i++) {
      if (bytes[i] != value) {
        throw new AssertionError("byte " + i + " is " + bytes[i] + ", not " + value);
      }
    }
  }

  /** Returns a direct buffer that holds {@code text}. */
  protected static ByteBuffer direct(String text) {
    byte[] bytes = text.getBytes(US_ASCII);
    return ByteBuffer.allocateDirect(bytes.length).order(ByteOrder.LITTLE_ENDIAN).put(0, bytes);
  }

  private static ByteBuffer bytes(String text) {
    return ByteBuffer.wrap(text.getBytes(US_ASCII));
  }

  private static ByteBuffer buffer(boolean direct, int capacity) {
    return direct ? ByteBuffer.allocateDirect(capacity) : ByteBuffer.allocate(capacity);
  }

  /** Returns {@code length} bytes that depend on {@code seed} alone. */
  protected static byte[] randomBytes(int length, long seed) {
    byte[] bytes = new byte[length];
    new Random(seed).nextBytes(bytes);
    return bytes;
  }
}
