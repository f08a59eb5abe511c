package dev.kv.env;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.Objects;

/**
 * A file, written at its end, that forwards every call to another one. Extend it to change a few
 * methods.
 */
public class ForwardingWritableFile implements WritableFile {
  private final WritableFile target;

  /**
   * Creates the wrapper.
   *
   * @param target the file that gets the calls; {@link #close} closes it
   */
  public ForwardingWritableFile(WritableFile target) {
    this.target = Objects.requireNonNull(target, "target");
  }

  /**
   * Returns the file that gets the calls.
   *
   * @return the file
   */
  protected final WritableFile target() {
    return target;
  }

  @Override
  public void append(ByteBuffer bytes) throws IOException {
    target.append(bytes);
  }

  @Override
  public void flush() throws IOException {
    target.flush();
  }

  @Override
  public void sync() throws IOException {
    target.sync();
  }

  @Override
  public long length() {
    return target.length();
  }

  @Override
  public void close() throws IOException {
    target.close();
  }
}
