package dev.kv.core.env;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.kv.core.Children;
import dev.kv.core.CutsMappedFile;
import dev.kv.env.Env;
import dev.kv.env.MappedLogFile;
import dev.kv.env.RandomAccessFile;
import dev.kv.env.SequentialFile;
import dev.kv.env.WritableFile;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.FileChannel.MapMode;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.BasicFileAttributes;
import java.nio.file.attribute.FileTime;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.DisabledOnOs;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

final class FileEnvTest extends EnvContract {
  private static final int OPENS_MISSED = Boolean.getBoolean("kv.long") ? 2000 : 300;

  @TempDir private Path temp;
  private final CountingMapper mapper = new CountingMapper();
  private FileEnv fileEnv;

  @Override
  protected Env newEnv() {
    fileEnv = new FileEnv(mapper);
    return fileEnv;
  }

  @Override
  protected Path newDirectory(Env env) throws IOException {
    return Files.createDirectory(temp.resolve("db"));
  }

  /** Before Java 27 a file that Windows keeps in a cloud, or has deduplicated, is "other". */
  @Test
  void regularFile_whatWindowsCallsOther_isAFileThereUnlessItIsADirectory() {
    assertThat(RegularFile.isRegular(new Attributes(false, true), true)).isTrue();
    assertThat(RegularFile.isRegular(new Attributes(true, true), true)).isFalse();
    assertThat(RegularFile.isRegular(new Attributes(true, false), true)).isFalse();
    assertThat(RegularFile.isRegular(new Attributes(false, true), false)).isFalse();
  }

  /** Attributes of what is no regular file. */
  private record Attributes(boolean isDirectory, boolean isOther) implements BasicFileAttributes {
    @Override
    public boolean isRegularFile() {
      return false;
    }

    @Override
    public boolean isSymbolicLink() {
      return false;
    }

    @Override
    public FileTime lastModifiedTime() {
      return FileTime.fromMillis(0);
    }

    @Override
    public FileTime lastAccessTime() {
      return FileTime.fromMillis(0);
    }

    @Override
    public FileTime creationTime() {
      return FileTime.fromMillis(0);
    }

    @Override
    public long size() {
      return 0;
    }

    @Override
    public Object fileKey() {
      return this;
    }
  }

  /** Windows does not delete the directory if a file is left open. */
  @AfterEach
  void nothingIsLeftOpen() throws IOException {
    fileEnv.awaitUnmapped();
    assertThat(mapper.live()).as("mappings").isZero();
    if (OS.LINUX.isCurrentOs()) {
      assertThat(Descriptors.of(temp.toRealPath().toString())).isEmpty();
    }
  }

  @Test
  void files_openedAndClosed_areMappedMeanwhileIfAskedFor() throws IOException {
    write("f", "hello");
    SequentialFile sequential = env.openSequential(dir.resolve("f"));
    RandomAccessFile positional = env.openRandomAccess(dir.resolve("f"), false);
    RandomAccessFile mapped = env.openRandomAccess(dir.resolve("f"), true);
    WritableFile writable = env.openAppendable(dir.resolve("f"));
    MappedLogFile log = mappedLog("l");
    assertThat(mapper.live()).isEqualTo(2);
    assertThat(mapped.mappedBytes()).isEqualTo(5);
    assertThat(positional.mappedBytes()).isZero();
    for (AutoCloseable each : List.of(sequential, positional, mapped, writable, log)) {
      try {
        each.close();
      } catch (Exception e) {
        throw new AssertionError(e);
      }
    }
    fileEnv.awaitUnmapped();
    assertThat(mapper.live()).isZero();
  }

  @Test
  @EnabledOnOs(value = OS.LINUX, disabledReason = "lists descriptors and mappings in /proc")
  void files_closed_leaveNoDescriptorAndNoMapping() throws IOException {
    write("f", "hello");
    Path path = dir.resolve("f");
    env.openSequential(path).close();
    assertThat(descriptorsAndMappings()).isEmpty();
    env.openRandomAccess(path, false).close();
    assertThat(descriptorsAndMappings()).isEmpty();
    env.openAppendable(path).close();
    assertThat(descriptorsAndMappings()).isEmpty();
    try (RandomAccessFile mapped = env.openRandomAccess(path, true)) {
      assertThat(mapped.mappedBytes()).isEqualTo(5);
      assertThat(descriptorsAndMappings()).as("a mapping").hasSize(1);
    }
    assertThat(descriptorsAndMappings()).isEmpty();
    try (MappedLogFile log = mappedLog("l")) {
      assertThat(descriptorsAndMappings()).as("both").hasSize(2);
      log.cut(0);
      assertThat(descriptorsAndMappings()).as("a descriptor").hasSize(1);
    }
    assertThat(descriptorsAndMappings()).isEmpty();
    try (Env.Lock lock = env.lock(dir.resolve("LOCK"))) {
      assertThat(lock).isNotNull();
      assertThat(descriptorsAndMappings()).hasSize(1);
    }
    assertThat(descriptorsAndMappings()).isEmpty();
  }

  private List<String> descriptorsAndMappings() throws IOException {
    fileEnv.awaitUnmapped();
    String real = dir.toRealPath().toString();
    List<String> found = Descriptors.of(real);
    try (Stream<String> mappings = Files.lines(Path.of("/proc/self/maps"))) {
      mappings.filter(line -> line.contains(real)).forEach(found::add);
    }
    return found;
  }

  @Test
  void mappedFile_asMappedBytes_showsTheWholeFile() throws IOException {
    write("f", "\u0001\0\0\0hello");
    try (RandomAccessFile file = env.openRandomAccess(dir.resolve("f"), true)) {
      MappedBytes bytes = (MappedBytes) file;
      ByteBuffer mapping = bytes.mapping();
      assertThat(mapping.capacity()).isEqualTo(9);
      assertThat(mapping.isReadOnly()).isTrue();
      assertThat(mapping.getInt(0)).as("little-endian").isEqualTo(1);
      mapping.position(3);
      assertThat(bytes.mapping().position()).isZero();
      bytes.absorbFault();
      assertThat(bytes.absorbMissedFault()).isFalse();
    }
  }

  @Test
  void sequential_skippedToTheEnd_readsWhatIsAppendedThen() throws IOException {
    write("f", "0123456789");
    try (SequentialFile file = env.openSequential(dir.resolve("f"))) {
      file.read(ByteBuffer.allocate(4));
      file.skip(100);
      Files.writeString(dir.resolve("f"), "abc", StandardOpenOption.APPEND);
      ByteBuffer into = ByteBuffer.allocate(10);
      assertThat(file.read(into)).isEqualTo(3);
      assertThat(into.get(0)).isEqualTo((byte) 'a');
    }
  }

  @Test
  void mappedLog_createdOverALargerFile_holdsNothingOfIt() throws IOException {
    byte[] before = new byte[5 << 20];
    Arrays.fill(before, (byte) 7);
    write("l", before);
    try (MappedLogFile log = mappedLog("l")) {
      log.reserve(32 << 10);
      byte[] read = readAll("l");
      assertThat(read).hasSize(4 << 20);
      assertAll(read, 0, read.length, 0);
      log.reserve(4 << 20);
      assertThat(env.size(dir.resolve("l"))).isEqualTo(4 << 20);
    }
  }

  @Test
  void mappedLog_reserved_hasWhatWasAskedFor() throws IOException {
    try (MappedLogFile log = mappedLog("l")) {
      log.reserve(3 * (32 << 10));
      assertThat(log.reserved()).isEqualTo(3 * (32 << 10));
      log.reserve(32 << 10);
      assertThat(log.reserved()).isEqualTo(3 * (32 << 10));
    }
  }

  @Test
  void mappedLog_afterClose_saysThatItIsClosed() throws IOException {
    MappedLogFile log = mappedLog("l");
    log.reserve(32 << 10);
    log.sync(0, 1); // of the size
    log.close();
    assertThatThrownBy(() -> log.reserve(64 << 10)).hasMessage("closed: " + dir.resolve("l"));
    assertThatThrownBy(() -> log.sync(0, 1)).hasMessage("closed: " + dir.resolve("l"));
    assertThatThrownBy(() -> log.cut(0)).hasMessage("closed: " + dir.resolve("l"));
    assertThatThrownBy(() -> log.store(0, direct("x"), 0, 1))
        .hasMessage("closed: " + dir.resolve("l"));
  }

  /** What is in the file is not known. */
  @Test
  @EnabledOnOs(value = OS.LINUX, disabledReason = "writes to a device that is always full")
  void writable_afterAFailedWrite_isNotUsed() throws IOException {
    Path full = Path.of("/dev/full");
    java.io.RandomAccessFile device = new java.io.RandomAccessFile(full.toFile(), "rw");
    try (WritableFile file = new FileWritable(full, device, DescriptorSync.DESCRIPTOR)) {
      file.append(ByteBuffer.allocate(10));
      assertThatThrownBy(file::flush)
          .isInstanceOf(IOException.class)
          .hasMessageNotContaining("earlier");
      String earlier = "an earlier write failed: /dev/full";
      assertThatThrownBy(() -> file.append(ByteBuffer.allocate(10))).hasMessage(earlier);
      assertThatThrownBy(file::flush).hasMessage(earlier);
      assertThatThrownBy(file::sync).hasMessage(earlier);
    }
  }

  @Test
  void writable_afterClose_saysThatItIsClosed() throws IOException {
    WritableFile file = env.createWritable(dir.resolve("f"));
    file.close();
    assertThatThrownBy(() -> file.append(ByteBuffer.allocate(1)))
        .hasMessage("closed: " + dir.resolve("f"));
    assertThatThrownBy(file::sync).hasMessage("closed: " + dir.resolve("f"));
  }

  @Test
  void create_belowAFile_saysWhatCannotBeOpened() throws IOException {
    write("f", "x");
    Path below = dir.resolve("f").resolve("g");
    assertThatThrownBy(() -> env.createWritable(below))
        .isInstanceOf(IOException.class)
        .hasMessageContaining("cannot open " + below);
  }

  @Test
  void exists_belowAFile_isFalse() throws IOException {
    write("f", "x");
    assertThat(env.exists(dir.resolve("f").resolve("g"))).isFalse();
    assertThat(env.exists(dir.resolve("f").resolve("g").resolve("h"))).isFalse();
  }

  /** A link that names itself is something that the file system cannot look through. */
  @Test
  @DisabledOnOs(value = OS.WINDOWS, disabledReason = "symbolic links need a privilege there")
  void exists_fileSystemCannotTell_isAnError() throws IOException {
    Path loop = dir.resolve("loop");
    Files.createSymbolicLink(loop, loop);
    for (Path path : List.of(loop, loop.resolve("g"), loop.resolve("g").resolve("h"))) {
      assertThatThrownBy(() -> env.exists(path))
          .isInstanceOf(FileSystemException.class)
          .isNotInstanceOf(NoSuchFileException.class)
          .hasMessageContaining(path.toString());
    }
    Path dangling = Files.createSymbolicLink(dir.resolve("dangling"), dir.resolve("nowhere"));
    assertThat(env.exists(dangling)).isFalse();
  }

  @Test
  @DisabledOnOs(value = OS.WINDOWS, disabledReason = "symbolic links need a privilege there")
  void rename_throughASymbolicLink_followsItsDirectory() throws IOException {
    Path elsewhere = Files.createDirectory(temp.resolve("elsewhere"));
    Path link = Files.createSymbolicLink(dir.resolve("link"), elsewhere);
    write("f", "x");
    env.rename(dir.resolve("f"), link.resolve("f"));
    assertThat(elsewhere.resolve("f")).hasContent("x");
    env.rename(link.resolve("f"), link.resolve("g"));
    assertThat(elsewhere.resolve("g")).hasContent("x");
    env.rename(link.resolve("g"), dir.resolve("f"));
    env.createDirectory(elsewhere.resolve("made.partial/files"));
    env.rename(link.resolve("made.partial/files"), link.resolve("made"));
    assertThat(elsewhere.resolve("made")).isDirectory();
  }

  @Test
  @DisabledOnOs(value = OS.WINDOWS, disabledReason = "symbolic links need a privilege there")
  void isSymbolicLink_tellsOfThePathItself() throws IOException {
    Path elsewhere = Files.createDirectory(temp.resolve("elsewhere"));
    Path link = Files.createSymbolicLink(dir.resolve("link"), elsewhere);
    write("f", "x");
    assertThat(env.isSymbolicLink(link)).isTrue();
    assertThat(env.isSymbolicLink(dir.resolve("f"))).isFalse();
    assertThat(env.isSymbolicLink(elsewhere)).isFalse();
  }

  /** A link to a symbolic link would be one, and could lead to another file. */
  @Test
  @DisabledOnOs(value = OS.WINDOWS, disabledReason = "symbolic links need a privilege there")
  void link_toAnythingButAFile_isNotMade() throws IOException {
    write("f", "x");
    Path symbolic = Files.createSymbolicLink(dir.resolve("s"), dir.resolve("f"));
    env.createDirectory(dir.resolve("d"));
    assertThat(env.link(symbolic, dir.resolve("g"))).isFalse();
    assertThat(env.link(dir.resolve("d"), dir.resolve("g"))).isFalse();
    assertThat(dir.resolve("g")).doesNotExist();
  }

  @Test
  @EnabledOnOs(value = OS.LINUX, disabledReason = "needs a second file system")
  void link_intoAnotherFileSystem_isNotMade() throws IOException {
    Path shared = Path.of("/dev/shm");
    Assumptions.assumeTrue(
        Files.isWritable(shared) && !Files.getFileStore(shared).equals(Files.getFileStore(dir)));
    write("f", "x");
    Path link = shared.resolve("kv-" + ProcessHandle.current().pid() + "-" + System.nanoTime());
    assertThat(env.link(dir.resolve("f"), link)).isFalse();
    assertThat(link).doesNotExist();
  }

  @Test
  @Timeout(60)
  void unmapper_whenIdle_hasNoThread() throws Exception {
    write("f", "hello");
    List<RandomAccessFile> files = new ArrayList<>();
    for (int i = 0; i < 50; i++) {
      files.add(env.openRandomAccess(dir.resolve("f"), true));
    }
    assertThat(mapper.live()).isEqualTo(50);
    for (RandomAccessFile file : files) {
      file.close();
    }
    fileEnv.awaitUnmapped();
    assertThat(mapper.live()).isZero();
    for (Thread thread : Thread.getAllStackTraces().keySet()) {
      if (thread.getName().equals("kv-unmap")) {
        thread.join(); // would not end if the thread waited for more work
      }
    }
  }

  @Test
  void mappedFile_closedWhileRead_isUnmappedAfterTheRead() throws IOException {
    write("f", randomBytes(100_000, 1));
    MappedFile file = (MappedFile) env.openRandomAccess(dir.resolve("f"), true);
    assertThat(file.mappedBytes()).isEqualTo(100_000);
    assertThat(file.tryRetain()).isTrue(); // as each read does at its beginning
    file.close();
    fileEnv.awaitUnmapped();
    assertThat(mapper.live()).isEqualTo(1);
    file.release();
    fileEnv.awaitUnmapped();
    assertThat(mapper.live()).isZero();
    assertThatThrownBy(() -> file.read(0, ByteBuffer.allocate(1), 0, 1))
        .isInstanceOf(IOException.class)
        .hasMessageContaining(dir.resolve("f").toString());
  }

  /** As on 32 bits, if the addresses are used up. */
  @Test
  void mappings_refusedByTheSystem_areReplacedByReads() throws IOException {
    Mapper refusing =
        new Mapper() {
          @Override
          Mapping map(FileChannel channel, MapMode mode, long position, long size)
              throws IOException {
            throw new IOException("Map failed", new OutOfMemoryError("Map failed"));
          }
        };
    write("f", "hello");
    for (FileEnv unmapped : List.of(new FileEnv(refusing), new FileEnv(null))) {
      try (RandomAccessFile file = unmapped.openRandomAccess(dir.resolve("f"), true)) {
        ByteBuffer read = ByteBuffer.allocate(5);
        assertThat(file.read(0, read, 0, 5)).isEqualTo(5);
        assertThat(new String(read.array(), StandardCharsets.UTF_8)).isEqualTo("hello");
        assertThat(file.mappedBytes()).isZero();
      }
      assertThat(unmapped.createMappedLog(dir.resolve("l"))).isNull();
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"bcachefs", "btrfs", "nilfs2", "zfs"})
  void createMappedLog_onAFileSystemThatCopiesOnWrite_isNoneAndNoFile(String type)
      throws IOException {
    Path file = dir.resolve("l");
    assertThat(new FileEnv(new CountingMapper(type)).createMappedLog(file)).isNull();
    assertThat(file).doesNotExist();
  }

  @ParameterizedTest
  @ValueSource(strings = {"ext4", "xfs", "tmpfs", "overlay", "apfs", "NTFS", ""})
  void createMappedLog_onAnotherFileSystem_isMapped(String type) throws IOException {
    FileEnv other = new FileEnv(new CountingMapper(type));
    try (MappedLogFile log = other.createMappedLog(dir.resolve("l"))) {
      assertThat(log).isNotNull();
    }
  }

  /** A jail may hide the list of mounts. */
  @Test
  void createMappedLog_onAnUnknownFileSystem_isMapped() throws IOException {
    CountingMapper unknown =
        new CountingMapper("") {
          @Override
          String fileSystemType(Path directory) throws IOException {
            throw new IOException("Mount point not found");
          }
        };
    try (MappedLogFile log = new FileEnv(unknown).createMappedLog(dir.resolve("l"))) {
      assertThat(log).isNotNull();
    }
  }

  @Test
  void fileSystemType_ofADirectory_isThatOfItsFileStore() throws IOException {
    Mapper system = requireNonNull(Mapper.forRuntime());
    assertThat(system.fileSystemType(dir)).isEqualTo(Files.getFileStore(temp).type());
  }

  /** Windows refuses it while the file is mapped. */
  @Test
  void mappedFiles_closed_canBeReplacedAndDeleted() throws IOException {
    for (int i = 0; i < 50; i++) {
      Path file = dir.resolve("f" + i);
      write("f" + i, randomBytes(10_000, i));
      env.openRandomAccess(file, true).close();
      Files.write(file, new byte[1]);
      Files.delete(file);
    }
  }

  /** Hot code, as that is where the runtime reports the fault late. */
  @Test
  @CutsMappedFile
  void mappedFile_cutShortUnderReaders_throwsIOExceptionAndNothingLater() throws IOException {
    byte[] data = randomBytes(1 << 20, 2);
    write("f", data);
    ByteBuffer into = ByteBuffer.allocateDirect(4096);
    try (RandomAccessFile file = env.openRandomAccess(dir.resolve("f"), true)) {
      long sum = 0;
      for (int i = 0; i < 30_000; i++) {
        sum += readOrMinusOne(file, i * 64 % 900_000, into, 1 + i % 4096);
      }
      assertThat(sum).isEqualTo(30_000);
      try (java.io.RandomAccessFile cutter =
          new java.io.RandomAccessFile(dir.resolve("f").toFile(), "rw")) {
        cutter.setLength(4096);
      }
      for (int i = 0; i < 3000; i++) {
        assertThat(readOrMinusOne(file, 4096 + i * 64, into, 1 + i % 4096)).isEqualTo(-1);
      }
      assertThat(readOrMinusOne(file, 0, into, 4096)).isEqualTo(1);
      assertThat(into.get(100)).isEqualTo(data[100]);
      // Straddling the new end: the last byte is not there.
      assertThat(readOrMinusOne(file, 4000, into, 200)).isEqualTo(-1);
      assertThatThrownBy(() -> file.read(8192, into, 0, 10))
          .isInstanceOf(IOException.class)
          .hasMessageContaining(dir.resolve("f").toString());
    }
  }

  private static int readOrMinusOne(RandomAccessFile file, int at, ByteBuffer into, int length) {
    try {
      int count = file.read(at, into, 0, length);
      return count == length ? 1 : 0;
    } catch (IOException e) {
      return -1;
    }
  }

  @Test
  @CutsMappedFile
  void mappedLog_cutShortUnderStores_throwsIOException() throws IOException {
    try (MappedLogFile log = mappedLog("l")) {
      log.reserve(1 << 20);
      ByteBuffer source = direct("0123456789");
      for (int i = 0; i < 20_000; i++) {
        log.store(i * 20, source, 0, 10);
      }
      try (java.io.RandomAccessFile cutter =
          new java.io.RandomAccessFile(dir.resolve("l").toFile(), "rw")) {
        cutter.setLength(0);
      }
      for (int i = 0; i < 100; i++) {
        int at = i * 4096;
        assertThatThrownBy(() -> log.store(at, source, 0, 10))
            .isInstanceOf(IOException.class)
            .hasMessageContaining(dir.resolve("l").toString());
      }
      assertThatThrownBy(() -> log.reserve(2 << 20)).isInstanceOf(IOException.class);
    }
  }

  @Test
  void interruptsAllTheTime_openAndReadAndReserve_neverFail() throws Exception {
    write("f", randomBytes(10_000, 3));
    Thread victim = Thread.currentThread();
    AtomicReference<Boolean> stop = new AtomicReference<>(false);
    Thread interrupter =
        env.startThread(
            "interrupter",
            () -> {
              while (!stop.get()) {
                victim.interrupt();
                env.sleepMicros(20);
              }
            });
    try (MappedLogFile log = mappedLog("l")) {
      ByteBuffer into = ByteBuffer.allocateDirect(100);
      for (int i = 0; i < 200; i++) {
        try (RandomAccessFile file = env.openRandomAccess(dir.resolve("f"), i % 4 != 0);
            WritableFile writable = env.createWritable(dir.resolve("w"))) {
          assertThat(file.read(i, into, 0, 100)).isEqualTo(100);
          writable.append(ByteBuffer.allocate(1000));
        }
        if (i % 40 == 0) {
          log.reserve((i / 40 + 1) << 20);
          log.sync(0, log.reserved());
          env.syncDirectory(dir);
        }
        try (Env.Lock lock = env.lock(dir.resolve("LOCK"))) {
          assertThat(lock).isNotNull();
        }
      }
    } finally {
      stop.set(true);
      interrupter.interrupt();
      boolean joined = false;
      while (!joined) {
        try {
          interrupter.join();
          joined = true;
        } catch (InterruptedException e) {
          Thread.interrupted();
        }
      }
      Thread.interrupted();
    }
  }

  /** A limit of the shell makes writes short, then fails them, as a full disk does. */
  @Test
  @DisabledOnOs(value = OS.WINDOWS, disabledReason = "the limit is the shell's")
  void fileLimit_met_isAnIOExceptionAndWhatWasWrittenStays() throws Exception {
    assertThat(limited(3000)).isEqualTo("ok");
  }

  /** Without a mapping, it would fail at a write, and not while nothing depends on it. */
  @Test
  @DisabledOnOs(value = OS.WINDOWS, disabledReason = "the limit is the shell's")
  void createMappedLog_withoutSpaceForABlock_fails() throws Exception {
    assertThat(limited(30, "log")).isEqualTo("failed");
    assertThat(limited(1000, "log")).isEqualTo("log of 32768");
  }

  private String limited(int blocks, String... more) throws Exception {
    Path shell = Path.of("/bin/sh");
    Assumptions.assumeTrue(Files.isExecutable(shell));
    String java = Path.of(System.getProperty("java.home"), "bin", "java").toString();
    List<String> command =
        new ArrayList<>(
            List.of(
                shell.toString(),
                "-c",
                "ulimit -f " + blocks + "; exec \"$@\"",
                "sh",
                java,
                "-XX:TieredStopAtLevel=1",
                "-XX:-UsePerfData",
                "-Dorg.slf4j.simpleLogger.defaultLogLevel=off",
                "-cp",
                System.getProperty("java.class.path"),
                LimitedWriter.class.getName(),
                dir.toString()));
    command.addAll(List.of(more));
    Children.Ended child = Children.run(command);
    assertThat(child.exitCode()).as(child.output()).isZero();
    return child.output().strip();
  }

  @ParameterizedTest
  @DisabledOnOs(value = OS.WINDOWS, disabledReason = "lists descriptors in /proc")
  @ValueSource(strings = {"sequential", "random-access", "writable", "appendable", "log", "LOCK"})
  void childProcess_startedWhileAFileIsOpen_inheritsNoDescriptor(String kind) throws Exception {
    Path descriptors = Path.of("/proc/self/fd");
    Assumptions.assumeTrue(Files.exists(descriptors), "no " + descriptors + " here");
    write("f", "hello");
    Path path = dir.resolve("f");
    AutoCloseable open =
        switch (kind) {
          case "sequential" -> env.openSequential(path);
          case "random-access" -> env.openRandomAccess(path, false);
          case "writable" -> env.createWritable(path);
          case "appendable" -> env.openAppendable(path);
          case "log" -> mappedLog("f");
          default -> env.lock(path);
        };
    try (open) {
      assertThat(listed("/proc/" + pid() + "/fd")).contains(path.toRealPath().toString());
      assertThat(listed("/proc/self/fd"))
          .contains("/proc/")
          .doesNotContain(dir.toRealPath().toString());
    }
  }

  private static long pid() {
    return ProcessHandle.current().pid();
  }

  private static String listed(String directory) throws Exception {
    return Children.run(List.of("ls", "-l", directory)).output();
  }

  @Test
  @DisabledOnOs(value = OS.WINDOWS, disabledReason = "symbolic links need a privilege there")
  void writing_throughASymbolicLink_isRefusedAndTheTargetUntouched() throws IOException {
    Path target = Files.writeString(temp.resolve("target"), "somebody's");
    Path link = Files.createSymbolicLink(dir.resolve("000007.dbtmp"), target);
    Path dangling = Files.createSymbolicLink(dir.resolve("000008.log"), temp.resolve("none"));
    for (Path each : List.of(link, dangling)) {
      assertThatThrownBy(() -> env.createWritable(each))
          .isInstanceOf(IOException.class)
          .hasMessageContainingAll(each.toString(), "symbolic link");
      assertThatThrownBy(() -> env.openAppendable(each)).isInstanceOf(IOException.class);
      assertThatThrownBy(() -> env.createMappedLog(each)).isInstanceOf(IOException.class);
    }
    assertThat(target).hasContent("somebody's");
    assertThat(temp.resolve("none")).doesNotExist();
    assertThat(env.size(link)).isEqualTo(10);
    env.delete(link);
    assertThat(target).exists();
  }

  /** As a reader beside a writer meets it: what is no more there is missing, and nothing else. */
  @ParameterizedTest
  @DisabledOnOs(
      value = OS.WINDOWS,
      disabledReason = "files that are open are not deleted or renamed there")
  @ValueSource(booleans = {true, false})
  @Timeout(value = 60, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
  void opening_aFileThatIsDeletedMeanwhile_opensItOrSaysThatItIsMissing(boolean map)
      throws Exception {
    AtomicInteger last = new AtomicInteger();
    AtomicBoolean done = new AtomicBoolean();
    AtomicReference<Throwable> failure = new AtomicReference<>();
    Thread writer =
        new Thread(
            () -> {
              try {
                while (!done.get()) {
                  int next = last.get() + 1;
                  Files.write(dir.resolve(next + ".ldb"), new byte[10]);
                  last.set(next);
                  Files.delete(dir.resolve(next + ".ldb"));
                }
              } catch (Throwable e) {
                failure.set(e);
              }
            });
    writer.start();
    int missing = 0;
    int opened = 0;
    try {
      while ((missing < OPENS_MISSED || opened == 0) && failure.get() == null) {
        try {
          env.openRandomAccess(dir.resolve(last.get() + ".ldb"), map).close();
          opened++;
        } catch (NoSuchFileException e) {
          missing++;
        }
      }
    } finally {
      done.set(true);
      writer.join();
    }
    assertThat(failure.get()).isNull();
  }

  /** A read of a pipe would wait forever. */
  @Test
  @DisabledOnOs(value = OS.WINDOWS, disabledReason = "there are no such files there")
  @Timeout(value = 60, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
  void opening_aPipeOrADevice_isRefused() throws Exception {
    Path pipe = dir.resolve("000003.log");
    Process made = new ProcessBuilder("mkfifo", pipe.toString()).start();
    Assumptions.assumeTrue(made.waitFor() == 0, "no mkfifo here");
    Path device = Files.createSymbolicLink(dir.resolve("000004.ldb"), Path.of("/dev/zero"));
    for (Path each : List.of(pipe, device)) {
      assertThatThrownBy(() -> env.lock(each)).isInstanceOf(IOException.class);
      assertThatThrownBy(() -> env.openAppendable(each)).isInstanceOf(IOException.class);
      assertThatThrownBy(() -> env.createMappedLog(each)).isInstanceOf(IOException.class);
      assertThatThrownBy(() -> env.openSequential(each))
          .isInstanceOf(IOException.class)
          .hasMessageContaining("not a regular file");
      assertThatThrownBy(() -> env.openRandomAccess(each, true)).isInstanceOf(IOException.class);
      assertThatThrownBy(() -> env.openRandomAccess(each, false)).isInstanceOf(IOException.class);
      assertThatThrownBy(() -> env.createWritable(each)).isInstanceOf(IOException.class);
    }
  }

  @Test
  void mappedLog_fileSize_isAlwaysWholeBlocks() throws IOException {
    try (MappedLogFile log = mappedLog("l")) {
      for (int i = 1; i <= 20; i++) {
        log.reserve(i * 100L * (32 << 10));
        assertThat(env.size(dir.resolve("l")) % (32 << 10)).isZero();
        assertThat(env.size(dir.resolve("l"))).isGreaterThanOrEqualTo(log.reserved());
      }
    }
  }
}
