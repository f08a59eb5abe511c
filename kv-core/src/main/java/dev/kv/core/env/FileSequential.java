package dev.kv.core.env;

import dev.kv.env.SequentialFile;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.ByteBuffer;

/**
 * A file on disk that is read from its beginning, without a channel that an interrupt could close.
 */
final class FileSequential implements SequentialFile {
  private static final int PIECE = 32 << 10;

  private final RandomAccessFile file;
  private byte[] piece = new byte[0];

  /** Takes ownership of {@code file}. */
  FileSequential(RandomAccessFile file) {
    this.file = file;
  }

  @Override
  public int read(ByteBuffer into) throws IOException {
    if (into.hasArray()) {
      int count = file.read(into.array(), into.arrayOffset() + into.position(), into.remaining());
      if (count > 0) {
        into.position(into.position() + count);
      }
      return count;
    }
    makeRoom(Math.min(into.remaining(), PIECE));
    int count = file.read(piece, 0, Math.min(into.remaining(), piece.length));
    if (count > 0) {
      into.put(piece, 0, count);
    }
    return count;
  }

  /**
   * Makes the piece large enough for {@code wanted} bytes, or for the rest of a smaller file and
   * one byte, which finds its end.
   */
  private void makeRoom(int wanted) throws IOException {
    if (piece.length < wanted) {
      long left = Math.max(0, file.length() - file.getFilePointer());
      int size = (int) Math.min(wanted, left + 1);
      if (piece.length < size) {
        piece = new byte[size];
      }
    }
  }

  @Override
  public void skip(long count) throws IOException {
    if (count < 0) {
      throw new IllegalArgumentException("skip of " + count);
    }
    long left = Math.max(0, file.length() - file.getFilePointer());
    file.seek(file.getFilePointer() + Math.min(count, left));
  }

  @Override
  public void close() throws IOException {
    file.close();
  }
}
