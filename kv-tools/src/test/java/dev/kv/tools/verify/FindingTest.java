package dev.kv.tools.verify;

import static org.assertj.core.api.Assertions.assertThat;

import dev.kv.errors.CorruptionException;
import dev.kv.errors.UnsupportedFormatException;
import dev.kv.tools.text.Json;
import org.junit.jupiter.api.Test;

class FindingTest {
  @Test
  void members_nameThatIsNotAscii_isTheNameItself() {
    Finding finding = Finding.damage("d\u00e9j\u00e0\\1\u0007.log", 7, "torn");
    assertThat(Json.of(finding.members()))
        .isEqualTo(
            "{\"damage\":true,\"file\":\"d\u00e9j\u00e0\\\\1\\u0007.log\",\"offset\":7,"
                + "\"text\":\"torn\"}");
    assertThat(finding.line()).isEqualTo("damaged: d\\xe9j\\xe0\\1\\x07.log, offset 7: torn");
  }

  @Test
  void line_ofAnException_namesTheFileOnce() {
    String file = "000005.ldb";
    Finding damage = Finding.damage(file, new CorruptionException("bad (file 2)", file, 7));
    assertThat(damage.line()).isEqualTo("damaged: 000005.ldb, offset 7: bad (file 2)");
    UnsupportedFormatException e =
        new UnsupportedFormatException("of RocksDB: open it with RocksDB (file " + file + ")");
    Finding unsupported = Finding.unsupported(file, 7, e);
    assertThat(unsupported.line())
        .isEqualTo("unsupported: 000005.ldb, offset 7: of RocksDB: open it with RocksDB");
    assertThat(unsupported.advice()).isEqualTo("open it with RocksDB");
  }
}
