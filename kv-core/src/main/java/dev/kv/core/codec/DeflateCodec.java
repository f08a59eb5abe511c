package dev.kv.core.codec;

import java.nio.ByteBuffer;
import java.util.zip.DataFormatException;
import java.util.zip.Inflater;

/**
 * Decompression of the blocks of Mojang's fork of LevelDB (Minecraft Bedrock): deflate, in a zlib
 * stream or raw. Such a stream does not state its uncompressed length, so it is inflated twice:
 * once to count, and once into a block of that length. Belongs to one thread at a time.
 */
final class DeflateCodec implements AutoCloseable {
  private static final int COUNTING_BYTES = 8 << 10;

  private final Inflater inflater;

  /** Creates a codec for raw deflate, or for zlib streams. */
  DeflateCodec(boolean raw) {
    inflater = new Inflater(raw);
  }

  /**
   * Returns how many bytes a stored block holds.
   *
   * @param most the largest length that is accepted
   */
  int contentSize(ByteBuffer source, int length, int most) throws MalformedBlockException {
    begin(source, length);
    byte[] scratch = new byte[COUNTING_BYTES];
    int size = 0;
    while (!inflater.finished()) {
      size += inflateSome(ByteBuffer.wrap(scratch));
      if (size > most) {
        throw new MalformedBlockException(
            "deflate block of " + length + " bytes holds over " + most);
      }
    }
    requireAllRead();
    return size;
  }

  /** Decompresses a stored block into exactly {@code targetLength} bytes of {@code target}. */
  void uncompress(ByteBuffer source, int length, ByteBuffer target, int targetLength)
      throws MalformedBlockException {
    begin(source, length);
    ByteBuffer room = target.slice(0, targetLength);
    while (room.hasRemaining()) {
      if (inflater.finished()) {
        throw new MalformedBlockException("deflate block of another length");
      }
      inflateSome(room);
    }
    // The end of the stream may follow the last byte
    if (!inflater.finished() && inflateSome(ByteBuffer.allocate(1)) != 0) {
      throw new MalformedBlockException("deflate block of another length");
    }
    requireAllRead();
  }

  private void begin(ByteBuffer source, int length) {
    inflater.reset();
    inflater.setInput(source.slice(0, length));
  }

  /** Inflates into {@code room}; a stream that yields nothing and does not end is malformed. */
  private int inflateSome(ByteBuffer room) throws MalformedBlockException {
    int written;
    try {
      written = inflater.inflate(room);
    } catch (DataFormatException e) {
      throw new MalformedBlockException("deflate block does not decompress: " + e.getMessage());
    }
    if (written == 0 && !inflater.finished()) {
      throw new MalformedBlockException("deflate block ends before its stream");
    }
    return written;
  }

  private void requireAllRead() throws MalformedBlockException {
    if (inflater.getRemaining() != 0) {
      throw new MalformedBlockException("deflate block goes on after its stream");
    }
  }

  @Override
  public void close() {
    inflater.end();
  }
}
