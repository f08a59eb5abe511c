package dev.kv.core.db;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.errorprone.annotations.Keep;
import dev.kv.DB;
import dev.kv.Options;
import dev.kv.ReadOnlyDB;
import dev.kv.errors.UnsupportedFormatException;
import dev.kv.options.CompressionType;
import dev.kv.table.TableWriter;
import java.io.File;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** {@link CompressionType#ZSTD} without zstd-jni: what would write blocks fails at once. */
class MissingZstdTest {
  private static final byte[] KEY = {'k'};

  @TempDir Path temp;

  @Test
  void open_createsNothing() throws Exception {
    runWithoutZstd(Open.class);
    assertThat(temp).isEmptyDirectory();
  }

  @Test
  void openReadOnly_andOpenWithAnotherCompression_read() throws Exception {
    runWithoutZstd(Reads.class);
  }

  @Test
  void repair_leavesTheDatabase() throws Exception {
    runWithoutZstd(Repair.class);
  }

  @Test
  void tableWriter_createsNoFile() throws Exception {
    runWithoutZstd(Tables.class);
    assertThat(temp).isEmptyDirectory();
  }

  /** Runs a program in a loader that does not find zstd-jni. */
  private void runWithoutZstd(Class<? extends Consumer<Path>> program) throws Exception {
    List<URL> urls = new ArrayList<>();
    for (String entry : System.getProperty("java.class.path").split(File.pathSeparator)) {
      if (!entry.contains("zstd-jni")) {
        urls.add(Path.of(entry).toUri().toURL());
      }
    }
    try (URLClassLoader loader =
        new URLClassLoader(urls.toArray(URL[]::new), ClassLoader.getPlatformClassLoader())) {
      Object inside = loader.loadClass(program.getName()).getDeclaredConstructor().newInstance();
      Consumer.class.getMethod("accept", Object.class).invoke(inside, temp);
    }
  }

  private static Options.Builder options(CompressionType compression) {
    return Options.builder().createIfMissing(true).compression(compression);
  }

  private static void assertRefused(ThrowingCallable call) {
    assertThatThrownBy(call)
        .isInstanceOf(UnsupportedFormatException.class)
        .hasMessage(
            "compression(ZSTD) needs the jar com.github.luben:zstd-jni on the class path, "
                + "and its library")
        .hasCauseInstanceOf(LinkageError.class);
  }

  /** Opens a database that does not exist. */
  @Keep
  public static final class Open implements Consumer<Path> {
    @Override
    public void accept(Path directory) {
      assertRefused(
          () -> DB.open(directory.resolve("parent/db"), options(CompressionType.ZSTD).build()));
    }
  }

  /** Opens a database without zstd blocks. */
  @Keep
  public static final class Reads implements Consumer<Path> {
    @Override
    public void accept(Path directory) {
      write(directory);
      try (ReadOnlyDB db = DB.openReadOnly(directory, options(CompressionType.ZSTD).build())) {
        assertThat(db.get(KEY)).isEqualTo(KEY);
      }
      assertRefused(() -> DB.open(directory, options(CompressionType.ZSTD).build()));
      try (DB db = DB.open(directory, options(CompressionType.NONE).build())) {
        assertThat(db.get(KEY)).isEqualTo(KEY);
      }
    }
  }

  /** Repairs a database without zstd blocks. */
  @Keep
  public static final class Repair implements Consumer<Path> {
    @Override
    public void accept(Path directory) {
      write(directory);
      assertRefused(() -> DB.repair(directory, options(CompressionType.ZSTD).build()));
      try (DB db = DB.open(directory, options(CompressionType.SNAPPY).build())) {
        assertThat(db.get(KEY)).isEqualTo(KEY);
      }
    }
  }

  /** Creates tables of both kinds. */
  @Keep
  public static final class Tables implements Consumer<Path> {
    @Override
    public void accept(Path directory) {
      Path file = directory.resolve("table");
      assertRefused(() -> TableWriter.create(file, options(CompressionType.ZSTD).build()));
      assertRefused(() -> TableWriter.forIngest(file, options(CompressionType.ZSTD).build()));
    }
  }

  private static void write(Path directory) {
    try (DB db = DB.open(directory, options(CompressionType.SNAPPY).build())) {
      db.put(KEY, KEY);
    }
  }
}
