package dev.kv.jmh.bench;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.kv.jmh.store.StoreDirectory;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.DisabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;

class OwnedDirectoryTest {
  private Path scratch;
  private Path directory;

  @BeforeEach
  void setUp(@TempDir Path scratch) {
    this.scratch = scratch;
    directory = scratch.resolve("kv");
  }

  @Test
  void check_missingOrEmpty_passes() throws IOException {
    assertThatCode(() -> OwnedDirectory.check(directory)).doesNotThrowAnyException();
    Files.createDirectory(directory);
    assertThatCode(() -> OwnedDirectory.check(directory)).doesNotThrowAnyException();
  }

  @Test
  void clear_ownDirectory_emptiesItAndKeepsItOwn() throws IOException {
    OwnedDirectory.clear(directory);
    assertThat(OwnedDirectory.isMissingOrEmpty(directory)).isTrue();
    Files.createDirectories(directory.resolve("sub"));
    Files.writeString(directory.resolve("sub/CURRENT"), "x");
    assertThat(OwnedDirectory.isMissingOrEmpty(directory)).isFalse();
    OwnedDirectory.clear(directory);
    assertThat(OwnedDirectory.isMissingOrEmpty(directory)).isTrue();
    assertThat(OwnedDirectory.isOwn(directory)).isTrue();
  }

  @Test
  void clear_databaseThatReplacedTheOwnDirectory_isRefused() throws IOException {
    OwnedDirectory.clear(directory);
    StoreDirectory.delete(directory);
    assertForeign(Files.createDirectory(directory));
  }

  /** A file beside the directory outlives it. */
  @Test
  void clear_databaseWithAMarkerBesideIt_isRefused() throws IOException {
    Files.createFile(scratch.resolve("kv.db_bench"));
    assertForeign(Files.createDirectory(directory));
  }

  @Test
  void clear_copyOfAnOwnDirectory_isRefused() throws IOException {
    OwnedDirectory.clear(directory);
    Path copy = Files.createDirectory(scratch.resolve("copy"));
    Files.copy(directory.resolve(StoreDirectory.MARKER), copy.resolve(StoreDirectory.MARKER));
    assertForeign(copy);
  }

  private static void assertForeign(Path database) throws IOException {
    Path file = Files.writeString(database.resolve("CURRENT"), "x");
    assertThat(OwnedDirectory.isOwn(database)).isFalse();
    assertThatThrownBy(() -> OwnedDirectory.clear(database))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageStartingWith(database + " is not empty, and db_bench did not create it");
    assertThat(file).exists();
  }

  @Test
  @DisabledOnOs(value = OS.WINDOWS, disabledReason = "symbolic links need a privilege there")
  void clear_linkToADirectory_emptiesItAndKeepsTheLink() throws IOException {
    Path target = Files.createDirectory(scratch.resolve("target"));
    Files.createSymbolicLink(directory, target);
    OwnedDirectory.clear(directory);
    Files.createFile(directory.resolve("CURRENT"));
    OwnedDirectory.clear(directory);
    assertThat(directory).isSymbolicLink();
    assertThat(OwnedDirectory.isMissingOrEmpty(target)).isTrue();
  }
}
