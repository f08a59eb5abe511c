package dev.kv.ttl;

import dev.kv.load.BulkLoader;
import dev.kv.view.LoaderView;
import java.nio.ByteBuffer;

/** A bulk load of values that expire. */
final class TimedLoader extends LoaderView {
  private final TimeToLive times;

  /** Takes ownership of the loader of the database. */
  TimedLoader(BulkLoader target, TimeToLive times) {
    super(target);
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
}
