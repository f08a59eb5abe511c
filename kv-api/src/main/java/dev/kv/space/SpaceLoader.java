package dev.kv.space;

import dev.kv.load.BulkLoader;
import dev.kv.view.LoaderView;
import java.nio.ByteBuffer;

/** A bulk load into a space: one of its database, with the prefix before each key. */
final class SpaceLoader extends LoaderView {
  private final KeyPrefix prefix;

  /** Takes ownership of the loader of the database. */
  SpaceLoader(BulkLoader target, KeyPrefix prefix) {
    super(target);
    this.prefix = prefix;
  }

  @Override
  public void put(byte[] key, byte[] value) {
    target.put(prefix.join(key), value);
  }

  @Override
  public void put(ByteBuffer key, ByteBuffer value) {
    target.put(prefix.join(key), value);
  }
}
