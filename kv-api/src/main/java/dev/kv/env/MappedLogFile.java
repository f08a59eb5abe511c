package dev.kv.env;

import java.io.IOException;
import java.nio.ByteBuffer;

/**
 * A log file written by stores into memory: what is stored survives the death of the process at
 * once, and loss of power after {@link #sync}. The region below {@link #reserved} is filled with
 * zeros on disk ahead of the stores, so that a full disk shows in {@link #reserve}, never in a
 * store.
 *
 * <p>One thread stores and syncs at a time; another may reserve meanwhile.
 */
public interface MappedLogFile extends AutoCloseable {
  /** Returns the end, in bytes, of the region that can be stored to; a multiple of 32 KiB. */
  long reserved();

  /** Extends the region with zeros to at least {@code end}, a multiple of 32 KiB. */
  void reserve(long end) throws IOException;

  /**
   * Copies {@code length} bytes of {@code source} from {@code offset} on to {@code position},
   * wholly below {@link #reserved}. Stores become visible in the order of the calls. Enters no
   * kernel.
   */
  void store(long position, ByteBuffer source, int offset, int length) throws IOException;

  /** Makes the bytes from {@code from} to {@code to} durable, and the file's size. */
  void sync(long from, long to) throws IOException;

  /** Ends the file at {@code length}: what was reserved beyond is given back. No stores follow. */
  void cut(long length) throws IOException;

  /** Closes without a cut. Closing twice does nothing. */
  @Override
  void close() throws IOException;
}
