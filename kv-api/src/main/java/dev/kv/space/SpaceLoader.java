package dev.kv.space;

import dev.kv.load.BulkLoader;
import java.nio.ByteBuffer;
import java.util.Objects;

/** A bulk load into a space: one of its database, with the prefix before each key. */
final class SpaceLoader implements BulkLoader {
  private final BulkLoader target;
  private final KeyPrefix prefix;

  /** Takes ownership of the loader of the database. */
  SpaceLoader(BulkLoader target, KeyPrefix prefix) {
    this.target = target;
    this.prefix = prefix;
  }

  @Override
  public void put(byte[] key, byte[] value) {
    target.put(prefix.join(Objects.requireNonNull(key, "key")), value);
  }

  @Override
  public void put(ByteBuffer key, ByteBuffer value) {
    target.put(prefix.join(key), value);
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
