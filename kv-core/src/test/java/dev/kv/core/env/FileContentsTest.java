package dev.kv.core.env;

import static org.assertj.core.api.Assertions.assertThat;

import dev.kv.core.EnvFiles;
import dev.kv.core.ShortReads;
import dev.kv.env.Env;
import dev.kv.env.SequentialFile;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Over an environment that reads one byte at a time. */
final class FileContentsTest {
  private static final Path DIRECTORY = Path.of("/contents");
  private static final Path FILE = DIRECTORY.resolve("file");

  private final Env env = new ShortReads(Env.inMemory(), 1);

  @BeforeEach
  void write() throws IOException {
    env.createDirectory(DIRECTORY);
    EnvFiles.write(env, FILE, new byte[] {1, 2, 3, 4, 5});
  }

  @Test
  void fill_ofABuffer_goesOnAfterShortReads() throws IOException {
    ByteBuffer buffer = ByteBuffer.allocateDirect(3).position(2);
    try (SequentialFile file = env.openSequential(FILE)) {
      assertThat(FileContents.fill(buffer, file)).isEqualTo(3);
      assertThat(buffer.flip()).isEqualTo(ByteBuffer.wrap(new byte[] {1, 2, 3}));
      assertThat(FileContents.fill(buffer, file)).isEqualTo(2);
      assertThat(buffer.flip()).isEqualTo(ByteBuffer.wrap(new byte[] {4, 5}));
      assertThat(FileContents.fill(buffer, file)).isZero();
    }
  }

  @Test
  void head_ofAFile_isAsLongAsTheFileAtMost() throws IOException {
    assertThat(FileContents.head(env, FILE, 2)).containsExactly(1, 2);
    assertThat(FileContents.head(env, FILE, 9)).containsExactly(1, 2, 3, 4, 5);
  }

  @Test
  void copy_ofAFile_hasItsContents() throws IOException {
    FileContents.copy(env, FILE, DIRECTORY.resolve("copy"));
    assertThat(FileContents.head(env, DIRECTORY.resolve("copy"), 9)).containsExactly(1, 2, 3, 4, 5);
  }
}
