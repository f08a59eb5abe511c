package dev.kv.tools.database;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.kv.tools.Fixtures;
import dev.kv.tools.verify.Finding;
import dev.kv.tools.verify.Tree;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.FutureTask;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class DatabaseFilesTest {
  @TempDir Path temp;

  @Test
  void isRegularFile_ofAPath_tellsFilesFromDirectories() throws IOException {
    Path file = Files.createFile(temp.resolve("file"));
    assertThat(DatabaseFiles.isRegularFile(file)).isTrue();
    assertThat(DatabaseFiles.isRegularFile(temp)).isFalse();
    assertThat(DatabaseFiles.isRegularFile(temp.resolve("missing"))).isFalse();
  }

  @Test
  void files_numbersOfSevenDigits_followThoseOfSix() throws IOException {
    for (String name : List.of("1000000.log", "999999.log", "1000001.ldb", "000007.ldb", "other")) {
      Files.createFile(temp.resolve(name));
    }
    assertThat(DatabaseFiles.files(temp).keySet().stream().map(temp::relativize))
        .map(Path::toString)
        .containsExactly("999999.log", "1000000.log", "000007.ldb", "1000001.ldb");
  }

  @Test
  void readManifest_replacedBeforeItsOpen_readsTheNewOne() throws IOException {
    Path dir = Fixtures.copy("plain", temp);
    AtomicBoolean replaced = new AtomicBoolean();
    String read =
        DatabaseFiles.readManifest(
            dir,
            manifest -> {
              if (replaced.compareAndSet(false, true)) {
                replaceManifest(dir, 2);
              }
              Files.readAllBytes(manifest);
              return manifest.getFileName().toString();
            });
    assertThat(read).isEqualTo("MANIFEST-000003");
    Files.delete(dir.resolve("MANIFEST-000003"));
    assertThatThrownBy(() -> Tree.read(dir, ignored -> {}))
        .isInstanceOf(NoSuchFileException.class)
        .hasMessageContaining("MANIFEST-000003");
  }

  @Test
  void manifest_besideAWriterThatReplacesIt_isRead() throws Exception {
    Path dir = Fixtures.copy("plain", temp);
    AtomicBoolean stop = new AtomicBoolean();
    FutureTask<Void> writer =
        new FutureTask<>(
            () -> {
              for (int number = 2; !stop.get(); number++) {
                replaceManifest(dir, number);
              }
              return null;
            });
    new Thread(writer).start();
    List<Finding> findings = new ArrayList<>();
    try {
      for (int i = 0; i < 1000; i++) {
        assertThat(Tree.read(dir, findings::add).tableCount()).isEqualTo(1);
        assertThat(DatabaseFiles.comparatorName(dir)).isEqualTo("leveldb.BytewiseComparator");
      }
    } finally {
      stop.set(true);
      writer.get();
    }
    assertThat(findings).isEmpty();
  }

  /** Replaces the MANIFEST of a number by one of the next, in the order in which kv does it. */
  private static void replaceManifest(Path dir, int number) throws IOException {
    Path before = dir.resolve(String.format(Locale.ROOT, "MANIFEST-%06d", number));
    Path after = dir.resolve(String.format(Locale.ROOT, "MANIFEST-%06d", number + 1));
    Files.copy(before, after);
    Path current = Files.writeString(dir.resolve("000001.dbtmp"), after.getFileName() + "\n");
    Files.move(
        current,
        dir.resolve("CURRENT"),
        StandardCopyOption.ATOMIC_MOVE,
        StandardCopyOption.REPLACE_EXISTING);
    Files.delete(before);
  }
}
