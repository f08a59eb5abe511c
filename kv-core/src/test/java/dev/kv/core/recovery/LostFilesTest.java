package dev.kv.core.recovery;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.kv.core.EnvFiles;
import dev.kv.testing.StrictMemEnv;
import java.io.IOException;
import java.nio.file.FileSystemException;
import java.nio.file.Path;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class LostFilesTest {
  private static final Path DIRECTORY = Path.of("/data");
  private static final Path LOST = DIRECTORY.resolve("lost");

  private final StrictMemEnv env = new StrictMemEnv();
  private final LostFiles lost = new LostFiles(env, DIRECTORY);

  @BeforeEach
  void createDirectory() throws IOException {
    env.createDirectory(DIRECTORY);
    env.syncDirectory(Path.of("/"));
  }

  private void file(String name, int content) throws IOException {
    EnvFiles.write(env, DIRECTORY.resolve(name), new byte[] {(byte) content});
    env.syncDirectory(DIRECTORY);
  }

  @Test
  void newObject_hasMovedNothing() throws IOException {
    assertThat(lost.names()).isEmpty();
    lost.sync();
    assertThat(env.exists(LOST)).isFalse();
  }

  @Test
  void requireFolder_missingOrADirectory_changesNothing() throws IOException {
    lost.requireFolder();
    assertThat(env.exists(LOST)).isFalse();
    env.createDirectory(LOST);
    lost.requireFolder();
    assertThat(env.list(LOST)).isEmpty();
  }

  @Test
  void requireFolder_aFile_isRefused() throws IOException {
    file("lost", 1);
    assertThatThrownBy(lost::requireFolder)
        .isInstanceOf(FileSystemException.class)
        .hasMessage(LOST + ": is not a directory: nothing is moved to it");
    assertThat(EnvFiles.read(env, LOST)).containsExactly(1);
  }

  @Test
  void move_ofAFileWithANameThatIsLostAlready_replacesNone() throws IOException {
    for (int i = 1; i <= 3; i++) {
      file("5.ldb", i);
      lost.move("5.ldb");
    }
    assertThat(env.list(LOST)).containsExactlyInAnyOrder("5.ldb", "5.ldb.1", "5.ldb.2");
    assertThat(EnvFiles.read(env, LOST.resolve("5.ldb"))).containsExactly(1);
    assertThat(EnvFiles.read(env, LOST.resolve("5.ldb.1"))).containsExactly(2);
    assertThat(EnvFiles.read(env, LOST.resolve("5.ldb.2"))).containsExactly(3);
    assertThat(env.exists(DIRECTORY.resolve("5.ldb"))).isFalse();
    assertThat(lost.names()).containsExactly("5.ldb", "5.ldb.1", "5.ldb.2");
  }

  @Test
  void sync_afterMoves_keepsThemOverALossOfPower() throws IOException {
    file("5.ldb", 1);
    file("6.ldb", 2);
    lost.move("5.ldb");
    lost.move("6.ldb");
    lost.sync();
    StrictMemEnv after = env.crashClone(0, 1);
    assertThat(after.list(LOST)).containsExactlyInAnyOrder("5.ldb", "6.ldb");
    assertThat(after.exists(DIRECTORY.resolve("5.ldb"))).isFalse();
    assertThat(after.exists(DIRECTORY.resolve("6.ldb"))).isFalse();
    assertThat(env.unsyncedNames()).isZero();
  }
}
