package org.fusesource.leveldbjni;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.File;
import java.io.IOException;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Path;
import java.util.List;
import java.util.jar.JarFile;
import java.util.zip.ZipEntry;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.slf4j.LoggerFactory;

/** The jar with classifier {@code all}, which takes leveldbjni-all's place in a cluster. */
class OneJarIT {
  private static final String JAR = System.getProperty("kv.all.jar");

  @TempDir File directory;

  @Test
  void jar_holdsNothingThatCouldMeetAProgramsOwn() throws IOException {
    try (JarFile jar = new JarFile(JAR)) {
      List<String> strange =
          jar.stream()
              .map(ZipEntry::getName)
              .filter(name -> name.endsWith(".class"))
              .filter(name -> !name.startsWith("dev/kv/"))
              .filter(name -> !name.startsWith("META-INF/versions/"))
              .filter(name -> !name.startsWith("org/iq80/leveldb/"))
              .filter(name -> !name.startsWith("org/fusesource/leveldbjni/"))
              .toList();
      assertThat(strange).isEmpty();
      assertThat(jar.getEntry("org/iq80/leveldb/DB.class")).isNotNull();
      assertThat(jar.getEntry("META-INF/LICENSE")).isNotNull();
      assertThat(jar.getEntry("META-INF/services/dev.kv.DBFactory")).isNotNull();
    }
  }

  @Test
  void jar_besideSlf4jAlone_isADatabase() throws Exception {
    URL jar = Path.of(JAR).toUri().toURL();
    URL slf4j = LoggerFactory.class.getProtectionDomain().getCodeSource().getLocation();
    try (URLClassLoader loader =
        new URLClassLoader(new URL[] {jar, slf4j}, ClassLoader.getPlatformClassLoader())) {
      Class<?> type = loader.loadClass("org.fusesource.leveldbjni.JniDBFactory");
      Class<?> options = loader.loadClass("org.iq80.leveldb.Options");
      Class<?> dbType = loader.loadClass("org.iq80.leveldb.DB");
      Object db =
          type.getMethod("open", File.class, options)
              .invoke(
                  type.getField("factory").get(null),
                  directory,
                  options.getConstructor().newInstance());
      byte[] value = "value".repeat(1000).getBytes(java.nio.charset.StandardCharsets.UTF_8);
      dbType.getMethod("put", byte[].class, byte[].class).invoke(db, new byte[] {1}, value);
      dbType.getMethod("compactRange", byte[].class, byte[].class).invoke(db, null, null);
      assertThat(dbType.getMethod("get", byte[].class).invoke(db, new byte[] {1})).isEqualTo(value);
      dbType.getMethod("close").invoke(db);
    }
    assertThat(directory.list()).anyMatch(name -> name.endsWith(".sst"));
  }
}
