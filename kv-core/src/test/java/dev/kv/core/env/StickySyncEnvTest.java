package dev.kv.core.env;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.kv.env.Env;
import dev.kv.env.ForwardingEnv;
import java.io.IOException;
import java.nio.file.FileSystemException;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class StickySyncEnvTest {
  private static final Path DIRECTORY = Path.of("/sticky/db");
  private static final Path OTHER = Path.of("/sticky/other");

  private @Nullable IOException next;
  private int syncs;

  private final Env env =
      new StickySyncEnv(
          new ForwardingEnv(Env.inMemory()) {
            @Override
            public void syncDirectory(Path directory) throws IOException {
              syncs++;
              IOException failure = next;
              next = null;
              if (failure != null) {
                throw failure;
              }
            }
          },
          DIRECTORY);

  @Test
  void syncDirectory_afterAFailedSync_failsWithTheFirstCause() throws IOException {
    env.syncDirectory(DIRECTORY);
    next = new IOException("fsync");
    assertThatThrownBy(() -> env.syncDirectory(DIRECTORY)).hasMessage("fsync");
    for (int i = 0; i < 2; i++) {
      assertThatThrownBy(() -> env.syncDirectory(DIRECTORY))
          .isInstanceOf(IOException.class)
          .isNotInstanceOf(FileSystemException.class)
          .hasMessageContaining(DIRECTORY.toString())
          .hasRootCauseMessage("fsync");
    }
    assertThat(syncs).isEqualTo(2);
  }

  @Test
  void syncDirectory_thatCannotBeOpened_mayBeTriedAgain() throws IOException {
    next = new FileSystemException(DIRECTORY.toString(), null, "Too many open files");
    assertThatThrownBy(() -> env.syncDirectory(DIRECTORY)).isInstanceOf(FileSystemException.class);
    env.syncDirectory(DIRECTORY);
    assertThat(syncs).isEqualTo(2);
  }

  @Test
  void syncDirectory_ofAnotherDirectory_isForgotten() throws IOException {
    next = new IOException("fsync");
    assertThatThrownBy(() -> env.syncDirectory(OTHER)).hasMessage("fsync");
    env.syncDirectory(OTHER);
    env.syncDirectory(DIRECTORY);
    assertThat(syncs).isEqualTo(3);
  }
}
