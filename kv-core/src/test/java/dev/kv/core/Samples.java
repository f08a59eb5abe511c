package dev.kv.core;

import java.util.Random;

/** Makes random values. The ends of their ranges occur more often than in an even distribution. */
public final class Samples {
  private static final int EDGE_EVERY = 8;

  private Samples() {}

  /** Returns a number, often one near zero, near a power of two, or at an end of the range. */
  public static long anyLong(Random random) {
    if (random.nextInt(2) == 0) {
      return random.nextLong();
    }
    long power = 1L << random.nextInt(Long.SIZE);
    return (random.nextBoolean() ? power : -power) + random.nextInt(3) - 1;
  }

  /** Returns an int of the same distribution as {@link #anyLong}. */
  public static int anyInt(Random random) {
    if (random.nextInt(2) == 0) {
      return random.nextInt();
    }
    int power = 1 << random.nextInt(Integer.SIZE);
    return (random.nextBoolean() ? power : -power) + random.nextInt(3) - 1;
  }

  /** Returns a number from 0 to {@code most}, often one of these two. */
  public static int upTo(Random random, int most) {
    int choice = random.nextInt(EDGE_EVERY);
    return choice == 0 ? 0 : choice == 1 ? most : random.nextInt(most + 1);
  }

  /** Returns {@code length} bytes, often 0, 1, 0x7f, 0x80 or 0xff. */
  public static byte[] bytes(Random random, int length) {
    byte[] bytes = new byte[length];
    random.nextBytes(bytes);
    byte[] edges = {0, 1, 0x7f, (byte) 0x80, (byte) 0xff};
    int every = 1 + random.nextInt(EDGE_EVERY);
    for (int i = 0; i < length; i++) {
      if (random.nextInt(every) == 0) {
        bytes[i] = edges[random.nextInt(edges.length)];
      }
    }
    return bytes;
  }
}
