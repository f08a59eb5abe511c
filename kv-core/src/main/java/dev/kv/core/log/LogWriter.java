package dev.kv.core.log;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import dev.kv.core.codec.MaskedCrc32c;
import dev.kv.core.env.CloseAll;
import dev.kv.env.MappedLogFile;
import dev.kv.env.WritableFile;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.Objects;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * Appends records to a log (see {@link LogFormat}). Used by one thread at a time; {@link
 * #reserveAhead} may run on another thread concurrently, and {@link #syncTo} on a third.
 *
 * <p>After a failed append or sync the contents of the file are unknown: every later call fails
 * with the first failure as its cause. Once an append has returned, the record survives the death
 * of the process.
 */
public abstract sealed class LogWriter implements AutoCloseable
    permits MappedLogWriter, AppendingLogWriter {
  private final Path name;
  private final MaskedCrc32c crc = new MaskedCrc32c();
  private long length;
  private volatile @Nullable Throwable failure;

  /** Held during a sync: one that finds nothing to do must not return before another is done. */
  private final ReentrantLock syncing = new ReentrantLock();

  @GuardedBy("syncing")
  private long synced;

  LogWriter(Path name, long length) {
    this.name = name;
    this.length = length;
    this.synced = length;
  }

  /** Returns a writer of the new log {@code file}, and takes ownership of the file. */
  public static LogWriter mapped(Path name, MappedLogFile file) {
    try {
      return new MappedLogWriter(name, file);
    } catch (Throwable e) {
      closeAfter(e, file);
      throw e;
    }
  }

  /**
   * Returns a writer at the end of {@code file}, and takes ownership of the file.
   *
   * @param initialLength the file's length, which must be the end of a record (or 0)
   */
  public static LogWriter appending(Path name, WritableFile file, long initialLength) {
    try {
      return new AppendingLogWriter(name, file, initialLength);
    } catch (Throwable e) {
      closeAfter(e, file);
      throw e;
    }
  }

  /** Closes the file of a writer that could not be made, because there is no memory for it. */
  private static void closeAfter(Throwable failure, AutoCloseable file) {
    try {
      file.close();
    } catch (Exception also) {
      CloseAll.addSuppressed(failure, also);
    }
  }

  /**
   * Appends a record: {@code len} bytes from {@code off} of a direct buffer that is not a mapping.
   *
   * @throws NoRoomInLogException if there is no room; the log is as before, and the append may be
   *     tried again
   */
  public final void append(ByteBuffer record, int off, int len) throws IOException {
    checkUsable();
    Objects.checkFromIndexSize(off, len, record.capacity());
    try {
      long header = LogFormat.nextHeader(length);
      write(header, record, off, len);
      length = LogFormat.endOfRecord(header, len);
    } catch (NoRoomInLogException e) {
      throw e; // nothing was written
    } catch (IOException e) {
      failure = e;
      throw named(e);
    } catch (Throwable e) { // an Env in another language may throw a checked exception
      failure = e;
      throw e;
    }
  }

  /** Makes every appended record durable; does nothing if all are durable already. */
  public final void sync() throws IOException {
    syncTo(length);
  }

  /**
   * Makes the records up to an offset durable; does nothing if they are durable already. If {@link
   * #canSyncAside}, any thread may call it while another one appends.
   *
   * @param end the offset, which was {@link #length} once
   */
  public final void syncTo(long end) throws IOException {
    syncing.lock();
    try {
      checkUsable();
      if (synced < end) {
        syncRange(end);
      }
    } finally {
      syncing.unlock();
    }
  }

  @GuardedBy("syncing")
  private void syncRange(long end) throws IOException {
    try {
      sync(synced, end);
      synced = end;
    } catch (IOException e) {
      failure = e;
      throw named(e);
    } catch (Throwable e) { // as in append
      failure = e;
      throw e;
    }
  }

  /** Returns true if {@link #syncTo} may run beside an append. */
  public boolean canSyncAside() {
    return false; // the file may have a buffer
  }

  /** Returns the file's name. */
  public final Path name() {
    return name;
  }

  /** Returns the log's length: the offset after the last record. */
  public final long length() {
    return length;
  }

  /** Returns true if it is time to call {@link #reserveAhead}. */
  public boolean needsReserve() {
    return false; // a file grows as it is written
  }

  /**
   * Prepares room for later records, on any thread. Without it, or if it fails, {@link #append}
   * makes room itself, and reports its failure then.
   */
  public void reserveAhead() throws IOException {}

  /** Truncates the file after the last record and closes it. */
  public final void closeCleanly() throws IOException {
    try {
      truncateAndClose();
    } catch (IOException e) {
      throw named(e);
    }
  }

  void truncateAndClose() throws IOException {
    close(); // a file that grows as it is written ends with the last record
  }

  /** Closes the file as it is. Closing twice does nothing. */
  @Override
  public abstract void close() throws IOException;

  /**
   * Writes all fragments of a record, the first header at {@code header}.
   *
   * @throws NoRoomInLogException before anything was written
   */
  abstract void write(long header, ByteBuffer record, int off, int len) throws IOException;

  abstract void sync(long from, long to) throws IOException;

  /** Writes the header of a fragment at {@code at} of {@code into}, which is little-endian. */
  final void putHeader(ByteBuffer into, int at, byte type, ByteBuffer payload, int off, int len) {
    crc.reset();
    crc.update(type);
    crc.update(payload, off, len);
    into.putInt(at, crc.maskedValue());
    into.putShort(at + LogFormat.LENGTH_OFFSET, (short) len);
    into.put(at + LogFormat.TYPE_OFFSET, type);
  }

  /** Returns the type of a fragment. */
  static byte type(boolean first, boolean last) {
    if (first) {
      return last ? LogFormat.FULL : LogFormat.FIRST;
    }
    return last ? LogFormat.LAST : LogFormat.MIDDLE;
  }

  /**
   * Returns the failure, or one with it as the cause if its message does not name the log: it is
   * often the operating system's reason alone.
   */
  private IOException named(IOException e) {
    String message = String.valueOf(e.getMessage());
    return message.contains(name.toString()) ? e : new IOException(name + ": " + message, e);
  }

  private void checkUsable() throws IOException {
    if (failure != null) {
      throw new IOException("log " + name + " failed before", failure);
    }
  }
}
