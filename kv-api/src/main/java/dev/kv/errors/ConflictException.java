package dev.kv.errors;

import java.util.Objects;

/**
 * Thrown by a write whose condition does not hold: an expectation of a {@link dev.kv.WriteBatch} is
 * not met, or a key that a {@link dev.kv.Transaction} depends on has changed. The write has no
 * effect, and the database works on. Read again, decide again, and try again; {@link
 * dev.kv.DB#update} and {@link dev.kv.DB#transact} do this by themselves.
 */
public final class ConflictException extends DBException {
  private static final long serialVersionUID = 1L;

  private final byte[] key;

  /**
   * Creates the exception.
   *
   * @param message what is wrong, where, and what to do
   * @param key the key whose value prevents the write; copied
   */
  public ConflictException(String message, byte[] key) {
    super(message, null);
    this.key = Objects.requireNonNull(key, "key").clone();
  }

  /**
   * Returns the key whose value prevents the write.
   *
   * @return a copy of the key; if there are several such keys, one of them
   */
  public byte[] key() {
    return key.clone();
  }
}
