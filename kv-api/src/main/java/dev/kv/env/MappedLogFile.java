package dev.kv.env;

import java.io.IOException;
import java.nio.ByteBuffer;

/**
 * A log file that is written through mapped memory. After a store, the bytes survive the death of
 * the process. After {@link #sync}, they survive a loss of power. The region below {@link
 * #reserved} has been filled with zeros on disk, so on a full disk {@link #reserve} fails, and a
 * store does not, unless the file system copies pages that are written again.
 *
 * <p>One thread stores at a time, and one syncs; another one may call {@link #reserve} at the same
 * time.
 */
public interface MappedLogFile extends AutoCloseable {
  /**
   * Returns the end of the region that can be stored to.
   *
   * @return the offset in bytes, a multiple of 32 KiB
   */
  long reserved();

  /**
   * Extends the region with zeros.
   *
   * @param end the least new end in bytes, a multiple of 32 KiB
   * @throws IOException if the disk is full or fails
   */
  void reserve(long end) throws IOException;

  /**
   * Copies bytes into the file, without a system call. The end of the target must not be after
   * {@link #reserved}. Stores become visible in the order of the calls.
   *
   * @param position the offset of the first byte in the file
   * @param source the buffer, direct or heap; the range must not end after its limit, its position
   *     has no effect, and neither changes
   * @param offset the index of the first byte in the buffer
   * @param length the number of bytes
   * @throws IOException if the file is closed, or the bytes could not be stored
   */
  void store(long position, ByteBuffer source, int offset, int length) throws IOException;

  /**
   * Makes a range of bytes, and the size of the file, durable.
   *
   * @param from the offset of the first byte
   * @param to the end, exclusive
   * @throws IOException if the sync fails
   */
  void sync(long from, long to) throws IOException;

  /**
   * Sets the size of the file, and frees the reserved space after it. There are no stores after
   * this call.
   *
   * @param length the size in bytes
   * @throws IOException if the file cannot be truncated
   */
  void cut(long length) throws IOException;

  /** Closes the file without truncating it. Closing it twice does nothing. */
  @Override
  void close() throws IOException;
}
