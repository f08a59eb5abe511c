package dev.kv.core.shared;

/** A memtable that takes as many bytes as the test says, and notes that its flush was requested. */
public class TestMemtable implements WriteBuffers.Buffer {
  private long bytes;
  private boolean requested;

  /** Sets what {@link #bytes} returns. */
  public final void setBytes(long size) {
    bytes = size;
  }

  /** Takes back the request, and the bytes: the flush has ended. */
  public final void clear() {
    requested = false;
    bytes = 0;
  }

  @Override
  public final long bytes() {
    return bytes;
  }

  @Override
  public final long begun() {
    return 0;
  }

  @Override
  public final boolean isFlushPending() {
    return requested;
  }

  @Override
  public final void requestFlush() {
    requested = true;
  }
}
