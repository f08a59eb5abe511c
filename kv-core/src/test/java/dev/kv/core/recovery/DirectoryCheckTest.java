package dev.kv.core.recovery;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.tuple;

import dev.kv.core.EnvFiles;
import dev.kv.core.env.FileName;
import dev.kv.core.table.format.Footer;
import dev.kv.core.version.FileMetadata;
import dev.kv.env.Env;
import dev.kv.errors.CorruptionException;
import dev.kv.errors.DBException;
import dev.kv.errors.DBLockedException;
import dev.kv.errors.NoSuchDatabaseException;
import dev.kv.errors.NotADirectoryException;
import dev.kv.options.TableSuffix;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class DirectoryCheckTest {
  private static final Path DIRECTORY = Path.of("/data/db");

  private final Env env = Env.inMemory();
  private final DirectoryCheck check = new DirectoryCheck(env, DIRECTORY);

  @BeforeEach
  void createParent() throws IOException {
    env.createDirectory(DIRECTORY.getParent());
  }

  private void file(String name, int length) throws IOException {
    env.createDirectory(DIRECTORY);
    EnvFiles.write(env, DIRECTORY.resolve(name), new byte[length]);
  }

  @Test
  void noDatabase_saysWhatIsThereInstead() throws IOException {
    DBException absent = check.noDatabase();
    assertThat(absent)
        .isInstanceOf(NoSuchDatabaseException.class)
        .hasMessageContaining("does not exist");
    EnvFiles.write(env, DIRECTORY, new byte[1]);
    assertThat(check.noDatabase())
        .isInstanceOf(NotADirectoryException.class)
        .hasMessageContaining("is not a directory");
    assertThatThrownBy(check::list).isInstanceOf(NotADirectoryException.class);
    env.delete(DIRECTORY);
    file("unrelated", 1);
    assertThat(check.noDatabase())
        .isInstanceOf(NoSuchDatabaseException.class)
        .hasMessageContaining("there is no file CURRENT")
        .hasMessageContaining("DB.repair");
    assertThat(check.list()).isEmpty();
  }

  @Test
  void list_hasTheFilesOfADatabaseAlone() throws IOException {
    file("000005.ldb", 1);
    file("unrelated", 1);
    file("000006.log", 1);
    assertThat(check.list())
        .containsExactly(
            new FileName(FileName.Kind.TABLE, 5, "000005.ldb"),
            new FileName(FileName.Kind.LOG, 6, "000006.log"));
  }

  /** A creation that failed may have left a first MANIFEST behind; it writes no log. */
  @Test
  void requireNoRemains_besideWhatACreationLeaves_returns() throws IOException {
    for (String name : List.of("LOCK", "MANIFEST-000001", "unrelated", "1.dbtmp")) {
      file(name, 1);
    }
    file("000003.log", 0);
    file("1.log", 0);
    check.requireNoRemains();
  }

  @ParameterizedTest
  @ValueSource(strings = {"000005.ldb", "000005.sst", "MANIFEST-000002", "20241126.log", "1.log"})
  void requireNoRemains_ofADatabaseWithoutCurrent_throws(String name) throws IOException {
    file(name, 1);
    assertThatThrownBy(check::requireNoRemains)
        .isInstanceOfSatisfying(
            CorruptionException.class,
            e -> assertThat(e.file()).isEqualTo(DIRECTORY.resolve("CURRENT").toString()))
        .hasMessageContaining("DB.repair");
  }

  private static List<FileMetadata> table(long size) {
    return List.of(FileMetadata.ofUnknownKeys(5, size));
  }

  @ParameterizedTest
  @ValueSource(strings = {"000005.ldb", "000005.sst"})
  void requireSizes_ofATableOfEitherSuffix_comparesItsSize(String name) throws IOException {
    file(name, 100);
    for (TableSuffix suffix : TableSuffix.values()) {
      check.requireSizes(table(100), suffix);
      for (int size : new int[] {99, 101}) {
        assertThatThrownBy(() -> check.requireSizes(table(size), suffix))
            .isInstanceOfSatisfying(
                CorruptionException.class,
                e -> {
                  assertThat(e.file()).isEqualTo(DIRECTORY.resolve(name).toString());
                  assertThat(e.offset()).isEqualTo(Math.min(size, 100));
                })
            .hasMessageContaining("has 100 bytes, and the MANIFEST says " + size);
      }
    }
  }

  @ParameterizedTest
  @CsvSource({"57,true", "57,false", "48,true", "47,true", "4,true", "0,false"})
  void requireSizes_fourBytesTooMany_acceptsATableWithItsEndAlone(int size, boolean magic)
      throws IOException {
    env.createDirectory(DIRECTORY);
    ByteBuffer bytes = ByteBuffer.allocate(size).order(ByteOrder.LITTLE_ENDIAN);
    if (magic && size >= Long.BYTES) {
      bytes.putLong(size - Long.BYTES, Footer.MAGIC);
    }
    EnvFiles.write(env, DIRECTORY.resolve("000005.ldb"), bytes.array());
    if (magic && size >= Footer.SIZE) {
      assertThat(check.requireSizes(table(size + 4), TableSuffix.LDB))
          .extracting(FileMetadata::number, FileMetadata::size)
          .containsExactly(tuple(5L, (long) size));
      assertThat(check.requireSizes(table(size), TableSuffix.LDB)).isEmpty();
    } else {
      assertThatThrownBy(() -> check.requireSizes(table(size + 4), TableSuffix.LDB))
          .isInstanceOf(CorruptionException.class);
    }
    for (int other : new int[] {-8, -4, 3, 5, 8}) {
      assertThatThrownBy(() -> check.requireSizes(table(size + other), TableSuffix.LDB))
          .isInstanceOf(CorruptionException.class);
    }
  }

  @Test
  void requireSizes_ofATableThatIsMissing_throws() throws IOException {
    env.createDirectory(DIRECTORY);
    assertThatThrownBy(() -> check.requireSizes(table(100), TableSuffix.LDB))
        .isInstanceOf(NoSuchFileException.class);
  }

  @Test
  void lock_thatIsHeld_isRefusedUntilItsEnd() throws IOException {
    env.createDirectory(DIRECTORY);
    try (Env.Lock held = DirectoryCheck.lock(env, DIRECTORY)) {
      assertThat(held).isNotNull();
      assertThatThrownBy(() -> DirectoryCheck.lock(env, DIRECTORY))
          .isInstanceOf(DBLockedException.class)
          .hasMessageContaining("DB.openReadOnly");
    }
    DirectoryCheck.lock(env, DIRECTORY).close();
  }
}
