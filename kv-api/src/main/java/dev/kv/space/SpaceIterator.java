package dev.kv.space;

import dev.kv.DBIterator;
import dev.kv.bytes.Slice;
import dev.kv.view.IteratorView;
import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;

/** A cursor over the keys with one prefix, which it adds to targets and removes from keys. */
final class SpaceIterator extends IteratorView {
  private final KeyPrefix prefix;
  private @Nullable Slice whole;
  private @Nullable Slice keySlice;

  /** Creates a cursor, which takes ownership of one that has the prefix as its bounds. */
  SpaceIterator(DBIterator cursor, KeyPrefix prefix) {
    super(cursor);
    this.prefix = prefix;
  }

  @Override
  public void seek(byte[] key) {
    cursor.seek(prefix.join(key));
  }

  @Override
  public void seek(ByteBuffer key) {
    cursor.seek(prefix.join(key));
  }

  @Override
  public void seekForPrev(byte[] key) {
    cursor.seekForPrev(prefix.join(key));
  }

  @Override
  public void seekForPrev(ByteBuffer key) {
    cursor.seekForPrev(prefix.join(key));
  }

  @Override
  public byte[] key() {
    return keySlice().toByteArray();
  }

  @Override
  @SuppressWarnings("ReferenceEquality") // slices are equal if their bytes are
  public Slice keySlice() {
    Slice current = cursor.keySlice();
    Slice key = keySlice;
    if (key == null || whole != current) {
      key = current.suffix(prefix.length());
      whole = current;
      keySlice = key;
    }
    return key;
  }
}
