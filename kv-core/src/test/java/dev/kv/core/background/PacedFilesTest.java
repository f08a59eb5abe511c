package dev.kv.core.background;

import static dev.kv.core.Bytes.bytes;
import static org.assertj.core.api.Assertions.assertThat;

import dev.kv.core.EnvFiles;
import dev.kv.core.shared.RateLimiter;
import dev.kv.env.Env;
import dev.kv.env.ForwardingEnv;
import dev.kv.env.WritableFile;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class PacedFilesTest {
  private static final Path FILE = Path.of("/file");

  private final List<Long> sleeps = new ArrayList<>();
  private boolean urgent;
  private boolean urgentAfterASleep;
  private final Env env =
      new ForwardingEnv(Env.inMemory()) {
        @Override
        public void sleepMicros(long micros) {
          sleeps.add(micros);
          urgent = urgentAfterASleep;
          super.sleepMicros(micros);
        }
      };

  private PacedFiles files(long bytesPerSecond) {
    return new PacedFiles(env, new RateLimiter(bytesPerSecond, System.nanoTime()), () -> urgent);
  }

  private static void append(WritableFile file, int bytes) throws IOException {
    ByteBuffer all = ByteBuffer.allocate(bytes);
    file.append(all);
    assertThat(all.hasRemaining()).isFalse();
  }

  @Test
  void append_thatIsPaced_writesItsBytes() throws IOException {
    try (WritableFile file = files(1 << 20).createWritable(FILE)) {
      file.append(ByteBuffer.wrap(bytes("hello")));
    }
    assertThat(EnvFiles.read(env, FILE)).isEqualTo(bytes("hello"));
  }

  /** What is saved up is for a tenth of a second. */
  @Test
  void append_withinTheRate_doesNotWait() throws IOException {
    try (WritableFile file = files(10 << 20).createWritable(FILE)) {
      append(file, 1 << 20);
    }
    assertThat(sleeps).isEmpty();
  }

  @Test
  void append_beyondTheRate_waitsUntilItIsPaid() throws IOException {
    long start = System.nanoTime();
    try (WritableFile file = files(1_000_000).createWritable(FILE)) {
      append(file, 125_000); // 25 ms too many
    }
    assertThat(System.nanoTime() - start).isGreaterThan(TimeUnit.MILLISECONDS.toNanos(24));
    assertThat(sleeps).isNotEmpty().allSatisfy(micros -> assertThat(micros).isBetween(1L, 10_000L));
  }

  @Test
  void append_thatIsUrgent_takesNoTokensAndDoesNotWait() throws IOException {
    urgent = true;
    try (WritableFile file = files(1000).createWritable(FILE)) {
      append(file, 1 << 20);
      assertThat(sleeps).isEmpty();
      urgent = false;
      append(file, 100);
      assertThat(sleeps).as("of what is saved up").isEmpty();
    }
  }

  @Test
  void append_thatBecomesUrgent_endsItsWait() throws IOException {
    urgentAfterASleep = true;
    try (WritableFile file = files(1).createWritable(FILE)) {
      append(file, 1000);
    }
    assertThat(sleeps).containsExactly(10_000L);
  }
}
