package dev.kv.core.manifest;

import dev.kv.core.env.CloseAll;
import dev.kv.core.env.FileNames;
import dev.kv.core.log.LogWriter;
import dev.kv.core.logging.EngineLogger;
import dev.kv.core.memory.OffHeapBuffer;
import dev.kv.core.version.VersionEdit;
import dev.kv.core.version.VersionEditCodec;
import dev.kv.env.WritableFile;
import java.io.IOException;
import java.nio.file.Path;

/** The writer of one MANIFEST. Not thread-safe. It must not be used after an exception. */
final class ManifestWriter implements AutoCloseable {
  private static final EngineLogger LOG = EngineLogger.of(ManifestWriter.class);

  private static final int INITIAL_BYTES = 4096;

  private final ManifestContext context;
  private final long number;
  private final Path file;
  private final LogWriter log;
  private final OffHeapBuffer record;

  private ManifestWriter(
      ManifestContext context, long number, Path file, LogWriter log, OffHeapBuffer record) {
    this.context = context;
    this.number = number;
    this.file = file;
    this.log = log;
    this.record = record;
  }

  /** Creates an empty MANIFEST with the given number. */
  static ManifestWriter create(ManifestContext context, long number) throws IOException {
    Path file = FileNames.manifest(context.directory(), number);
    return open(context, number, file, context.env().createWritable(file), 0);
  }

  /**
   * Opens a MANIFEST that ends on a record boundary at {@code length}, to append to it, and syncs
   * it.
   */
  static ManifestWriter reopen(ManifestContext context, long number, Path file, long length)
      throws IOException {
    WritableFile out = context.env().openAppendable(file);
    try {
      out.sync();
    } catch (Throwable e) {
      out.close();
      throw e;
    }
    return open(context, number, file, out, length);
  }

  private static ManifestWriter open(
      ManifestContext context, long number, Path file, WritableFile out, long length)
      throws IOException {
    LogWriter log = LogWriter.appending(file, out, length);
    try {
      OffHeapBuffer record = new OffHeapBuffer(context.budget(), 0);
      ManifestWriter writer = new ManifestWriter(context, number, file, log, record);
      record.ensureCapacity(INITIAL_BYTES); // last: what fails before leaves no memory
      return writer;
    } catch (Throwable e) {
      log.close();
      throw e;
    }
  }

  /** Returns the number of the MANIFEST. */
  long number() {
    return number;
  }

  /** Returns the path of the MANIFEST. */
  Path name() {
    return file;
  }

  /** Appends an edit as one record. */
  void append(VersionEdit edit) throws IOException {
    append(VersionEditCodec.encode(edit));
  }

  /** Appends an encoded edit as one record. */
  void append(byte[] edit) throws IOException {
    record.ensureCapacity(edit.length);
    record.buffer().put(0, edit);
    log.append(record.buffer(), 0, edit.length);
  }

  /** Makes the appended records durable. */
  void sync() throws IOException {
    log.sync();
  }

  /** Returns the file's length. */
  long length() {
    return log.length();
  }

  @Override
  public void close() throws IOException {
    record.close();
    log.close();
  }

  /**
   * Closes and deletes a MANIFEST that never became current. Failures are added to {@code reason}
   * as suppressed.
   */
  void delete(Throwable reason) {
    try {
      close();
      context.env().delete(file);
    } catch (IOException | RuntimeException e) {
      CloseAll.addSuppressed(reason, e);
    }
    LOG.warn("{} could not be written, and is not used: {}", file, reason.toString());
  }
}
