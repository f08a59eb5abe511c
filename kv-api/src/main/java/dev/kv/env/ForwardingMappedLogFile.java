package dev.kv.env;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.Objects;

/** A mapped log file that forwards every call to another one. Extend it to change a few methods. */
public class ForwardingMappedLogFile implements MappedLogFile {
  private final MappedLogFile target;

  /**
   * Creates the wrapper.
   *
   * @param target the file that gets the calls; {@link #close} closes it
   */
  public ForwardingMappedLogFile(MappedLogFile target) {
    this.target = Objects.requireNonNull(target, "target");
  }

  /**
   * Returns the file that gets the calls.
   *
   * @return the file
   */
  protected final MappedLogFile target() {
    return target;
  }

  @Override
  public long reserved() {
    return target.reserved();
  }

  @Override
  public void reserve(long end) throws IOException {
    target.reserve(end);
  }

  @Override
  public void store(long position, ByteBuffer source, int offset, int length) throws IOException {
    target.store(position, source, offset, length);
  }

  @Override
  public void sync(long from, long to) throws IOException {
    target.sync(from, to);
  }

  @Override
  public void cut(long length) throws IOException {
    target.cut(length);
  }

  @Override
  public void close() throws IOException {
    target.close();
  }
}
