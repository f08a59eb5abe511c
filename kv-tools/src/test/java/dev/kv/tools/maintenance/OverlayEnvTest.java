package dev.kv.tools.maintenance;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.kv.env.Env;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class OverlayEnvTest {
  @TempDir Path temp;

  @Test
  void delete_ofAFileThatWasRenamed_keepsTheFileOnDisk() throws IOException {
    Path file = Files.writeString(temp.resolve("000005.ldb"), "all that is left");
    Path renamed = temp.resolve("lost").resolve("000005.ldb");
    try (OverlayEnv overlay = new OverlayEnv(Env.fileSystem(), temp)) {
      overlay.rename(file, renamed);
      assertThat(overlay.exists(file)).isFalse();
      assertThat(overlay.size(renamed)).isEqualTo(16);
      overlay.delete(renamed);
      assertThat(overlay.exists(renamed)).isFalse();
      assertThatThrownBy(() -> overlay.size(renamed)).isInstanceOf(NoSuchFileException.class);
    }
    assertThat(file).hasContent("all that is left");
  }
}
