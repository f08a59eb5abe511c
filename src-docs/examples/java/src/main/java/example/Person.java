package example;

import dev.kv.bytes.Slice;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;

/** A person. The name is the key of its entry, the rest is the value. */
record Person(String name, int born, String subject) {

  static byte[] key(String name) {
    return name.getBytes(StandardCharsets.UTF_8);
  }

  /** The year in four bytes, then the subject in UTF-8. */
  byte[] value() {
    byte[] text = subject.getBytes(StandardCharsets.UTF_8);
    return ByteBuffer.allocate(Integer.BYTES + text.length).putInt(born).put(text).array();
  }

  static Person of(byte[] key, byte[] value) {
    String name = new String(key, StandardCharsets.UTF_8);
    int born = ByteBuffer.wrap(value).getInt();
    int start = Integer.BYTES;
    return new Person(
        name, born, new String(value, start, value.length - start, StandardCharsets.UTF_8));
  }

  /** Reads one field of a value, without a copy. */
  static int born(Slice value) {
    return value.getInt(0, ByteOrder.BIG_ENDIAN);
  }
}
