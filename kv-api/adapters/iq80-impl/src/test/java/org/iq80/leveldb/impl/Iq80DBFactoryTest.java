package org.iq80.leveldb.impl;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.kv.ReadOnlyDB;
import dev.kv.core.inspect.DatabaseFile;
import dev.kv.core.inspect.RecordReader;
import dev.kv.env.Env;
import java.io.File;
import java.io.IOException;
import java.lang.reflect.InvocationTargetException;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import org.iq80.leveldb.CompressionType;
import org.iq80.leveldb.DB;
import org.iq80.leveldb.DBFactory;
import org.iq80.leveldb.DBIterator;
import org.iq80.leveldb.Options;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class Iq80DBFactoryTest {
  private static final DBFactory FACTORY = Iq80DBFactory.factory;

  @TempDir File directory;

  /** Plain, since iq80 wants a snappy library of its own. */
  private static Options options() {
    return new Options().compressionType(CompressionType.NONE).writeBufferSize(128 << 10);
  }

  private static List<URL> classPath() throws IOException {
    List<URL> urls = new ArrayList<>();
    for (String entry : System.getProperty("java.class.path").split(File.pathSeparator)) {
      urls.add(Path.of(entry).toUri().toURL());
    }
    return urls;
  }

  private static URL replacedJar() throws IOException {
    return Path.of("replaced", "leveldb.jar").toUri().toURL();
  }

  /** Returns the factory of the library that this module replaces, in a loader of its own. */
  private static DBFactory replaced() throws IOException, ReflectiveOperationException {
    ClassLoader tests = Iq80DBFactoryTest.class.getClassLoader();
    ClassLoader parent =
        new ClassLoader(null) {
          @Override
          protected Class<?> findClass(String name) throws ClassNotFoundException {
            if (name.matches("org[.]iq80[.]leveldb[.][A-Z]\\w*")
                || name.startsWith("com.google.")) {
              return tests.loadClass(name);
            }
            return ClassLoader.getPlatformClassLoader().loadClass(name);
          }
        };
    @SuppressWarnings("resource") // its classes are used for as long as the test runs
    ClassLoader library = new URLClassLoader(new URL[] {replacedJar()}, parent);
    Class<?> factory = library.loadClass("org.iq80.leveldb.impl.Iq80DBFactory");
    return (DBFactory) factory.getField("factory").get(null);
  }

  @Test
  void open_missingOrExistingDatabase_failsAsInIq80() throws Exception {
    DBFactory replaced = replaced();
    File absent = new File(directory, "absent");
    File present = new File(directory, "present");
    FACTORY.open(present, options()).close();
    for (DBFactory factory : List.of(FACTORY, replaced)) {
      assertThatThrownBy(() -> factory.open(absent, options().createIfMissing(false)))
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessage(
              "Database '%s' does not exist and the create if missing option is disabled", absent);
      assertThatThrownBy(() -> factory.open(present, options().errorIfExists(true)))
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessage("Database '%s' exists and the error if exists option is enabled", present);
    }
  }

  @Test
  void open_withoutTheParentDirectories_createsThemAsIq80Does() throws Exception {
    for (DBFactory factory : List.of(FACTORY, replaced())) {
      File path = new File(directory, "a/b/" + (factory == FACTORY ? "here" : "there"));
      factory.open(path, options()).close();
      assertThat(new File(path, "CURRENT")).exists();
    }
  }

  @Test
  void constants_areThoseOfIq80() throws Exception {
    Class<?> type = replaced().getClass();
    assertThat(Iq80DBFactory.CPU_DATA_MODEL).isEqualTo(type.getField("CPU_DATA_MODEL").get(null));
    assertThat(Iq80DBFactory.USE_MMAP).isEqualTo(type.getField("USE_MMAP").get(null));
  }

  @Test
  void open_directoryThatCannotBe_failsAsInIq80() throws IOException {
    File file = new File(directory, "file");
    assertThat(file.createNewFile()).isTrue();
    assertThatThrownBy(() -> FACTORY.open(file, new Options()))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage("Database directory '" + file + "' is not a directory");
    File below = new File(file, "db");
    assertThatThrownBy(() -> FACTORY.open(below, new Options()))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage("Database directory '" + below + "' does not exist and could not be created");
  }

  @Test
  void texts_areUtf8AndNullIsNull() {
    assertThat(Iq80DBFactory.asString(Iq80DBFactory.bytes("é"))).isEqualTo("é");
    assertThat(Iq80DBFactory.bytes(null)).isNull();
    assertThat(Iq80DBFactory.asString(null)).isNull();
    assertThat(FACTORY.toString()).startsWith("kv ").endsWith(Iq80DBFactory.VERSION);
  }

  @Test
  void newIterator_standsAtTheFirstEntry() throws IOException {
    try (DB db = FACTORY.open(directory, options())) {
      db.put(new byte[] {1}, new byte[] {2});
      try (DBIterator entries = db.iterator()) {
        assertThat(entries.hasNext()).isTrue();
        assertThat(entries.next().getValue()).containsExactly(2);
      }
    }
    FACTORY.repair(directory, options());
    FACTORY.destroy(directory, options());
    assertThat(new File(directory, "CURRENT")).doesNotExist();
  }

  @Test
  void open_besideIq80_isRefusedAndNamesItsJar() throws Exception {
    List<URL> urls = classPath();
    urls.add(replacedJar());
    try (URLClassLoader both =
        new URLClassLoader(urls.toArray(URL[]::new), ClassLoader.getPlatformClassLoader())) {
      Class<?> type = both.loadClass("org.iq80.leveldb.impl.Iq80DBFactory");
      Object factory = type.getField("factory").get(null);
      Class<?> options = both.loadClass("org.iq80.leveldb.Options");
      assertThatThrownBy(
              () ->
                  type.getMethod("open", File.class, options)
                      .invoke(factory, directory, options.getConstructor().newInstance()))
          .isInstanceOf(InvocationTargetException.class)
          .cause()
          .isInstanceOf(IllegalStateException.class)
          .hasMessageContaining("remove org.iq80.leveldb:leveldb")
          .hasMessageContaining("leveldb.jar");
    }
  }

  @Test
  void directory_passedToAndFro_isReadByBoth() throws Exception {
    DBFactory iq80 = replaced();
    int rounds = 3;
    for (int round = 0; round < rounds; round++) {
      fill(FACTORY, round);
      expect(iq80, round);
      expect(FACTORY, round);
    }
  }

  /**
   * iq80 stops writers at 12 tables in level 0, so it has finished compactions. Its MANIFEST says 4
   * bytes too many of each table that they wrote.
   */
  @Test
  void directoryThatIq80HasCompacted_isReadAndWritten() throws Exception {
    Options small = options().writeBufferSize(64 << 10);
    byte[] value = new byte[1000];
    try (DB db = replaced().open(directory, small)) {
      for (int i = 0; i < 4000; i++) {
        db.put(key(0, i % 500), value);
      }
    }
    assertThat(excesses()).contains(4L);
    expect(0, 500);
    for (int round = 1; round < 3; round++) {
      try (DB db = FACTORY.open(directory, small)) {
        db.put(key(round, 0), value);
      }
      assertThat(excesses()).containsOnly(0L);
      expect(0, 500);
      expect(round, 1);
    }
    try (DB db = replaced().open(directory, small)) {
      assertThat(db.get(key(0, 499))).isEqualTo(value);
    }
  }

  private void expect(int round, int count) {
    try (ReadOnlyDB db = dev.kv.DB.openReadOnly(directory.toPath(), dev.kv.Options.DEFAULT)) {
      for (int i = 0; i < count; i++) {
        assertThat(db.get(key(round, i))).hasSize(1000);
      }
    }
  }

  /** Returns by how much the MANIFEST overstates the sizes of the tables. */
  private Set<Long> excesses() throws IOException {
    Path path = directory.toPath();
    Map<Long, Long> sizes = new HashMap<>();
    Path manifest = path.resolve(DatabaseFile.currentManifest(Env.fileSystem(), path));
    try (RecordReader records =
        new RecordReader(Env.fileSystem(), manifest, (offset, bytes, reason, torn) -> {})) {
      while (records.next()) {
        records.edit().deletedTables().forEach(deleted -> sizes.remove(deleted.number()));
        records.edit().newTables().forEach(added -> sizes.put(added.number(), added.size()));
      }
    }
    Set<Long> excesses = new HashSet<>();
    for (Map.Entry<Long, Long> each : sizes.entrySet()) {
      Path table = DatabaseFile.oldTable(path, each.getKey());
      excesses.add(each.getValue() - Files.size(table));
    }
    return excesses;
  }

  private static byte[] key(int round, int i) {
    return Iq80DBFactory.bytes(String.format(Locale.ROOT, "key%02d%06d", round, i));
  }

  private void fill(DBFactory factory, int round) throws IOException {
    try (DB db = factory.open(directory, options())) {
      for (int i = 0; i < 5000; i++) {
        db.put(key(round, i), key(round, i));
      }
    }
  }

  private void expect(DBFactory factory, int rounds) throws IOException {
    try (DB db = factory.open(directory, options());
        DBIterator entries = db.iterator()) {
      for (int round = 0; round <= rounds; round++) {
        for (int i = 0; i < 5000; i++) {
          Map.Entry<byte[], byte[]> entry = entries.next();
          assertThat(entry.getKey()).isEqualTo(key(round, i));
          assertThat(entry.getValue()).isEqualTo(key(round, i));
        }
      }
      assertThat(entries.hasNext()).isFalse();
    }
  }
}
