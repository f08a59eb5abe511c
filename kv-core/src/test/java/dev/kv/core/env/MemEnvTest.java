package dev.kv.core.env;

import static org.assertj.core.api.Assertions.assertThat;

import dev.kv.env.Env;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;

final class MemEnvTest extends EnvContract {
  @Override
  protected Env newEnv() {
    return new MemEnv();
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
    assertThat(new MemEnv().exists(dir.resolve("f"))).isFalse();
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
}
