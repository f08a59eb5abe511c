package dev.kv.core.manifest;

import static java.util.Objects.requireNonNull;

import dev.kv.core.env.CloseAll;
import dev.kv.core.env.FileNames;
import dev.kv.core.env.UnneededFile;
import dev.kv.core.logging.EngineLogger;
import dev.kv.core.memory.MemoryShortage;
import dev.kv.core.version.VersionEdit;
import dev.kv.env.WritableFile;
import dev.kv.errors.DBIOException;
import dev.kv.errors.OffHeapExhaustedException;
import java.io.IOException;
import java.nio.file.FileSystemException;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The MANIFEST in use: the log of edits that CURRENT names. Edits are appended to it. When it has
 * grown, a new one begins with the whole state and replaces it. Not thread-safe; {@link #number}
 * may be read by any thread.
 *
 * <p>Durability: the directory is synced before an edit that names new tables is appended. A new
 * MANIFEST is synced, and the directory after it, before CURRENT is changed.
 */
final class Manifest implements AutoCloseable {
  private static final EngineLogger LOG = EngineLogger.of(Manifest.class);

  /** A MANIFEST is replaced when it is this many times as large as the state at its beginning. */
  private static final int GROWTH_BEFORE_REPLACEMENT = 4;

  private final ManifestContext context;

  /** Null before the first edit of this process, unless the MANIFEST is reused. */
  private @Nullable ManifestWriter writer;

  private long replaceAt;
  private volatile long number;

  Manifest(ManifestContext context) {
    this.context = context;
  }

  /** Creates a database, whose next edit begins a new MANIFEST, since the first names no log. */
  void createDatabase() {
    NewDatabase.create(context);
    number = NewDatabase.MANIFEST_NUMBER;
  }

  /**
   * Takes a MANIFEST that was recovered, and opens it to append to it, if the options ask for that,
   * it is small and it ends exactly on a record. In that case its end and its name are made
   * durable. One that names no log is replaced: if it lost all edits after its base, no missing log
   * would show that.
   *
   * @param readOnly true if it will never be written
   * @return true if it is open
   */
  boolean recover(RecoveredManifest recovered, boolean readOnly) {
    number = recovered.file().number();
    if (readOnly
        || !context.reuseManifest()
        || recovered.file().tail() != 0
        || recovered.logNumber() == 0
        || recovered.file().length() >= context.maxFileSize()) {
      return false;
    }
    Path file = context.directory().resolve(recovered.file().name());
    try {
      context.env().syncDirectory(context.directory());
      writer = ManifestWriter.reopen(context, number, file, recovered.file().length());
    } catch (IOException e) {
      LOG.warn("cannot append to {}; beginning a new MANIFEST: {}", file, e.toString());
      return false;
    }
    LOG.info("appending to {}", file);
    replaceAt = context.maxFileSize();
    return true;
  }

  /** Returns the number of the MANIFEST, which CURRENT names. */
  long number() {
    return number;
  }

  /** Returns true if an edit can be appended at all. */
  boolean isOpen() {
    return writer != null;
  }

  /** Returns true if the next edit must go into a new MANIFEST. */
  boolean isFull() {
    return writer == null || writer.length() >= replaceAt;
  }

  /** Returns the length of an open MANIFEST in bytes, all of which are durable. */
  long length() {
    return requireNonNull(writer, "writer").length();
  }

  /**
   * Appends an edit and makes it durable.
   *
   * @param encoded the bytes of the edit
   * @throws NotLoggedException if the directory cannot be opened; nothing has changed
   * @throws IOException if it is not known whether a later recovery will find the edit
   */
  void append(VersionEdit edit, byte[] encoded) throws IOException {
    if (!edit.newFiles().isEmpty()) {
      syncDirectory();
    }
    ManifestWriter open = requireNonNull(writer, "writer");
    open.append(encoded);
    open.sync();
  }

  private void syncDirectory() throws IOException {
    try {
      context.env().syncDirectory(context.directory());
    } catch (FileSystemException e) { // without a descriptor nothing was synced, or lost by that
      throw new NotLoggedException(e);
    }
  }

  /**
   * Creates an empty MANIFEST, which nothing refers to yet.
   *
   * @throws DBIOException if it cannot be created; nothing has changed
   */
  ManifestWriter create(long newNumber) {
    try {
      return ManifestWriter.create(context, newNumber);
    } catch (IOException e) {
      throw new DBIOException(
          "cannot create " + FileNames.manifest(context.directory(), newNumber) + ": " + e, e);
    }
  }

  /**
   * Writes the state and an edit to a new MANIFEST, durably, and a new CURRENT that {@link
   * #replaceBy} renames. The MANIFEST is deleted if this fails. A failure other than that of a sync
   * has changed nothing.
   *
   * @param created what {@link #create} returned
   * @param state the edits that describe the version before the edit
   * @param encoded the bytes of the edit
   * @throws OffHeapExhaustedException if there is no memory for it
   * @throws NotLoggedException if a file or the directory cannot be opened, or a file not written
   * @throws IOException if a sync failed
   */
  void prepare(ManifestWriter created, List<VersionEdit> state, byte[] encoded) throws IOException {
    try {
      write(created, state, encoded);
      created.sync();
      syncDirectory();
      try (WritableFile current = newCurrent(created.number())) {
        current.sync();
      }
    } catch (Throwable e) {
      created.delete(e);
      deleteTemporary(created.number(), e);
      if (MemoryShortage.isCauseOf(e)) {
        throw new OffHeapExhaustedException(
            "no memory to begin a MANIFEST in " + context.directory() + ": " + e.getMessage(), e);
      }
      throw e;
    }
  }

  /**
   * Makes CURRENT name the new MANIFEST.
   *
   * @param created what was {@linkplain #prepare prepared}; owned by this object from now on
   * @throws IOException if it is not known which MANIFEST a later recovery will find
   */
  void replaceBy(ManifestWriter created) throws IOException {
    ManifestWriter before = writer;
    writer = created;
    try {
      CurrentFile.change(context.env(), context.directory(), created.number());
      number = created.number();
    } finally {
      if (before != null) {
        UnneededFile.close(before, before.name(), LOG);
      }
    }
  }

  private void write(ManifestWriter created, List<VersionEdit> state, byte[] encoded)
      throws NotLoggedException {
    try {
      for (VersionEdit part : state) {
        created.append(part);
      }
      replaceAt = Math.max(context.maxFileSize(), GROWTH_BEFORE_REPLACEMENT * created.length());
      created.append(encoded);
    } catch (IOException e) {
      throw new NotLoggedException(e);
    }
  }

  private void deleteTemporary(long created, Throwable failure) {
    try {
      context.env().delete(FileNames.temp(context.directory(), created));
    } catch (NoSuchFileException none) {
      return; // the failure came before it
    } catch (IOException also) {
      CloseAll.addSuppressed(failure, also);
    }
  }

  private WritableFile newCurrent(long created) throws NotLoggedException {
    try {
      return CurrentFile.prepare(context.env(), context.directory(), created);
    } catch (IOException e) {
      throw new NotLoggedException(e);
    }
  }

  @Override
  public void close() {
    if (writer != null) {
      UnneededFile.close(writer, writer.name(), LOG); // all of it is durable
    }
  }
}
