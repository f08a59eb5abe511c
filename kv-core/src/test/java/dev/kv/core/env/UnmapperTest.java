package dev.kv.core.env;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.channels.FileChannel.MapMode;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

@Timeout(value = 60, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class UnmapperTest {
  private static final int MAPPINGS = 50;

  @TempDir Path temp;
  private final CountingMapper mapper = new CountingMapper();

  private List<Mapping> mappings() throws IOException {
    Path file = Files.write(temp.resolve("f"), new byte[10_000]);
    List<Mapping> mappings = new ArrayList<>();
    try (FileChannel channel = FileChannel.open(file)) {
      for (int i = 0; i < MAPPINGS; i++) {
        mappings.add(mapper.map(channel, MapMode.READ_ONLY, 0, channel.size()));
      }
    }
    assertThat(mapper.live()).isEqualTo(MAPPINGS);
    return mappings;
  }

  @Test
  void unmap_atOnce_leavesNoMappingWhenItReturns() throws IOException {
    Unmapper unmapper = new Unmapper(true);
    int left = MAPPINGS;
    for (Mapping mapping : mappings()) {
      unmapper.unmap(mapping);
      assertThat(mapper.live()).isEqualTo(--left);
    }
  }

  @Test
  void unmap_later_isDoneAfterTheWait() throws IOException {
    Unmapper unmapper = new Unmapper(false);
    mappings().forEach(unmapper::unmap);
    unmapper.await();
    assertThat(mapper.live()).isZero();
  }

  /** A mapping that cannot be unmapped is lost, and the others are not. */
  @ParameterizedTest
  @CsvSource({"true, false", "true, true", "false, false", "false, true"})
  void unmap_ofOneThatFails_goesOnInADaemon(boolean atOnce, boolean withError) throws IOException {
    Unmapper unmapper = new Unmapper(atOnce);
    List<Mapping> mappings = mappings();
    AtomicReference<Thread> failed = new AtomicReference<>();
    unmapper.unmap(
        new Mapping(
            mappings.get(0).buffer(),
            () -> {
              failed.set(Thread.currentThread());
              if (withError) {
                throw new InternalError("simulated");
              }
              throw new IllegalStateException("simulated");
            }));
    mappings.forEach(unmapper::unmap);
    unmapper.await();
    assertThat(mapper.live()).isZero();
    assertThat(failed.get() == Thread.currentThread()).isEqualTo(atOnce);
    assertThat(atOnce || failed.get().isDaemon()).isTrue();
  }
}
