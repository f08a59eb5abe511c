package dev.kv.core.env;

import static org.assertj.core.api.Assertions.assertThat;

import dev.kv.env.Env;
import dev.kv.env.MappedLogFile;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.DisabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;

final class MemEnvTest extends EnvContract {
  @Override
  protected Env newEnv() {
    return Env.inMemory();
  }

  @Override
  protected Path newDirectory(Env env) throws IOException {
    Path directory = Path.of("/in-memory/db");
    env.createDirectory(directory);
    return directory;
  }

  @Test
  void memEnv_files_neverReachTheDisk() throws IOException {
    write("f", "x");
    assertThat(Files.exists(dir)).isFalse();
  }

  @Test
  void memEnv_twoOfThem_shareNothing() throws IOException {
    write("f", "x");
    assertThat(Env.inMemory().exists(dir.resolve("f"))).isFalse();
  }

  @Test
  void paths_relativeAndNotNormal_nameTheSameFile() throws IOException {
    Path relative = Path.of("some", "db");
    env.createDirectory(relative);
    try (Env.Lock lock = env.lock(relative.resolve("LOCK"))) {
      assertThat(lock).isNotNull();
      assertThat(env.exists(relative.toAbsolutePath().resolve("x/../LOCK"))).isTrue();
      assertThat(env.lock(relative.toAbsolutePath().resolve("./LOCK"))).isNull();
    }
  }

  /** The leader and the maintenance thread may both reserve room in a log. */
  @Test
  void mappedLog_reservedByTwoThreads_neverShrinks() throws Exception {
    long block = 32 << 10;
    try (MappedLogFile log = mappedLog("l")) {
      AtomicReference<Throwable> failure = new AtomicReference<>();
      AtomicBoolean done = new AtomicBoolean();
      Thread behind =
          env.startThread(
              "reserver",
              () -> {
                try {
                  while (!done.get()) {
                    log.reserve(Math.min(log.reserved() + block, 3000 * block));
                  }
                } catch (IOException | RuntimeException e) {
                  failure.set(e);
                }
              });
      ByteBuffer mark = ByteBuffer.allocateDirect(8);
      for (int i = 1; i <= 300; i++) {
        long end = log.reserved() + 2 * block;
        log.reserve(end);
        log.store(end - 8, mark, 0, 8);
        assertThat(log.reserved()).isGreaterThanOrEqualTo(end);
      }
      done.set(true);
      behind.join(60_000);
      assertThat(failure.get()).isNull();
    }
  }

  @Test
  @DisabledOnOs(value = OS.WINDOWS, disabledReason = "symbolic links need a privilege there")
  void isSymbolicLink_ofALinkOnTheDisk_isFalse(@TempDir Path temp) throws IOException {
    Path link = Files.createSymbolicLink(temp.resolve("link"), temp);
    assertThat(Env.fileSystem().isSymbolicLink(link)).isTrue();
    assertThat(env.isSymbolicLink(link)).isFalse();
  }
}
