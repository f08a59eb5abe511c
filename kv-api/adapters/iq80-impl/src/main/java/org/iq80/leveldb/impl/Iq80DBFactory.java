package org.iq80.leveldb.impl;

import dev.kv.errors.DBIOException;
import dev.kv.errors.DatabaseExistsException;
import dev.kv.errors.NoSuchDatabaseException;
import dev.kv.errors.NotADirectoryException;
import dev.kv.iq80.KvDBFactory;
import dev.kv.iq80.internal.ReplacedJar;
import java.io.File;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import org.iq80.leveldb.DB;
import org.iq80.leveldb.DBFactory;
import org.iq80.leveldb.Options;
import org.jspecify.annotations.Nullable;

/**
 * Opens kv databases under the name of iq80's factory. Immutable.
 *
 * <p>Tables are named {@code .sst}, so iq80's port can open the directory again. Failures of an
 * open are {@link IOException}s, and {@link IllegalArgumentException} as in iq80's port if the path
 * is no directory and none can be created there, if there is no database and none may be created,
 * or if there is one and the options forbid it.
 */
public class Iq80DBFactory implements DBFactory {
  /** The bits of an address of this JVM, or 64 if the JVM does not tell. */
  public static final int CPU_DATA_MODEL = Integer.getInteger("sun.arch.data.model", 64);

  /**
   * What iq80's port maps tables by: the property {@code leveldb.mmap}, or else true on 64 bits.
   * Nothing reads it here; kv decides by itself what it maps.
   */
  public static final boolean USE_MMAP =
      Boolean.parseBoolean(System.getProperty("leveldb.mmap", "" + (CPU_DATA_MODEL > 32)));

  /** The version of kv, or "unknown" if this class was not loaded from its jar. */
  public static final String VERSION = ReplacedJar.versionOf(Iq80DBFactory.class);

  /** The factory that programs use. */
  public static final Iq80DBFactory factory = new Iq80DBFactory();

  private static final ReplacedJar IQ80 =
      ReplacedJar.lookFor(
          Iq80DBFactory.class,
          "kv-iq80-impl",
          "org.iq80.leveldb:leveldb",
          "org/iq80/leveldb/impl/VersionSet.class");

  /** Creates a factory; {@link #factory} is as good. */
  public Iq80DBFactory() {}

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

  @Override
  public DB open(File path, Options options) throws IOException {
    IQ80.requireAbsent();
    try {
      return KvDBFactory.factory.open(path, options);
    } catch (IOException e) {
      throw translated(path, e);
    }
  }

  /** Throws what iq80's port throws for the states of a directory, or returns the failure. */
  private static IOException translated(File path, IOException failure) {
    Throwable cause = failure.getCause();
    if (cause instanceof NotADirectoryException) {
      throw new IllegalArgumentException(
          "Database directory '" + path + "' is not a directory", cause);
    }
    if (cause instanceof DBIOException && !path.exists()) {
      throw new IllegalArgumentException(
          "Database directory '" + path + "' does not exist and could not be created", cause);
    }
    if (cause instanceof NoSuchDatabaseException) {
      throw new IllegalArgumentException(
          "Database '" + path + "' does not exist and the create if missing option is disabled",
          cause);
    }
    if (cause instanceof DatabaseExistsException) {
      throw new IllegalArgumentException(
          "Database '" + path + "' exists and the error if exists option is enabled", cause);
    }
    return failure;
  }

  @Override
  public void destroy(File path, Options options) throws IOException {
    IQ80.requireAbsent();
    KvDBFactory.factory.destroy(path, options);
  }

  @Override
  public void repair(File path, Options options) throws IOException {
    IQ80.requireAbsent();
    KvDBFactory.factory.repair(path, options);
  }

  @Override
  public String toString() {
    return "kv in the place of iq80 leveldb, version " + VERSION;
  }
}
