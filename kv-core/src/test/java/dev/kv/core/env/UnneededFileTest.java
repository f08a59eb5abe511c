package dev.kv.core.env;

import static org.assertj.core.api.Assertions.assertThat;

import dev.kv.core.EnvFiles;
import dev.kv.core.Sneaky;
import dev.kv.core.logging.CapturedLog;
import dev.kv.core.logging.EngineLogger;
import dev.kv.env.Env;
import dev.kv.env.ForwardingEnv;
import java.io.IOException;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;

final class UnneededFileTest {
  private static final EngineLogger LOG = EngineLogger.of(UnneededFileTest.class);
  private static final Path DIRECTORY = Path.of("/db");
  private static final Path FILE = DIRECTORY.resolve("000007.ldb");

  @Test
  void close_thatFails_isLogged() {
    for (Throwable failure :
        new Throwable[] {
          new IOException("disk"),
          new IllegalStateException("disk"),
          new Exception("disk"),
          new OutOfMemoryError("disk")
        }) {
      try (CapturedLog log = new CapturedLog()) {
        UnneededFile.close(
            () -> {
              throw Sneaky.unchecked(failure);
            },
            FILE,
            LOG);
        assertThat(log.lines("WARN"))
            .singleElement()
            .asString()
            .endsWith("closing " + FILE + " failed: " + failure);
      }
    }
  }

  @Test
  void delete_ofAFile_deletesIt_andOneThatIsNotThereIsPassedOver() throws IOException {
    Env env = Env.inMemory();
    env.createDirectory(DIRECTORY);
    EnvFiles.write(env, FILE, new byte[1]);
    try (CapturedLog log = new CapturedLog()) {
      UnneededFile.delete(env, FILE, LOG);
      assertThat(env.exists(FILE)).isFalse();
      UnneededFile.delete(env, FILE, LOG);
      assertThat(log.lines("WARN")).isEmpty();
    }
  }

  @Test
  void delete_thatFails_isLogged() {
    for (Throwable failure :
        new Throwable[] {
          new IOException("line\nbreak"),
          new IllegalStateException("line\nbreak"),
          new OutOfMemoryError("line\nbreak")
        }) {
      Env env =
          new ForwardingEnv(Env.inMemory()) {
            @Override
            public void delete(Path file) {
              throw Sneaky.unchecked(failure);
            }
          };
      try (CapturedLog log = new CapturedLog()) {
        UnneededFile.delete(env, FILE, LOG);
        assertThat(log.lines())
            .singleElement()
            .asString()
            .contains("WARN", "cannot delete " + FILE + ": ", "line", "break");
      }
    }
  }
}
