package dev.kv.core;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;

/** Makes byte arrays and direct buffers of test data. */
public final class Bytes {
  private Bytes() {}

  /**
   * Returns the bytes of a string in UTF-8.
   *
   * @param text the string
   * @return its bytes
   */
  public static byte[] bytes(String text) {
    return text.getBytes(StandardCharsets.UTF_8);
  }

  /**
   * Returns a direct little-endian buffer with the given bytes from index 0 to its capacity.
   *
   * @param bytes the bytes
   * @return the buffer
   */
  public static ByteBuffer direct(byte[] bytes) {
    return direct(bytes.length).put(0, bytes);
  }

  /**
   * Returns a direct little-endian buffer of zeros.
   *
   * @param capacity the number of bytes
   * @return the buffer
   */
  public static ByteBuffer direct(int capacity) {
    return ByteBuffer.allocateDirect(capacity).order(ByteOrder.LITTLE_ENDIAN);
  }
}
