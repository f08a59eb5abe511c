package dev.kv.streams.scan;

/** A scan without entries. */
public final class NoEntries implements EntryScan {
  @Override
  public boolean hasEntry() {
    return false;
  }

  @Override
  public byte[] key() {
    throw new IllegalStateException("the scan is at no entry");
  }

  @Override
  public byte[] value() {
    throw new IllegalStateException("the scan is at no entry");
  }

  @Override
  public void advance() {
    throw new IllegalStateException("the scan is at no entry");
  }

  @Override
  public void close() {}
}
