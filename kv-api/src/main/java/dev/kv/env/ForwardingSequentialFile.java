package dev.kv.env;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.Objects;

/**
 * A file, read from its beginning, that forwards every call to another one. Extend it to change a
 * few methods.
 */
public class ForwardingSequentialFile implements SequentialFile {
  private final SequentialFile target;

  /**
   * Creates the wrapper.
   *
   * @param target the file that gets the calls; {@link #close} closes it
   */
  public ForwardingSequentialFile(SequentialFile target) {
    this.target = Objects.requireNonNull(target, "target");
  }

  /**
   * Returns the file that gets the calls.
   *
   * @return the file
   */
  protected final SequentialFile target() {
    return target;
  }

  @Override
  public int read(ByteBuffer into) throws IOException {
    return target.read(into);
  }

  @Override
  public void skip(long count) throws IOException {
    target.skip(count);
  }

  @Override
  public void close() throws IOException {
    target.close();
  }
}
