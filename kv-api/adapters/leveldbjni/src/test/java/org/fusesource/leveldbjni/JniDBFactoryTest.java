package org.fusesource.leveldbjni;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import dev.kv.errors.CorruptionException;
import dev.kv.errors.DatabaseExistsException;
import dev.kv.errors.NoSuchDatabaseException;
import java.io.File;
import java.io.IOException;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Member;
import java.lang.reflect.Modifier;
import java.net.URLClassLoader;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.fusesource.leveldbjni.internal.JniDB;
import org.fusesource.leveldbjni.internal.NativeDB;
import org.fusesource.leveldbjni.internal.Util;
import org.iq80.leveldb.DB;
import org.iq80.leveldb.DBComparator;
import org.iq80.leveldb.DBFactory;
import org.iq80.leveldb.DBIterator;
import org.iq80.leveldb.Options;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class JniDBFactoryTest {
  private static final JniDBFactory FACTORY = JniDBFactory.factory;

  @TempDir File directory;

  private NativeDB.DBException failure(File path, Options options) {
    return catchThrowableOfType(
        NativeDB.DBException.class, () -> FACTORY.open(path, options).close());
  }

  @Test
  void open_noDatabase_hasTheTextThatProgramsLookFor() {
    File absent = new File(directory, "absent");
    NativeDB.DBException failure = failure(absent, new Options().createIfMissing(false));
    assertThat(failure)
        .hasMessage("Invalid argument: " + absent + ": does not exist (create_if_missing is false)")
        .hasCauseInstanceOf(NoSuchDatabaseException.class);
    assertThat(failure.isNotFound()).isTrue();
  }

  @Test
  void open_existingDatabaseThatMustNotBe_saysSo() throws IOException {
    FACTORY.open(directory, new Options()).close();
    NativeDB.DBException failure = failure(directory, new Options().errorIfExists(true));
    assertThat(failure)
        .hasMessage("Invalid argument: " + directory + ": exists (error_if_exists is true)")
        .hasCauseInstanceOf(DatabaseExistsException.class);
    assertThat(failure.isNotFound()).isFalse();
  }

  @Test
  void open_lockedDatabase_namesTheLock() throws IOException {
    try (DB db = FACTORY.open(directory, new Options())) {
      assertThat(db).isInstanceOf(JniDB.class);
      assertThat(failure(directory, new Options()))
          .hasMessageStartingWith(
              "IO error: lock " + new File(directory, "LOCK") + ": already held by process");
    }
  }

  @Test
  void repair_emptyOrAbsentDirectory_createsAnEmptyDatabaseAsInLeveldbjni() throws Exception {
    DBFactory replaced = ReplacedLeveldbjni.factory();
    for (String name : List.of("empty", "absent")) {
      File here = new File(directory, name);
      File there = new File(directory, "replaced-" + name);
      if (name.equals("empty")) {
        assertThat(here.mkdir() && there.mkdir()).isTrue();
      }
      Options options = new Options().createIfMissing(false);
      FACTORY.repair(here, options);
      replaced.repair(there, options);
      assertThat(options.createIfMissing()).isFalse();
      for (File each : List.of(here, there)) {
        try (DB db = FACTORY.open(each, options)) {
          assertThat(db.iterator().hasNext()).isFalse();
        }
      }
    }
  }

  @Test
  void repair_ofAnEmptyDirectory_keepsTheOrderAndDoesNotChangeTheOptions() throws Exception {
    DBComparator reversed =
        new DBComparator() {
          @Override
          public String name() {
            return "reversed";
          }

          @Override
          public int compare(byte[] a, byte[] b) {
            return Arrays.compareUnsigned(b, a);
          }

          @Override
          public byte[] findShortestSeparator(byte[] start, byte[] limit) {
            return start;
          }

          @Override
          public byte[] findShortSuccessor(byte[] key) {
            return key;
          }
        };
    Options options =
        new Options() {
          @Override
          public Options createIfMissing(boolean createIfMissing) {
            throw new UnsupportedOperationException();
          }
        }.comparator(reversed);
    FACTORY.repair(directory, options);
    FACTORY.open(directory, new Options().createIfMissing(false).comparator(reversed)).close();
    assertThatThrownBy(() -> FACTORY.open(directory, new Options().createIfMissing(false)))
        .hasMessageContaining("reversed");
  }

  @Test
  void repair_withoutTheParentDirectory_failsAsInLeveldbjni() throws Exception {
    File below = new File(new File(directory, "absent"), "db");
    DBFactory replaced = ReplacedLeveldbjni.factory();
    String message = "IO error: " + below + ": No such file or directory";
    for (DBFactory factory : List.of(FACTORY, replaced)) {
      assertThatThrownBy(() -> factory.repair(below, new Options())).hasMessage(message);
    }
    assertThat(below.getParentFile()).doesNotExist();
  }

  /** So that a disk that is not mounted does not become a new database. */
  @Test
  void open_withoutTheParentDirectory_failsAsInLeveldbjni() throws Exception {
    File below = new File(new File(directory, "absent"), "db");
    DBFactory replaced = ReplacedLeveldbjni.factory();
    String message = "IO error: " + new File(below, "LOCK") + ": No such file or directory";
    for (boolean create : new boolean[] {true, false}) {
      Options options = new Options().createIfMissing(create);
      assertThat(failure(below, options)).hasMessage(message);
      assertThat(failure(below, options).isNotFound()).isFalse();
      assertThatThrownBy(() -> replaced.open(below, options)).hasMessage(message);
    }
    assertThat(below.getParentFile()).doesNotExist();
  }

  @Test
  void destroyOrRepair_ofFilesOfAnotherProgram_saysThatAndChangesNothing() throws IOException {
    File log = new File(directory, "20261126.log");
    Files.writeString(log.toPath(), "a log of another program");
    List<ThrowingCallable> calls =
        List.of(
            () -> FACTORY.destroy(directory, new Options()),
            () -> FACTORY.repair(directory, new Options()));
    for (ThrowingCallable call : calls) {
      NativeDB.DBException failure = catchThrowableOfType(NativeDB.DBException.class, call);
      assertThat(failure)
          .hasMessageStartingWith("Invalid argument: " + directory + " holds no database: ")
          .hasCauseInstanceOf(NoSuchDatabaseException.class);
      assertThat(failure.isNotFound()).isFalse();
      assertThat(log).hasContent("a log of another program");
    }
  }

  @Test
  void nullArguments_failAsInLeveldbjni() throws Exception {
    DBFactory replaced = ReplacedLeveldbjni.factory();
    assertThatThrownBy(() -> FACTORY.open(null, new Options()))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage("The path argument cannot be null");
    for (DBFactory factory : List.of(FACTORY, replaced)) {
      File path = new File(directory, factory == FACTORY ? "here" : "there");
      try (DB db = factory.open(path, new Options())) {
        Map<String, ThrowingCallable> calls =
            Map.of(
                "key", () -> db.get(null),
                "value", () -> db.put(new byte[1], null),
                "options", () -> db.iterator(null),
                "name", () -> db.getProperty(null));
        calls.forEach(
            (name, call) ->
                assertThatThrownBy(call)
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessage("The " + name + " argument cannot be null"));
      }
    }
  }

  @Test
  void link_ofAFile_isAHardLink() throws IOException {
    File source = new File(directory, "source");
    File target = new File(directory, "target");
    Files.write(source.toPath(), new byte[] {1});
    Util.link(source, target);
    Files.write(source.toPath(), new byte[] {2, 3});
    assertThat(target).hasBinaryContent(new byte[] {2, 3});
    assertThatThrownBy(() -> Util.link(source, target)).isInstanceOf(IOException.class);
    assertThat(new All()).isNotNull();
  }

  @Test
  void open_damagedManifest_isCorruption() throws IOException {
    FACTORY.open(directory, new Options()).close();
    for (File file : directory.listFiles((where, name) -> name.startsWith("MANIFEST-"))) {
      Files.write(file.toPath(), new byte[100]);
    }
    assertThat(failure(directory, new Options()))
        .hasMessageStartingWith("Corruption: ")
        .hasCauseInstanceOf(CorruptionException.class);
  }

  @Test
  void path_thatNoFileCanHave_isAnIOError() {
    File path = new File(directory, "a\0b");
    for (ThrowingCallable call :
        List.<ThrowingCallable>of(
            () -> FACTORY.open(path, new Options()).close(),
            () -> FACTORY.destroy(path, new Options()),
            () -> FACTORY.repair(path, new Options()))) {
      assertThatThrownBy(call)
          .isInstanceOf(NativeDB.DBException.class)
          .hasMessageStartingWith("IO error: ")
          .hasCauseInstanceOf(InvalidPathException.class);
    }
  }

  @Test
  void open_file_isAnIOError() throws IOException {
    File file = new File(directory, "file");
    assertThat(file.createNewFile()).isTrue();
    assertThat(failure(file, new Options())).hasMessageStartingWith("IO error: ");
  }

  @Test
  void texts_areUtf8AndNullIsNull() {
    assertThat(JniDBFactory.bytes("é")).hasSize(2);
    assertThat(JniDBFactory.asString(JniDBFactory.bytes("é"))).isEqualTo("é");
    assertThat(JniDBFactory.bytes(null)).isNull();
    assertThat(JniDBFactory.asString(null)).isNull();
    JniDBFactory.pushMemoryPool(1000);
    JniDBFactory.popMemoryPool();
    assertThat(JniDBFactory.VERSION).isNotEmpty();
    assertThat(FACTORY.toString()).startsWith("kv ");
  }

  @Test
  void open_besideLeveldbjni_isRefusedAndNamesItsJar() throws Exception {
    try (URLClassLoader both = ReplacedLeveldbjni.both()) {
      Class<?> type = both.loadClass("org.fusesource.leveldbjni.JniDBFactory");
      Object factory = type.getField("factory").get(null);
      Class<?> options = both.loadClass("org.iq80.leveldb.Options");
      assertThatThrownBy(
              () ->
                  type.getMethod("open", File.class, options)
                      .invoke(factory, directory, options.getConstructor().newInstance()))
          .isInstanceOf(InvocationTargetException.class)
          .cause()
          .isInstanceOf(IllegalStateException.class)
          .hasMessageContaining("remove leveldbjni")
          .hasMessageContaining("leveldbjni-all.jar");
    }
  }

  /** So that a program that was built against either runs with the other. */
  @Test
  void publicMembers_ofLeveldbjnisFactory_areAllThere() throws Exception {
    Class<?> replaced = ReplacedLeveldbjni.factory().getClass();
    assertThat(members(JniDBFactory.class)).containsAll(members(replaced));
  }

  private static Set<String> members(Class<?> type) {
    return Stream.<Member>concat(
            Stream.of(type.getDeclaredMethods()), Stream.of(type.getDeclaredFields()))
        .filter(member -> Modifier.isPublic(member.getModifiers()))
        .map(Object::toString)
        .collect(Collectors.toSet());
  }

  @Test
  void directory_passedToAndFro_isReadByBoth() throws Exception {
    DBFactory replaced = ReplacedLeveldbjni.factory();
    for (int round = 0; round < 3; round++) {
      fill(FACTORY, 2 * round);
      expect(replaced, 2 * round);
      fill(replaced, 2 * round + 1);
      expect(FACTORY, 2 * round + 1);
    }
    FACTORY.repair(directory, new Options());
    expect(replaced, 5);
  }

  private static byte[] key(int i) {
    return JniDBFactory.bytes(String.format(Locale.ROOT, "key%06d", i));
  }

  private void fill(DBFactory factory, int round) throws IOException {
    try (DB db = factory.open(directory, new Options().writeBufferSize(128 << 10))) {
      for (int i = round; i < 10_000; i += 1 + round) {
        db.put(key(i), JniDBFactory.bytes("round " + round + " of " + i));
      }
      db.delete(key(round));
      db.compactRange(null, null);
      db.put(key(20_000), key(round));
    }
  }

  private void expect(DBFactory factory, int round) throws IOException {
    try (DB db = factory.open(directory, new Options().paranoidChecks(true));
        DBIterator entries = db.iterator()) {
      entries.seekToFirst();
      for (int i = 0; i < 10_000; i++) {
        if (i > round) {
          assertThat(entries.next().getKey()).isEqualTo(key(i));
          int last = round;
          while (i < last || (i - last) % (1 + last) != 0) {
            last--;
          }
          assertThat(JniDBFactory.asString(db.get(key(i)))).isEqualTo("round " + last + " of " + i);
        } else {
          assertThat(db.get(key(i))).isNull();
        }
      }
      assertThat(entries.next().getValue()).isEqualTo(key(round));
      assertThat(entries.hasNext()).isFalse();
    }
  }
}
