package dev.kv.core.env;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.reflect.Proxy;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.Map;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class RegularFileTest {
  /** The kinds of files as Windows and others tell them. */
  @ParameterizedTest
  @CsvSource({
    "true, false, false, true, true",
    "false, false, true, true, false",
    "false, true, true, false, false",
    "false, true, false, false, false"
  })
  void isRegular_otherOnWindows_isAFileOfACloud(
      boolean regular, boolean directory, boolean other, boolean onWindows, boolean elsewhere) {
    Map<String, Object> answers =
        Map.of("isRegularFile", regular, "isDirectory", directory, "isOther", other);
    BasicFileAttributes attributes =
        (BasicFileAttributes)
            Proxy.newProxyInstance(
                getClass().getClassLoader(),
                new Class<?>[] {BasicFileAttributes.class},
                (proxy, method, arguments) -> answers.get(method.getName()));
    assertThat(RegularFile.isRegular(attributes, true)).isEqualTo(onWindows);
    assertThat(RegularFile.isRegular(attributes, false)).isEqualTo(elsewhere);
  }
}
