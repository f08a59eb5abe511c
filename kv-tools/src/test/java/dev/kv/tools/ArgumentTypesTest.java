package dev.kv.tools;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ArgumentTypesTest {
  @TempDir Path temp;

  /** In another character set than its own, the name of a directory is that of another one. */
  @Test
  void isDirectory_ofANameThatLosesCharacters_isFalse() throws Exception {
    String name = Files.createDirectory(temp.resolve("dir")).toString();
    assertThat(ArgumentTypes.isDirectory(name, StandardCharsets.US_ASCII)).isTrue();
    assertThat(ArgumentTypes.isDirectory(name, null)).isTrue();
    assertThat(ArgumentTypes.isDirectory(name + "/none", null)).isFalse();
    assertThat(ArgumentTypes.isDirectory(name + "\u00e4", StandardCharsets.US_ASCII)).isFalse();
    assertThat(ArgumentTypes.isDirectory(name + "\ufffd", StandardCharsets.US_ASCII)).isFalse();
  }
}
