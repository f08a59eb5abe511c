package dev.kv.core.inspect;

import static dev.kv.core.Bytes.bytes;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.kv.DB;
import dev.kv.Options;
import dev.kv.core.EnvFiles;
import dev.kv.env.Env;
import dev.kv.errors.DBIOException;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class ForeignFilesTest {
  private static final Path DIRECTORY = Path.of("/data/db");
  private static final Path WRITTEN = Path.of("/data/written");
  private static final String CANNOT_TELL = "cannot tell whether " + DIRECTORY;

  private final Env env = Env.inMemory();

  @BeforeEach
  void createDirectories() throws IOException {
    env.createDirectory(DIRECTORY.getParent());
    env.createDirectory(DIRECTORY);
  }

  private void file(String name, byte[] content) throws IOException {
    EnvFiles.write(env, DIRECTORY.resolve(name), content);
  }

  private boolean areAll() throws IOException {
    return ForeignFiles.areAll(env, DIRECTORY);
  }

  /** Returns a file of a database, by a part of its name. */
  private byte[] written(String part) throws IOException {
    Options options = Options.builder().env(env).createIfMissing(true).build();
    try (DB db = DB.open(WRITTEN, options)) {
      for (int i = 0; i < 2000; i++) {
        db.put(bytes("key" + i), bytes("a value of some length " + i));
      }
      db.admin().flush();
      db.put(bytes("last"), bytes("1"));
    }
    String name =
        env.list(WRITTEN).stream().filter(each -> each.contains(part)).findFirst().orElseThrow();
    return EnvFiles.read(env, WRITTEN.resolve(name));
  }

  @Test
  void areAll_withoutSuchNames_isFalse() throws IOException {
    assertThat(areAll()).isFalse();
    file("letter.txt", bytes("hello"));
    assertThat(areAll()).isFalse();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {"1.log", "7.sst", "1.ldb", "MANIFEST-3", "CURRENT", "5.dbtmp", "LOG", "CHANGES"})
  void areAll_ofText_isTrueWhateverItsLength(String name) throws IOException {
    for (int length : new int[] {1, 6, 7, 40, 60, 70_000}) {
      file(name, bytes("MANIFEST of words\n".repeat(4000).substring(0, length)));
      assertThat(areAll()).as("%s bytes", length).isTrue();
    }
  }

  /** What a crash at the creation leaves; LevelDB writes its info log first. */
  @ParameterizedTest
  @ValueSource(strings = {"1.log", "7.sst", "MANIFEST-3", "CURRENT", "5.dbtmp", "LOCK"})
  void areAll_ofEmptyFilesAndOfZeros_isFalse(String name) throws IOException {
    file("LOG", bytes("2026/11/26-10:00:00.000001 7f0 Creating DB\n"));
    for (int length : new int[] {0, 1, 8, 4096}) {
      file(name, new byte[length]);
      assertThat(areAll()).as("%s bytes", length).isFalse();
    }
    file("1.ldb", bytes("text"));
    assertThat(areAll()).isTrue();
  }

  @ParameterizedTest
  @CsvSource({
    "MANIFEST, MANIFEST-000009",
    ".log, 000009.log",
    ".ldb, 000009.sst",
    "CURRENT, 9.dbtmp"
  })
  void areAll_besideOneFileOfADatabase_isFalse(String part, String name) throws IOException {
    file("1.log", bytes("text"));
    file("7.ldb", bytes("text"));
    byte[] content = written(part);
    file(name, content);
    assertThat(areAll()).isFalse();
  }

  @Test
  void areAll_ofCurrent_isFalseIfItNamesAManifestThatExists() throws IOException {
    file("CURRENT", bytes("MANIFEST-000003\n"));
    file("MANIFEST-000003", bytes("damaged"));
    assertThat(areAll()).isFalse();
  }

  @Test
  void areAll_ofATableWithoutItsEnd_isFalse() throws IOException {
    byte[] table = written(".ldb");
    file("000009.ldb", Arrays.copyOf(table, table.length / 2));
    assertThat(areAll()).isFalse();
  }

  @ParameterizedTest
  @ValueSource(strings = {"MANIFEST", ".log"})
  void areAll_ofALogThatEndsInsideItsFirstRecord_isFalse(String part) throws IOException {
    byte[] log = written(part);
    for (int length : new int[] {7, 8, 15}) {
      file(part.equals(".log") ? "000009.log" : "MANIFEST-000009", Arrays.copyOf(log, length));
      assertThat(areAll()).as("%s bytes", length).isFalse();
    }
  }

  /** A directory cannot be opened as a file, and neither can a file without permission. */
  @ParameterizedTest
  @ValueSource(
      strings = {
        "000001.log",
        "LOG",
        "LOG.old",
        "LOCK",
        "CHANGES",
        "CURRENT",
        "000007.dbtmp",
        "MANIFEST-000001",
        "MANIFEST-000099",
        "000001.ldb"
      })
  void areAll_besideAFileThatCannotBeRead_isDecidedByTheOthersOnly(String name) throws IOException {
    Path unreadable = DIRECTORY.resolve(name);
    env.createDirectory(unreadable);
    assertThatThrownBy(this::areAll)
        .isInstanceOf(DBIOException.class)
        .hasMessageStartingWith(CANNOT_TELL)
        .hasMessageContaining(unreadable + ": is a directory");
    file("20261126.log", bytes("text"));
    assertThatThrownBy(this::areAll).hasMessageStartingWith(CANNOT_TELL);
    Map<String, String> parts =
        Map.of(
            "MANIFEST-000050", "MANIFEST",
            "000050.log", ".log",
            "000050.ldb", ".ldb",
            "000050.dbtmp", "CURRENT");
    for (Map.Entry<String, String> other : parts.entrySet()) {
      file(other.getKey(), written(other.getValue()));
      assertThat(areAll()).as(other.getKey()).isFalse();
      env.delete(DIRECTORY.resolve(other.getKey()));
    }
    byte[] table = written(".ldb");
    file("000050.ldb", Arrays.copyOf(table, table.length / 2));
    assertThat(areAll()).as("a table without its end").isFalse();
  }
}
