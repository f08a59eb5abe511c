package dev.kv.core.iterator;

import com.google.errorprone.annotations.CanIgnoreReturnValue;
import dev.kv.core.key.InternalKey;
import dev.kv.errors.CorruptionException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/**
 * A cursor that reads sorted entries from the first to the last one: what a merge of whole inputs
 * needs. Keys and values lie in direct memory. Begins before any entry.
 *
 * <p>The entry is <em>borrowed</em>: the buffers and offsets that {@link #keyBuffer()} and the
 * other accessors return are valid until the next move. They are plain fields, so that reading them
 * needs no virtual call.
 *
 * <p>Damage throws {@link dev.kv.errors.CorruptionException}, a failed read {@link
 * dev.kv.errors.DBIOException}; the cursor is invalid afterwards and a seek may be tried again.
 *
 * <p>Not thread-safe: one thread at a time, the close included. {@link CursorGuard} keeps a close
 * of the database apart from the moves of a program's cursor.
 */
public abstract class ForwardIterator implements AutoCloseable {
  /** No bytes, in a buffer of the kind that all others are. */
  protected static final ByteBuffer NO_BYTES =
      ByteBuffer.allocateDirect(0).order(ByteOrder.LITTLE_ENDIAN);

  protected boolean valid;
  protected ByteBuffer keyBuffer = NO_BYTES;
  protected int keyOffset;
  protected int keyLength;
  protected ByteBuffer valueBuffer = NO_BYTES;
  protected int valueOffset;
  protected int valueLength;

  /** For implementations. */
  protected ForwardIterator() {}

  /** Returns true if the cursor has a current entry. */
  public final boolean isValid() {
    return valid;
  }

  /** Returns the buffer that the entry's key lies in. */
  public final ByteBuffer keyBuffer() {
    return keyBuffer;
  }

  /** Returns the offset in {@link #keyBuffer()} at which the entry's key begins. */
  public final int keyOffset() {
    return keyOffset;
  }

  /** Returns the length of the entry's key. */
  public final int keyLength() {
    return keyLength;
  }

  /** Returns the buffer that the entry's value lies in. */
  public final ByteBuffer valueBuffer() {
    return valueBuffer;
  }

  /** Returns the offset in {@link #valueBuffer()} at which the entry's value begins. */
  public final int valueOffset() {
    return valueOffset;
  }

  /** Returns the length of the entry's value. */
  public final int valueLength() {
    return valueLength;
  }

  /** Returns a copy of the entry's key. */
  public final byte[] copyKey() {
    return InternalKey.copy(keyBuffer, keyOffset, keyLength);
  }

  /** Returns a copy of the entry's value. */
  public final byte[] copyValue() {
    return InternalKey.copy(valueBuffer, valueOffset, valueLength);
  }

  /** Moves to the first entry, if any. */
  public abstract void seekToFirst();

  /** Moves to the next entry. Requires {@link #isValid()}. */
  public abstract void next();

  /**
   * Returns the cursor that has read the current entry: this one, or the one of several below it
   * from which the entry comes. Requires {@link #isValid()}.
   */
  public ForwardIterator source() {
    return this;
  }

  /**
   * Returns an exception for the entry, to be thrown if it is found to be damaged. It names the
   * file that the entry was read from, and the offset of its block. Requires {@link #isValid()}.
   *
   * @param what describes the damage
   * @param elsewhere the name to report if the entry is not in a file
   */
  @SuppressWarnings("ReferenceEquality") // which cursor it is
  public CorruptionException corruption(String what, String elsewhere) {
    ForwardIterator source = source();
    return source == this
        ? new CorruptionException(what, elsewhere, CorruptionException.NO_OFFSET)
        : source.corruption(what, elsewhere);
  }

  /**
   * Returns the exception for an entry whose key is damaged in that way; as {@link #corruption}.
   */
  public final CorruptionException damagedKey(String how, String elsewhere) {
    return corruption(
        "a table holds a key that is " + how + ": " + InternalKey.describe(copyKey()), elsewhere);
  }

  /** Releases what this cursor pins. Closing twice does nothing. */
  @Override
  public abstract void close();

  /** Copies the position of {@code child}, valid or not, to this cursor. */
  @CanIgnoreReturnValue
  protected final boolean show(ForwardIterator child) {
    keyBuffer = child.keyBuffer;
    keyOffset = child.keyOffset;
    keyLength = child.keyLength;
    valueBuffer = child.valueBuffer;
    valueOffset = child.valueOffset;
    valueLength = child.valueLength;
    valid = child.valid;
    return child.valid;
  }
}
