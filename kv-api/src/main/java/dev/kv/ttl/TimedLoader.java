package dev.kv.ttl;

import dev.kv.load.BulkLoader;
import java.nio.ByteBuffer;

/** A bulk load of values that expire. */
final class TimedLoader implements BulkLoader {
  private final BulkLoader target;
  private final TimeToLive times;

  /** Takes ownership of the loader of the database. */
  TimedLoader(BulkLoader target, TimeToLive times) {
    this.target = target;
    this.times = times;
  }

  @Override
  public void put(byte[] key, byte[] value) {
    target.put(key, times.encode(value));
  }

  @Override
  public void put(ByteBuffer key, ByteBuffer value) {
    target.put(key, ByteBuffer.wrap(Expiry.encode(times.expiry(), value)));
  }

  @Override
  public long entryCount() {
    return target.entryCount();
  }

  @Override
  public void finish() {
    target.finish();
  }

  @Override
  public void close() {
    target.close();
  }
}
