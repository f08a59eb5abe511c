package dev.kv.core.env;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assumptions.assumeThat;

import dev.kv.env.MappedLogFile;
import dev.kv.env.WritableFile;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.io.SyncFailedException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BiConsumer;
import jdk.jfr.Recording;
import jdk.jfr.consumer.RecordedEvent;
import jdk.jfr.consumer.RecordingFile;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** That the calls which make files durable reach the operating system. */
@EnabledOnOs(OS.LINUX)
class SyncCallsTest {
  /**
   * A device that takes a write-out of nothing: fsync of it is refused, which shows that it was
   * asked for.
   */
  private static final Path DEVICE = Path.of("/dev/full");

  @TempDir Path directory;

  @Test
  void descriptorSync_ofAFileThatCannotBeSynced_fails() throws IOException {
    try (RandomAccessFile device = new RandomAccessFile(DEVICE.toFile(), "rw")) {
      assertThatThrownBy(() -> DescriptorSync.DESCRIPTOR.sync(DEVICE, device))
          .isInstanceOf(SyncFailedException.class);
    }
  }

  @Test
  void writable_sync_asksForTheSync() throws IOException {
    RandomAccessFile device = new RandomAccessFile(DEVICE.toFile(), "rw");
    try (WritableFile file = new FileWritable(DEVICE, device, DescriptorSync.DESCRIPTOR)) {
      assertThatThrownBy(file::sync).isInstanceOf(IOException.class);
    }
  }

  @Test
  void syncDirectory_ofAnyDirectory_forcesIt() throws IOException {
    assertForced(() -> new FileEnv().syncDirectory(directory));
  }

  /** As on macOS. */
  @Test
  void channelSync_ofAFile_forcesIt() throws IOException {
    Path path = directory.resolve("f");
    try (RandomAccessFile file = new RandomAccessFile(path.toFile(), "rw")) {
      assertForced(() -> DescriptorSync.MACOS.sync(path, file));
    }
  }

  /** A call that may fail. */
  private interface Sync {
    void run() throws IOException;
  }

  private void assertForced(Sync sync) throws IOException {
    Path recorded = directory.resolve("recording.jfr");
    try (Recording recording = new Recording()) {
      recording.enable("jdk.FileForce").withoutThreshold();
      recording.start();
      sync.run();
      recording.stop();
      recording.dump(recorded);
    }
    List<RecordedEvent> events = RecordingFile.readAllEvents(recorded);
    assertThat(events)
        .filteredOn(event -> event.getEventType().getName().equals("jdk.FileForce"))
        .filteredOn(event -> event.getThread().getJavaThreadId() == Thread.currentThread().getId())
        .hasSize(1);
  }

  /**
   * The first sync makes the size durable, and only an fsync does that; the pages are clean after
   * each.
   */
  @Test
  void mappedLog_sync_leavesNoDirtyPage() throws IOException {
    Path path = directory.resolve("000003.log");
    try (MappedLogFile log = new FileEnv(new CountingMapper()).createMappedLog(path)) {
      syncThrice(log, path, (before, after) -> assertThat(after).isZero());
    }
  }

  /**
   * As on Windows and macOS: the sync of the descriptor leaves the mapped pages alone, and that of
   * a range the pages of zeros after it.
   */
  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void mappedLog_syncThatDoesNotCoverMappings_writesThePage(boolean completesForce)
      throws IOException {
    Path path = directory.resolve("000003.log");
    RandomAccessFile file = new RandomAccessFile(path.toFile(), "rw");
    AtomicInteger calls = new AtomicInteger();
    DescriptorSync sync =
        new DescriptorSync(false, completesForce) {
          @Override
          void sync(Path synced, RandomAccessFile open) {
            calls.incrementAndGet();
          }
        };
    try (MappedLogFile log =
        new FileMappedLog(path, file, requireNonNull(Mapper.forRuntime()), sync)) {
      syncThrice(log, path, (before, after) -> assertThat(after).isLessThan(before));
    }
    assertThat(calls).hasValue(completesForce ? 3 : 1);
  }

  /**
   * Stores and syncs three records of one page; {@code clean} takes what is dirty before and after.
   */
  private static void syncThrice(MappedLogFile log, Path path, BiConsumer<Integer, Integer> clean)
      throws IOException {
    assumeThat(Files.getFileStore(path).type()).as("pages are written").isNotEqualTo("tmpfs");
    ByteBuffer record = ByteBuffer.allocateDirect(100).order(ByteOrder.LITTLE_ENDIAN);
    record.put(0, new byte[] {1, 2, 3});
    log.reserve(32 << 10);
    for (int i = 0; i < 3; i++) {
      log.store(100L * i, record, 0, 100);
      int before = dirtyKib(path);
      assumeThat(before).as("dirty pages are shown here").isPositive();
      log.sync(100L * i, 100L * i + 100);
      clean.accept(before, dirtyKib(path));
    }
  }

  /** Returns how much of the mappings of a file is dirty. */
  private static int dirtyKib(Path file) throws IOException {
    String path = file.toRealPath().toString();
    boolean ours = false;
    int dirty = 0;
    for (String line : Files.readAllLines(Path.of("/proc/self/smaps"))) {
      if (line.matches("[0-9a-f]+-[0-9a-f]+ .*")) {
        ours = line.endsWith(path);
      } else if (ours && (line.startsWith("Shared_Dirty:") || line.startsWith("Private_Dirty:"))) {
        dirty += Integer.parseInt(line.replaceAll("[^0-9]", ""));
      }
    }
    return dirty;
  }
}
