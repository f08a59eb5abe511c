package dev.kv.iq80.internal;

import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;

class ReplacedJarTest {
  @Test
  void requireAbsent_absent_doesNothing() {
    ReplacedJar absent =
        ReplacedJar.lookFor(ReplacedJar.class, "kv-x", "x", "org/example/NoSuch.class");
    assertThatCode(absent::requireAbsent).doesNotThrowAnyException();
  }

  @Test
  void requireAbsent_present_namesBothAndThePlace() {
    ReplacedJar present =
        ReplacedJar.lookFor(ReplacedJar.class, "kv-x", "x-all", "org/iq80/leveldb/DB.class");
    assertThatThrownBy(present::requireAbsent)
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContaining("kv-x")
        .hasMessageContaining("remove x-all")
        .hasMessageContaining("leveldb-api-0.12.jar");
  }
}
