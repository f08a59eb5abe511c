package dev.kv.core.env;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.sun.management.ThreadMXBean;
import dev.kv.core.CutsMappedFile;
import dev.kv.env.Env;
import dev.kv.env.MappedLogFile;
import dev.kv.file.PendingFault;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Objects;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class FileMappedLogTest {
  private static final int RESERVED = 64 << 10;

  /** Enough stores for the compilers, whose code goes on after a fault. */
  private static final int WARM = 30_000;

  private final PendingFault fault = new PendingFault();

  /** Returns bytes of which the last {@code zeros} are zeros. */
  private static ByteBuffer source(int length, int zeros) {
    ByteBuffer source = ByteBuffer.allocateDirect(length);
    for (int i = 0; i < length - zeros; i++) {
      source.put(i, (byte) (1 + i % 100));
    }
    return source;
  }

  private static MappedLogFile create(Path file) throws IOException {
    MappedLogFile log = Objects.requireNonNull(Env.fileSystem().createMappedLog(file));
    log.reserve(RESERVED);
    return log;
  }

  @ParameterizedTest
  @CsvSource({
    "1, 0",
    "1, 1",
    "100, 0",
    "100, 1",
    "100, 40",
    "100, 100",
    "9000, 5000",
    "9000, 9000"
  })
  void store_ofBytesThatEndInZeros_storesThem(int length, int zeros, @TempDir Path temp)
      throws IOException {
    ByteBuffer source = source(length, zeros);
    Path file = temp.resolve("log");
    try (MappedLogFile log = create(file)) {
      log.store(4_090, source, 0, length);
      log.cut(4_090 + length);
    }
    ByteBuffer stored = ByteBuffer.allocate(4_090 + length);
    try (FileChannel channel = FileChannel.open(file)) {
      assertThat(channel.read(stored)).isEqualTo(4_090 + length);
    }
    assertThat(stored.position(4_090)).isEqualTo(source);
  }

  /** A write must not fail after it has begun to be logged because the heap is full. */
  @ParameterizedTest
  @CsvSource({"100, 0", "100, 1", "100, 100", "9000, 5000", "9000, 9000"})
  void store_ofAnyBytes_allocatesNothing(int length, int zeros, @TempDir Path temp)
      throws IOException {
    ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
    ByteBuffer source = source(length, zeros);
    try (MappedLogFile log = create(temp.resolve("log"))) {
      log.store(0, source, 0, length);
      long before = threads.getCurrentThreadAllocatedBytes();
      for (int i = 0; i < 3000; i++) {
        log.store(4_090 + i, source, 0, length);
      }
      assertThat(threads.getCurrentThreadAllocatedBytes() - before).isLessThan(3000);
    }
  }

  /** The file ends with the page that ends at 12,288. */
  @ParameterizedTest
  @CsvSource({
    "20000, 100, 0",
    "20000, 100, 1",
    "20000, 100, 40",
    "20000, 100, 100",
    "20000, 9000, 1",
    "20000, 9000, 5000",
    "20000, 9000, 9000",
    "12200, 100, 0",
    "12200, 100, 12",
    "12200, 100, 90",
    "12200, 9000, 8990"
  })
  @CutsMappedFile
  void store_inAPageThatIsMissing_throwsAndLeavesNoErrorPending(
      int position, int length, int zeros, @TempDir Path temp) throws IOException {
    ByteBuffer source = source(length, zeros);
    Path file = temp.resolve("log");
    try (MappedLogFile log = create(file)) {
      for (int i = 0; i < WARM; i++) {
        log.store(i % 1000, source, 0, length);
      }
      try (FileChannel channel = FileChannel.open(file, StandardOpenOption.WRITE)) {
        channel.truncate(10_000);
      }
      assertThatThrownBy(() -> log.store(position, source, 0, length))
          .isInstanceOf(IOException.class)
          .hasMessageContaining("cannot store " + length + " bytes at " + position + " of " + file)
          .hasCauseInstanceOf(InternalError.class);
      assertThat(fault.absorb()).isNull();
    }
  }
}
