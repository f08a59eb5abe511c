package dev.kv.core.iterator;

import dev.kv.core.key.InternalKey;
import dev.kv.core.key.KeyBounds;
import dev.kv.core.key.ValueKind;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/** A cursor over sorted entries that moves in both directions and seeks keys. */
public abstract class InternalIterator extends ForwardIterator {
  /** For implementations. */
  protected InternalIterator() {}

  /** Moves to the last entry, if any. */
  public abstract void seekToLast();

  /**
   * Moves to the first entry at or after a key, given in the form in which this cursor shows keys.
   */
  public abstract void seek(ByteBuffer key, int offset, int length);

  /** Moves to the previous entry. Requires {@link #isValid()}. */
  public abstract void prev();

  /**
   * Moves to the first entry at or after the lower bound of a range of user keys, which may lie
   * after the range. Only for a cursor over internal keys.
   */
  public final void seekToStart(KeyBounds range) {
    byte[] lower = range.lower();
    if (lower == null) {
      seekToFirst();
      return;
    }
    byte[] key = InternalKey.encode(lower, InternalKey.MAX_SEQUENCE, ValueKind.VALUE);
    ByteBuffer direct = ByteBuffer.allocateDirect(key.length).order(ByteOrder.LITTLE_ENDIAN);
    seek(direct.put(0, key), 0, key.length);
  }
}
