package dev.kv.core.env;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.DirectoryNotEmptyException;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A directory that is not empty stands for a file that another program has open. */
class FileEnvRetriesTest {
  private static final int TRIES = 5;
  private static final int MAX_REFUSED = 3;

  @TempDir private Path temp;
  private int pauses;
  private Runnable inPause = () -> {};
  private final FileEnv.Retries retries =
      new FileEnv.Retries(
          TRIES,
          MAX_REFUSED,
          () -> {
            pauses++;
            inPause.run();
          });

  private Path held(String name) throws IOException {
    Path file = temp.resolve(name);
    Files.createDirectories(file.resolve("child"));
    return file;
  }

  private static void release(Path held) {
    assertThatCode(() -> Files.delete(held.resolve("child"))).doesNotThrowAnyException();
  }

  private void assertRefused(Path file, int expectedPauses) {
    pauses = 0;
    assertThatThrownBy(() -> retries.delete(file)).isInstanceOf(DirectoryNotEmptyException.class);
    assertThat(pauses).as("pauses").isEqualTo(expectedPauses);
  }

  @Test
  void run_refusedAtEachTry_throwsTheLastFailure() {
    int[] runs = new int[1];
    assertThatThrownBy(
            () ->
                retries.run(
                    () -> {
                      throw new FileSystemException("run " + ++runs[0]);
                    }))
        .isInstanceOf(FileSystemException.class)
        .hasMessage("run " + TRIES);
    assertThat(pauses).isEqualTo(TRIES - 1);
  }

  @Test
  void delete_ofAMissingFile_isNotTriedAgain() {
    assertThatThrownBy(() -> retries.delete(temp.resolve("missing")))
        .isInstanceOf(NoSuchFileException.class);
    assertThat(pauses).isZero();
  }

  @Test
  void delete_ofAFileThatIsReleasedInAPause_deletesIt() throws IOException {
    Path file = held("file");
    inPause = () -> release(file);
    retries.delete(file);
    assertThat(file).doesNotExist();
    assertThat(pauses).isEqualTo(1);
  }

  @Test
  void delete_refusedWithAllTries_isTriedOnceFromThenOn() throws IOException {
    Path file = held("file");
    assertRefused(file, TRIES - 1);
    assertRefused(file, 0);
    assertRefused(file, 0);
    assertRefused(held("other"), TRIES - 1);
    release(file);
    retries.delete(file);
    assertThat(file).doesNotExist();
  }

  @Test
  void delete_afterTheRefusedFileWasDeletedOrMissing_hasAllTriesAgain() throws IOException {
    Path file = held("file");
    assertRefused(file, TRIES - 1);
    release(file);
    retries.delete(file);
    assertRefused(held("file"), TRIES - 1);
    release(file);
    Files.delete(file);
    assertThatThrownBy(() -> retries.delete(file)).isInstanceOf(NoSuchFileException.class);
    assertRefused(held("file"), TRIES - 1);
  }

  /** Files of closed databases may never be deleted. */
  @Test
  void delete_ofMoreRefusedFilesThanAreRemembered_forgetsAll() throws IOException {
    for (int expected : new int[] {TRIES - 1, 0}) {
      for (int i = 0; i < MAX_REFUSED; i++) {
        assertRefused(held("file" + i), expected);
      }
    }
    assertRefused(held("another"), TRIES - 1);
    assertRefused(held("another"), 0);
    assertRefused(held("file0"), TRIES - 1);
  }
}
