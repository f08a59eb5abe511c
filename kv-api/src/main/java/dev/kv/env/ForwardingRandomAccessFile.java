package dev.kv.env;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.Objects;

/**
 * A file, read at any position, that forwards every call to another one. Extend it to change a few
 * methods.
 */
public class ForwardingRandomAccessFile implements RandomAccessFile {
  private final RandomAccessFile target;

  /**
   * Creates the wrapper.
   *
   * @param target the file that gets the calls; {@link #close} closes it
   */
  public ForwardingRandomAccessFile(RandomAccessFile target) {
    this.target = Objects.requireNonNull(target, "target");
  }

  /**
   * Returns the file that gets the calls.
   *
   * @return the file
   */
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
