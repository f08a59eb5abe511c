package dev.kv.tools.transfer;

import dev.kv.tools.console.Failure;
import dev.kv.tools.text.EntryFormat;
import dev.kv.tools.text.Utf8Lines;
import java.io.DataInputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** How entries are exported and imported. */
enum TransferFormat {
  /** A line for each entry: the key, a tab and the value, escaped. */
  TEXT,
  /** As {@link #TEXT}, with real characters if key and value are UTF-8. */
  UTF8,
  /** A line for each entry: the key, a space and the value, in hexadecimal digits. */
  HEX,
  /** A JSON object on each line, with the members key and value, or keyBase64 and valueBase64. */
  JSON,
  /** The lengths of key and value, 32 bits each with the highest byte first, then key and value. */
  BINARY {
    @Override
    byte[] encode(byte[] key, byte[] value) {
      return ByteBuffer.allocate(2 * Integer.BYTES + key.length + value.length)
          .putInt(key.length)
          .putInt(value.length)
          .put(key)
          .put(value)
          .array();
    }

    @Override
    void read(InputStream in, Sink sink) throws IOException {
      DataInputStream data = new DataInputStream(in);
      long offset = 0;
      for (int first = data.read(); first >= 0; first = data.read()) {
        try {
          int keyLength = first << 24 | data.readUnsignedByte() << 16 | data.readUnsignedShort();
          int valueLength = data.readInt();
          sink.entry(bytes(data, keyLength), bytes(data, valueLength));
          offset += 2L * Integer.BYTES + keyLength + valueLength;
        } catch (EOFException cut) {
          throw new Failure("the input ends within the entry at offset " + offset);
        }
      }
    }

    /** Reads {@code length} bytes; allocates as it reads, since the length may be wrong. */
    private byte[] bytes(DataInputStream data, int length) throws IOException {
      byte[] bytes = length < 0 ? new byte[0] : data.readNBytes(length);
      if (length < 0 || bytes.length < length) {
        throw new EOFException();
      }
      return bytes;
    }
  };

  /** Receives entries. */
  interface Sink {
    void entry(byte[] key, byte[] value);
  }

  /** Returns the format of the lines, which has the same name. */
  private EntryFormat lines() {
    return EntryFormat.valueOf(name());
  }

  /** Returns an entry as bytes. */
  byte[] encode(byte[] key, byte[] value) {
    return (lines().line(key, value) + '\n').getBytes(StandardCharsets.UTF_8);
  }

  /**
   * Reads entries to the end of the input.
   *
   * @throws Failure if something is not an entry; the message names its place
   */
  void read(InputStream in, Sink sink) throws IOException {
    EntryFormat format = lines();
    Utf8Lines lines = new Utf8Lines(in);
    for (Map.Entry<byte[], byte[]> entry = next(format, lines);
        entry != null;
        entry = next(format, lines)) {
      sink.entry(entry.getKey(), entry.getValue());
    }
  }

  private static Map.@Nullable Entry<byte[], byte[]> next(EntryFormat format, Utf8Lines lines)
      throws IOException {
    try {
      String line = lines.next();
      return line == null ? null : format.parse(line);
    } catch (IllegalArgumentException e) {
      throw new Failure(lines.place() + e.getMessage());
    }
  }
}
