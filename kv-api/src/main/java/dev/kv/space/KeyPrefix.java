package dev.kv.space;

import dev.kv.errors.ConflictException;
import dev.kv.file.PendingFault;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * The prefix of the keys of a space.
 *
 * @param bytes the prefix; not copied
 */
record KeyPrefix(byte[] bytes) {
  private static final PendingFault PENDING_FAULT = new PendingFault();

  int length() {
    return bytes.length;
  }

  /** Returns the prefix followed by a key of the space. */
  byte[] join(byte[] key) {
    Objects.requireNonNull(key, "key");
    byte[] joined = Arrays.copyOf(bytes, Math.addExact(bytes.length, key.length));
    System.arraycopy(key, 0, joined, bytes.length, key.length);
    return joined;
  }

  /**
   * Returns the prefix followed by the remaining bytes of a buffer, whose position stays.
   *
   * @throws IllegalStateException if the buffer maps a file that was cut short
   */
  ByteBuffer join(ByteBuffer key) {
    Objects.requireNonNull(key, "key");
    ByteBuffer joined =
        ByteBuffer.wrap(Arrays.copyOf(bytes, Math.addExact(bytes.length, key.remaining())));
    PENDING_FAULT.copyKeyOrValue(key, joined, bytes.length);
    return joined;
  }

  /** Returns the first key after all keys with the prefix, or null if there is none. */
  byte @Nullable [] end() {
    int length = bytes.length;
    while (length > 0 && bytes[length - 1] == (byte) 0xff) {
      length--;
    }
    if (length == 0) {
      return null;
    }
    byte[] end = Arrays.copyOf(bytes, length);
    end[length - 1]++;
    return end;
  }

  /**
   * Returns the exception with its key without the prefix, or the same exception if the key does
   * not begin with it.
   */
  ConflictException without(ConflictException e) {
    byte[] key = e.key();
    if (key.length < bytes.length || !Arrays.equals(key, 0, bytes.length, bytes, 0, bytes.length)) {
      return e;
    }
    ConflictException ours =
        new ConflictException(
            Objects.requireNonNullElse(e.getMessage(), ""),
            Arrays.copyOfRange(key, bytes.length, key.length));
    ours.setStackTrace(e.getStackTrace());
    return ours;
  }
}
