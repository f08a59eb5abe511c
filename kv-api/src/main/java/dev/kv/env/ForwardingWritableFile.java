package dev.kv.env;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.Objects;

/** A file written at its end that hands every call to another: extend it to change a few. */
public class ForwardingWritableFile implements WritableFile {
  private final WritableFile target;

  /** Creates the wrapper around {@code target}, which it takes over. */
  public ForwardingWritableFile(WritableFile target) {
    this.target = Objects.requireNonNull(target, "target");
  }

  /** Returns the file that calls go to. */
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
