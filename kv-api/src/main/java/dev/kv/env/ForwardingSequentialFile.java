package dev.kv.env;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.Objects;

/** A file read from its beginning that hands every call to another: extend it to change a few. */
public class ForwardingSequentialFile implements SequentialFile {
  private final SequentialFile target;

  /** Creates the wrapper around {@code target}, which it takes over. */
  public ForwardingSequentialFile(SequentialFile target) {
    this.target = Objects.requireNonNull(target, "target");
  }

  /** Returns the file that calls go to. */
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
