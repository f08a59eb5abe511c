package dev.kv.core.log;

import dev.kv.core.memory.DirectMemory;
import dev.kv.env.MappedLogFile;
import dev.kv.errors.OffHeapExhaustedException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;

/**
 * A log writer that stores records into a memory-mapped file. All payloads of a record are stored
 * before its first header, and headers in order. So the bytes that a killed process leaves after
 * its last whole record have no header, and read as the end.
 *
 * <p>A header is there at once, because a processor stores four bytes at once. The checksum comes
 * first: without length and type, it reads as no header. Then come its last byte again, the length
 * and the type.
 */
final class MappedLogWriter extends LogWriter {
  /**
   * The maximum number of bytes that are prepared at a time. A log begins with one block and
   * doubles that up to this size.
   */
  private static final long LARGEST_STEP = 256 << 10;

  private final MappedLogFile file;
  private ByteBuffer headers = DirectMemory.allocate(64 * LogFormat.HEADER);

  MappedLogWriter(Path name, MappedLogFile file) {
    super(name, 0);
    this.file = file;
  }

  @Override
  void write(long header, ByteBuffer record, int off, int len) throws IOException {
    long end = LogFormat.endOfRecord(header, len);
    if (end > file.reserved()) {
      extend(end);
    }
    if (len > LogFormat.leftInBlock(header) - LogFormat.HEADER) {
      writeFragments(header, record, off, len);
      return;
    }
    file.store(header + LogFormat.HEADER, record, off, len);
    putHeader(headers, 0, LogFormat.FULL, record, off, len);
    storeHeader(header, 0);
  }

  private void extend(long end) throws NoRoomInLogException {
    try {
      file.reserve(LogFormat.roundUp(end));
    } catch (IOException | OutOfMemoryError e) { // an Env may start a thread for it
      throw new NoRoomInLogException(name(), e);
    }
  }

  private void growHeaders(int fragments) throws NoRoomInLogException {
    try {
      headers = DirectMemory.allocate(2 * fragments * LogFormat.HEADER);
    } catch (OffHeapExhaustedException e) {
      throw new NoRoomInLogException(name(), e);
    }
  }

  private void writeFragments(long header, ByteBuffer record, int off, int len) throws IOException {
    int fragments = LogFormat.fragments(header, len);
    if (headers.capacity() / LogFormat.HEADER < fragments) {
      growHeaders(fragments);
    }
    long at = header;
    int from = off;
    int left = len;
    for (int i = 0; i < fragments; i++) {
      int count = Math.min(left, LogFormat.leftInBlock(at) - LogFormat.HEADER);
      byte type = type(i == 0, i == fragments - 1);
      file.store(at + LogFormat.HEADER, record, from, count);
      putHeader(headers, i * LogFormat.HEADER, type, record, from, count);
      from += count;
      left -= count;
      at += LogFormat.HEADER + count;
    }
    at = header;
    for (int i = 0; i < fragments; i++) {
      storeHeader(at, i * LogFormat.HEADER);
      at += LogFormat.leftInBlock(at);
    }
  }

  /**
   * Stores the header at {@code from} of the scratch buffer; the last four bytes are the second.
   */
  private void storeHeader(long at, int from) throws IOException {
    int rest = LogFormat.HEADER - Integer.BYTES;
    file.store(at, headers, from, Integer.BYTES);
    file.store(at + rest, headers, from + rest, Integer.BYTES);
  }

  @Override
  void sync(long from, long to) throws IOException {
    file.sync(from, to);
  }

  @Override
  public boolean canSyncAside() {
    return true;
  }

  @Override
  public boolean needsReserve() {
    long reserved = file.reserved();
    return reserved - length() < Math.min(LARGEST_STEP, reserved / 2);
  }

  @Override
  public void reserveAhead() throws IOException {
    long reserved = file.reserved();
    file.reserve(reserved + Math.max(LogFormat.BLOCK, Math.min(LARGEST_STEP, reserved)));
  }

  @Override
  void truncateAndClose() throws IOException {
    try (file) {
      file.cut(length());
    }
  }

  @Override
  public void close() throws IOException {
    file.close();
  }
}
