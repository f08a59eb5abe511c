package dev.kv.core.env;

import dev.kv.env.WritableFile;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.ByteBuffer;
import java.nio.file.Path;

/**
 * A file on disk that is written at its end, buffered, without a channel that an interrupt could
 * close. After a failed write the end of the file is unknown: every later write fails.
 */
final class FileWritable implements WritableFile {
  private static final int BUFFER = 64 << 10;

  private final Path path;
  private final RandomAccessFile file;
  private final DescriptorSync descriptorSync;
  private final byte[] buffer = new byte[BUFFER];
  private int buffered;
  private long length;
  private boolean failed;
  private boolean closed;

  /** Takes ownership of {@code file}, whose position is its end. */
  FileWritable(Path path, RandomAccessFile file, DescriptorSync descriptorSync) throws IOException {
    this.path = path;
    this.file = file;
    this.length = file.getFilePointer();
    this.descriptorSync = descriptorSync;
  }

  @Override
  public void append(ByteBuffer bytes) throws IOException {
    checkUsable();
    while (bytes.hasRemaining()) {
      if (buffered == BUFFER) {
        drain();
      }
      int count = Math.min(bytes.remaining(), BUFFER - buffered);
      bytes.get(buffer, buffered, count);
      buffered += count;
      length += count;
    }
  }

  @Override
  public void flush() throws IOException {
    checkUsable();
    drain();
  }

  @Override
  public void sync() throws IOException {
    checkUsable();
    drain();
    descriptorSync.sync(path, file);
  }

  @Override
  public long length() {
    return length;
  }

  @Override
  public void close() throws IOException {
    if (closed) {
      return;
    }
    closed = true;
    try {
      if (!failed) {
        drain();
      }
    } finally {
      file.close();
    }
  }

  private void drain() throws IOException {
    if (buffered > 0) {
      failed = true;
      file.write(buffer, 0, buffered);
      failed = false;
      buffered = 0;
    }
  }

  private void checkUsable() throws IOException {
    if (closed || failed) {
      throw new IOException((closed ? "closed: " : "an earlier write failed: ") + path);
    }
  }
}
