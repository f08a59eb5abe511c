package org.fusesource.leveldbjni;

import dev.kv.errors.CorruptionException;
import dev.kv.errors.NoSuchDatabaseException;
import dev.kv.iq80.KvDBFactory;
import dev.kv.iq80.internal.ReplacedJar;
import java.io.File;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.InvalidPathException;
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

  /**
   * {@inheritDoc}
   *
   * <p>As in leveldbjni, the directory is created only if its parent exists: a disk that is not
   * mounted must not become a new database.
   */
  @Override
  public DB open(File path, Options options) throws IOException {
    LEVELDBJNI.requireAbsent();
    requireName(path);
    if (path != null && lacksParent(path)) {
      throw failure("IO error: " + new File(path, "LOCK") + ": No such file or directory", null);
    }
    try {
      return new JniDB(KvDBFactory.factory.open(path, options));
    } catch (IOException e) {
      throw translated(e, path);
    }
  }

  @Override
  public void destroy(File path, Options options) throws IOException {
    LEVELDBJNI.requireAbsent();
    requireName(path);
    try {
      KvDBFactory.factory.destroy(path, options);
    } catch (IOException e) {
      if (e.getCause() instanceof NoSuchDatabaseException refused) {
        throw ofOthers(refused);
      }
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
    requireName(path);
    try {
      KvDBFactory.factory.repair(path, options);
    } catch (IOException e) {
      if (!(e.getCause() instanceof NoSuchDatabaseException nothingToRepair)) {
        throw translated(e, path);
      }
      createEmpty(path, options, nothingToRepair);
    }
  }

  private void createEmpty(File path, Options options, NoSuchDatabaseException nothingToRepair)
      throws IOException {
    if (lacksParent(path)) {
      throw failure("IO error: " + path + ": No such file or directory", nothingToRepair);
    }
    Options creating =
        new Options()
            .createIfMissing(true)
            .comparator(options.comparator())
            .logger(options.logger());
    try {
      open(path, creating).close();
    } catch (NativeDB.DBException e) {
      throw e.getCause() instanceof CorruptionException ? ofOthers(nothingToRepair) : e;
    }
  }

  /** The exception for a directory with files of other programs, which are kept. */
  private static NativeDB.DBException ofOthers(NoSuchDatabaseException refused) {
    return failure("Invalid argument: " + refused.getMessage(), refused);
  }

  /**
   * Throws if the system has no such file names: with a NUL, or not in the locale's character set.
   */
  private static void requireName(@Nullable File path) throws NativeDB.DBException {
    try {
      if (path != null) {
        path.toPath();
      }
    } catch (InvalidPathException e) {
      throw failure("IO error: " + e.getMessage(), e);
    }
  }

  private static boolean lacksParent(File path) {
    File parent = path.getAbsoluteFile().getParentFile();
    return parent != null && !parent.exists();
  }

  private static NativeDB.DBException failure(String message, @Nullable Throwable cause) {
    NativeDB.DBException failure = new NativeDB.DBException(message);
    failure.initCause(cause);
    return failure;
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
