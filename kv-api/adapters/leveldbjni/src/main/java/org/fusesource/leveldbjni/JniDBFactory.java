package org.fusesource.leveldbjni;

import dev.kv.errors.NoSuchDatabaseException;
import dev.kv.iq80.KvDBFactory;
import dev.kv.iq80.internal.ReplacedJar;
import java.io.File;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import org.fusesource.leveldbjni.internal.JniDB;
import org.fusesource.leveldbjni.internal.NativeDB;
import org.iq80.leveldb.DB;
import org.iq80.leveldb.DBFactory;
import org.iq80.leveldb.Options;
import org.jspecify.annotations.Nullable;

/**
 * Opens kv databases under the name of leveldbjni's factory. Immutable.
 *
 * <p>Tables are named {@code .sst}, so leveldbjni can open the directory again. Failures are {@link
 * NativeDB.DBException}s.
 */
public class JniDBFactory implements DBFactory {
  /** The factory that programs use. */
  public static final JniDBFactory factory = new JniDBFactory();

  /** The version of kv, or "unknown" if this class was not loaded from its jar. */
  public static final String VERSION = ReplacedJar.versionOf(JniDBFactory.class);

  private static final ReplacedJar LEVELDBJNI =
      ReplacedJar.lookFor(
          JniDBFactory.class,
          "kv-leveldbjni",
          "leveldbjni",
          "org/fusesource/leveldbjni/internal/NativeOptions.class");

  /** Creates a factory; {@link #factory} is as good. */
  public JniDBFactory() {}

  /**
   * Encodes a text.
   *
   * @param value the text, or null
   * @return its UTF-8 bytes, or null for null
   */
  public static byte @Nullable [] bytes(@Nullable String value) {
    return value == null ? null : value.getBytes(StandardCharsets.UTF_8);
  }

  /**
   * Decodes a text.
   *
   * @param value UTF-8 bytes, or null
   * @return the text, or null for null
   */
  public static @Nullable String asString(byte @Nullable [] value) {
    return value == null ? null : new String(value, StandardCharsets.UTF_8);
  }

  /**
   * Does nothing: kv pools its memory itself.
   *
   * @param size not used
   */
  public static void pushMemoryPool(int size) {}

  /** Does nothing: kv pools its memory itself. */
  public static void popMemoryPool() {}

  @Override
  public DB open(File path, Options options) throws IOException {
    LEVELDBJNI.requireAbsent();
    try {
      return new JniDB(KvDBFactory.factory.open(path, options));
    } catch (IOException e) {
      throw translated(e, path);
    }
  }

  @Override
  public void destroy(File path, Options options) throws IOException {
    LEVELDBJNI.requireAbsent();
    try {
      KvDBFactory.factory.destroy(path, options);
    } catch (IOException e) {
      throw translated(e, path);
    }
  }

  /**
   * {@inheritDoc}
   *
   * <p>As in leveldbjni, a directory without files of a database becomes an empty database, and a
   * directory that does not exist is created if its parent exists.
   */
  @Override
  public void repair(File path, Options options) throws IOException {
    LEVELDBJNI.requireAbsent();
    try {
      KvDBFactory.factory.repair(path, options);
    } catch (IOException e) {
      if (!(e.getCause() instanceof NoSuchDatabaseException)) {
        throw translated(e, path);
      }
      createEmpty(path, options, e);
    }
  }

  private void createEmpty(File path, Options options, IOException nothingToRepair)
      throws IOException {
    File parent = path.getAbsoluteFile().getParentFile();
    if (!path.isDirectory() && (parent == null || !parent.isDirectory())) {
      NativeDB.DBException failure =
          new NativeDB.DBException("IO error: " + path + ": No such file or directory");
      failure.initCause(nothingToRepair.getCause());
      throw failure;
    }
    Options creating =
        new Options()
            .createIfMissing(true)
            .comparator(options.comparator())
            .logger(options.logger());
    open(path, creating).close();
  }

  private static IOException translated(IOException failure, File path) {
    return failure.getCause() instanceof dev.kv.errors.DBException cause
        ? NativeDB.DBException.of(cause, path)
        : failure;
  }

  @Override
  public String toString() {
    return "kv in the place of leveldbjni, version " + VERSION;
  }
}
