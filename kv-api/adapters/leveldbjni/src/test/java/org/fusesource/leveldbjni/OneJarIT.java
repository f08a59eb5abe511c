package org.fusesource.leveldbjni;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.File;
import java.io.IOException;
import java.lang.ref.WeakReference;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.TimeUnit;
import java.util.jar.Attributes;
import java.util.jar.JarFile;
import java.util.zip.ZipEntry;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.slf4j.LoggerFactory;

/** The jar with classifier {@code all}, which takes leveldbjni-all's place in a cluster. */
class OneJarIT {
  private static final String JAR = System.getProperty("kv.all.jar");

  /** How long collections may take to clear everything that is only weakly reachable. */
  private static final long MAX_WAIT_NANOS = TimeUnit.SECONDS.toNanos(60);

  @TempDir File directory;

  @Test
  void jar_notice_namesEveryWorkInIt() throws IOException {
    try (JarFile jar = new JarFile(JAR)) {
      String notice =
          new String(
              jar.getInputStream(jar.getEntry("META-INF/NOTICE")).readAllBytes(),
              StandardCharsets.UTF_8);
      Set<String> named = new TreeSet<>();
      notice
          .lines()
          .filter(line -> line.matches("[a-zA-Z0-9]+([.][a-zA-Z0-9]+)*"))
          .forEach(named::add);
      List<String> unnamed =
          jar.stream()
              .map(ZipEntry::getName)
              .filter(name -> name.endsWith(".class"))
              .map(name -> name.replaceFirst("META-INF/versions/[0-9]+/", "").replace('/', '.'))
              .filter(name -> !name.matches("dev[.]kv[.](?!shaded[.]).*"))
              .filter(name -> !name.startsWith("org.fusesource.leveldbjni."))
              .filter(name -> named.stream().noneMatch(work -> name.startsWith(work + ".")))
              .toList();
      assertThat(unnamed).isEmpty();
      assertThat(notice).contains("Apache-2.0", "MIT", "WITHOUT WARRANTY");
      assertThat(jar.stream().map(ZipEntry::getName)).doesNotHaveDuplicates();
    }
  }

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
      Attributes manifest = jar.getManifest().getMainAttributes();
      assertThat(manifest.getValue("Automatic-Module-Name"))
          .isEqualTo("dev.kv.leveldbjni.all"); // not the name of the jar without netty
      assertThat(manifest.keySet())
          .as("the headers of a bundle, which would be those of the jar without netty")
          .noneMatch(name -> name.toString().matches("Bundle-.*|.*-Package|.*-Capability"));
      assertThat(jar.getEntry("META-INF/services/dev.kv.DBFactory")).isNotNull();
    }
  }

  /** As the migration page says: what comes first on the class path runs, and says what it is. */
  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void jar_besideTheOriginal_refusesToOpenIfItIsFirstAndIsHiddenIfNot(boolean first)
      throws Exception {
    URL jar = Path.of(JAR).toUri().toURL();
    URL original = ReplacedLeveldbjni.jar();
    URL[] jars = first ? new URL[] {jar, original} : new URL[] {original, jar};
    try (URLClassLoader loader = new URLClassLoader(jars, ClassLoader.getPlatformClassLoader())) {
      Class<?> type = loader.loadClass("org.fusesource.leveldbjni.JniDBFactory");
      Object factory = type.getField("factory").get(null);
      assertThat(factory.toString().startsWith("kv ")).isEqualTo(first);
      assertThat(type.getField("VERSION").get(null).equals("1.8")).isNotEqualTo(first);
      if (first) {
        Class<?> options = loader.loadClass("org.iq80.leveldb.Options");
        assertThatThrownBy(
                () ->
                    type.getMethod("open", File.class, options)
                        .invoke(factory, directory, options.getConstructor().newInstance()))
            .rootCause()
            .isInstanceOf(IllegalStateException.class)
            .hasMessageContaining("leveldbjni-all.jar");
      }
    }
  }

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void jar_besideSlf4jOrNothing_isADatabase_andIsUnloaded(boolean hasSlf4j) throws Exception {
    WeakReference<ClassLoader> loader = useInALoaderOfItsOwn(hasSlf4j);
    assertThat(directory.list()).anyMatch(name -> name.endsWith(".sst"));
    long end = System.nanoTime() + MAX_WAIT_NANOS;
    while (loader.get() != null && System.nanoTime() < end) {
      System.gc();
      Thread.sleep(20); // for the threads of cleaners, which run after a collection
    }
    assertThat(loader.get()).isNull();
  }

  private WeakReference<ClassLoader> useInALoaderOfItsOwn(boolean hasSlf4j) throws Exception {
    List<URL> jars = new ArrayList<>(List.of(Path.of(JAR).toUri().toURL()));
    if (hasSlf4j) {
      jars.add(LoggerFactory.class.getProtectionDomain().getCodeSource().getLocation());
    }
    try (URLClassLoader loader =
        new URLClassLoader(jars.toArray(URL[]::new), ClassLoader.getPlatformClassLoader())) {
      Class<?> type = loader.loadClass("org.fusesource.leveldbjni.JniDBFactory");
      Class<?> options = loader.loadClass("org.iq80.leveldb.Options");
      Class<?> dbType = loader.loadClass("org.iq80.leveldb.DB");
      Object db =
          type.getMethod("open", File.class, options)
              .invoke(
                  type.getField("factory").get(null),
                  directory,
                  options.getConstructor().newInstance());
      byte[] value = "value".repeat(1000).getBytes(StandardCharsets.UTF_8);
      dbType.getMethod("put", byte[].class, byte[].class).invoke(db, new byte[] {1}, value);
      dbType.getMethod("compactRange", byte[].class, byte[].class).invoke(db, null, null);
      assertThat(dbType.getMethod("get", byte[].class).invoke(db, new byte[] {1})).isEqualTo(value);
      dbType.getMethod("close").invoke(db);
      return new WeakReference<>(loader);
    }
  }
}
