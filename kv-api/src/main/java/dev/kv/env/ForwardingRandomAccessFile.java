package dev.kv.env;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.Objects;

/** A file read at positions that hands every call to another: extend it to change a few. */
public class ForwardingRandomAccessFile implements RandomAccessFile {
  private final RandomAccessFile target;

  /** Creates the wrapper around {@code target}, which it takes over. */
  public ForwardingRandomAccessFile(RandomAccessFile target) {
    this.target = Objects.requireNonNull(target, "target");
  }

  /** Returns the file that calls go to. */
  protected final RandomAccessFile target() {
    return target;
  }

  @Override
  public int read(long position, ByteBuffer into, int offset, int length) throws IOException {
    return target.read(position, into, offset, length);
  }

  @Override
  public long size() {
    return target.size();
  }

  @Override
  public long mappedBytes() {
    return target.mappedBytes();
  }

  @Override
  public void close() throws IOException {
    target.close();
  }
}
