package dev.kv.jmh.workload;

/**
 * The values of db_bench: consecutive pieces of a string of 1 MiB, in which every 100 bytes repeat
 * a random text so that they compress to about the given ratio. Not thread-safe.
 */
public final class ValueGenerator {
  /** The most bytes of a value. */
  public static final int LONGEST = 1 << 20;

  private static final int PIECE_BYTES = 100;
  private static final int SEED = 301;

  private final byte[] data;
  private int position;

  /** Creates the data; with a ratio of 0.5 it compresses to half its size. */
  public ValueGenerator(double compressionRatio) {
    LehmerRandom random = new LehmerRandom(SEED);
    data = new byte[(LONGEST + PIECE_BYTES - 1) / PIECE_BYTES * PIECE_BYTES];
    int raw = Math.max(1, Math.min(PIECE_BYTES, (int) (PIECE_BYTES * compressionRatio)));
    for (int piece = 0; piece < data.length; piece += PIECE_BYTES) {
      for (int i = 0; i < PIECE_BYTES; i++) {
        data[piece + i] = i < raw ? (byte) (' ' + random.uniform(95)) : data[piece + i - raw];
      }
    }
  }

  /** Fills {@code value} with the next piece. */
  public void next(byte[] value) {
    if (position + value.length > data.length) {
      position = 0;
    }
    if (value.length > data.length) {
      throw new IllegalArgumentException("values are at most " + data.length + " bytes");
    }
    System.arraycopy(data, position, value, 0, value.length);
    position += value.length;
  }
}
