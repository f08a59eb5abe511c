package dev.kv.backup;

import dev.kv.env.RandomAccessFile;
import dev.kv.env.WritableFile;
import dev.kv.errors.CorruptionException;
import dev.kv.event.ProgressListener;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.zip.CRC32C;
import org.jspecify.annotations.Nullable;

/** Reads files, computes their checksums, and writes copies. One thread uses it. */
final class Copier {
  private static final int BUFFER_BYTES = 256 << 10;

  private final ByteBuffer buffer = ByteBuffer.allocate(BUFFER_BYTES);
  private final ProgressListener progress;
  private final long totalBytes;
  private long doneBytes;

  /**
   * Creates a copier.
   *
   * @param totalBytes the size of all files, for the progress
   */
  Copier(ProgressListener progress, long totalBytes) {
    this.progress = progress;
    this.totalBytes = totalBytes;
  }

  /** Returns the checksum of a file's first {@code size} bytes; does not count as progress. */
  int checksum(RandomAccessFile in, long size, String name) throws IOException {
    return read(in, size, name, null, false);
  }

  /** Copies a file's first {@code size} bytes, syncs the copy, and returns the checksum. */
  int copy(RandomAccessFile in, long size, String name, WritableFile out) throws IOException {
    int checksum = read(in, size, name, out, true);
    out.sync();
    return checksum;
  }

  /** Counts bytes that need not be copied. */
  void skip(long bytes) {
    doneBytes += bytes;
    progress.onProgress(doneBytes, totalBytes);
  }

  private int read(
      RandomAccessFile in, long size, String name, @Nullable WritableFile out, boolean counts)
      throws IOException {
    CRC32C checksum = new CRC32C();
    long done = 0;
    while (done < size) {
      int length = (int) Math.min(BUFFER_BYTES, size - done);
      int count = in.read(done, buffer.clear(), 0, length);
      if (count <= 0) {
        throw new CorruptionException("the file ends before its " + size + " bytes", name, done);
      }
      checksum.update(buffer.position(0).limit(count));
      if (out != null) {
        out.append(buffer.position(0).limit(count));
      }
      done += count;
      if (counts) {
        skip(count);
      } else {
        progress.onProgress(doneBytes, totalBytes);
      }
    }
    return (int) checksum.getValue();
  }
}
