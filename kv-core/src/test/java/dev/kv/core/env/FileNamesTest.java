package dev.kv.core.env;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.kv.core.env.FileName.Kind;
import dev.kv.env.Env;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

final class FileNamesTest {
  private static final Path DIR = Path.of("some", "db");

  @ParameterizedTest
  @CsvSource({
    "100.log, LOG, 100",
    "0.log, LOG, 0",
    "000003.log, LOG, 3",
    "0.sst, TABLE, 0",
    "0.ldb, TABLE, 0",
    "000005.ldb, TABLE, 5",
    "CURRENT, CURRENT, 0",
    "CHANGES, CHANGES, 0",
    "LOCK, LOCK, 0",
    "MANIFEST-2, MANIFEST, 2",
    "MANIFEST-000007, MANIFEST, 7",
    "LOG, INFO_LOG, 0",
    "LOG.old, INFO_LOG, 0",
    "000009.dbtmp, TEMP, 9",
    "9223372036854775807.log, LOG, 9223372036854775807",
    "00000000000000000000000000000012.log, LOG, 12",
  })
  void parse_ofADatabase_givesKindAndNumber(String name, Kind kind, long number) {
    assertThat(FileNames.parse(name)).isEqualTo(new FileName(kind, number, name));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "foo",
        "foo-dx-100.log",
        ".log",
        "manifest",
        "CURREN",
        "CURRENTX",
        "MANIFES",
        "MANIFEST",
        "MANIFEST-",
        "XMANIFEST-3",
        "MANIFEST-3x",
        "MANIFEST--3",
        "MANIFEST-+3",
        "MANIFEST-3/../4",
        "LOC",
        "LOCKx",
        "LO",
        "LOGx",
        "LOG.olds",
        "18446744073709551616.log",
        "184467440737095516150.log",
        "9223372036854775808.log",
        "100",
        "100.",
        "100.lop",
        "100.log.",
        "100.ldb.tmp",
        "-1.log",
        "+1.log",
        " 1.log",
        "1 .log",
        "0x1.log",
        "\u0661.log",
        "\uff11.log",
        "../1.log",
      })
  void parse_ofSomebodyElse_isNull(String name) {
    assertThat(FileNames.parse(name)).isNull();
  }

  @Test
  void names_ofNumbers_areParsedBack() {
    Random random = new Random(42);
    for (int i = 0; i < 200; i++) {
      long number = random.nextLong() >>> (1 + random.nextInt(63));
      requireParsed(FileNames.log(DIR, number), Kind.LOG, number);
      requireParsed(FileNames.table(DIR, number), Kind.TABLE, number);
      requireParsed(FileNames.oldTable(DIR, number), Kind.TABLE, number);
      requireParsed(FileNames.manifest(DIR, number), Kind.MANIFEST, number);
      requireParsed(FileNames.temp(DIR, number), Kind.TEMP, number);
    }
    requireParsed(FileNames.current(DIR), Kind.CURRENT, 0);
    requireParsed(FileNames.lock(DIR), Kind.LOCK, 0);
    requireParsed(DIR.resolve("LOG"), Kind.INFO_LOG, 0);
    requireParsed(DIR.resolve("LOG.old"), Kind.INFO_LOG, 0);
  }

  @Test
  void names_everyKind_areThoseOfLevelDb() {
    assertThat(FileNames.log(DIR, 192)).isEqualTo(DIR.resolve("000192.log"));
    assertThat(FileNames.table(DIR, 200)).isEqualTo(DIR.resolve("000200.ldb"));
    assertThat(FileNames.oldTable(DIR, 200)).isEqualTo(DIR.resolve("000200.sst"));
    assertThat(FileNames.manifest(DIR, 100)).isEqualTo(DIR.resolve("MANIFEST-000100"));
    assertThat(FileNames.temp(DIR, 999)).isEqualTo(DIR.resolve("000999.dbtmp"));
    assertThat(FileNames.log(DIR, 1234567)).isEqualTo(DIR.resolve("1234567.log"));
    assertThat(FileNames.current(DIR)).isEqualTo(DIR.resolve("CURRENT"));
    assertThat(FileNames.changes(DIR)).isEqualTo(DIR.resolve("CHANGES"));
  }

  @Test
  void list_ofADirectory_givesItsFilesByNumber() throws IOException {
    Env env = Env.inMemory();
    env.createDirectory(DIR);
    for (String name :
        List.of("12.log", "notes", "000002.sst", "LOCK", "7x.log", "2.ldb", "3.log")) {
      env.createWritable(DIR.resolve(name)).close();
    }
    assertThat(FileNames.list(env, DIR))
        .extracting(FileName::text)
        .containsExactly("LOCK", "000002.sst", "2.ldb", "3.log", "12.log");
  }

  @Test
  void names_negativeNumber_isRefused() {
    assertThatThrownBy(() -> FileNames.log(DIR, -1)).isInstanceOf(IllegalArgumentException.class);
  }

  private static void requireParsed(Path path, Kind kind, long number) {
    String name = path.getFileName().toString();
    assertThat(FileNames.parse(name)).isEqualTo(new FileName(kind, number, name));
  }
}
