package dev.kv.core.table.cache;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.kv.core.EnvFiles;
import dev.kv.core.version.FileMetadata;
import dev.kv.env.Env;
import dev.kv.env.ForwardingEnv;
import dev.kv.options.TableSuffix;
import java.io.IOException;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

class TablePathTest {
  private static final Path DIRECTORY = Path.of("/db");
  private static final FileMetadata TABLE = FileMetadata.ofUnknownKeys(5, 100);

  private final AtomicInteger sizes = new AtomicInteger();
  private final Env env =
      new ForwardingEnv(Env.inMemory()) {
        @Override
        public long size(Path file) throws IOException {
          sizes.incrementAndGet();
          return super.size(file);
        }
      };

  @BeforeEach
  void createDirectory() throws IOException {
    env.createDirectory(DIRECTORY);
  }

  private void file(String name, int size) throws IOException {
    EnvFiles.write(env, DIRECTORY.resolve(name), new byte[size]);
  }

  private TablePath find(TableSuffix preferred) throws IOException {
    return TablePath.find(env, DIRECTORY, TABLE, preferred);
  }

  /** The MANIFEST says 100 bytes; of a table of iq80, that are 96. */
  @ParameterizedTest
  @CsvSource({
    "100,100,ldb,sst", "100,99,ldb,ldb", "99,100,sst,sst", "99,98,ldb,ldb",
    "100,96,ldb,ldb", "96,100,sst,sst", "96,99,ldb,ldb", "99,96,sst,sst",
    "0,100,sst,sst", "100,0,ldb,ldb", "0,1000,ldb,ldb", "0,96,sst,sst"
  })
  void find_ofTwoFiles_returnsTheOneWithTheSizeInTheManifest(
      int ldb, int sst, String ifLdbIsPreferred, String ifSstIsPreferred) throws IOException {
    file("000005.ldb", ldb);
    file("000005.sst", sst);
    for (TableSuffix preferred : TableSuffix.values()) {
      boolean isLdb =
          (preferred == TableSuffix.LDB ? ifLdbIsPreferred : ifSstIsPreferred).equals("ldb");
      assertThat(find(preferred))
          .isEqualTo(
              isLdb
                  ? new TablePath(DIRECTORY.resolve("000005.ldb"), ldb)
                  : new TablePath(DIRECTORY.resolve("000005.sst"), sst));
    }
  }

  @ParameterizedTest
  @EnumSource
  void find_ofOneFile_returnsIt_whateverItsSize(TableSuffix suffix) throws IOException {
    String name = "000005" + suffix.text();
    for (int size : new int[] {100, 96, 0, 200}) {
      file(name, size);
      for (TableSuffix preferred : TableSuffix.values()) {
        assertThat(find(preferred)).isEqualTo(new TablePath(DIRECTORY.resolve(name), size));
      }
    }
  }

  @ParameterizedTest
  @EnumSource
  void find_ofThePreferredFileAlone_looksForNoOther(TableSuffix suffix) throws IOException {
    file("000005" + suffix.text(), 100);
    find(suffix);
    assertThat(sizes).hasValue(1);
  }

  @Test
  void find_ofNoFile_throws() {
    for (TableSuffix preferred : TableSuffix.values()) {
      assertThatThrownBy(() -> find(preferred)).isInstanceOf(NoSuchFileException.class);
    }
  }

  @Test
  void fits_theSizeInTheManifest_orThatOfIq80() {
    for (int size : new int[] {0, 95, 96, 97, 99, 100, 101, 104}) {
      assertThat(new TablePath(DIRECTORY, size).fits(TABLE)).isEqualTo(size == 96 || size == 100);
    }
  }
}
