package dev.kv.core;

/** Fills the heap of a child JVM. */
public final class FullHeaps {
  private FullHeaps() {}

  /**
   * Allocates arrays until not even an empty one finds memory. Needs no other memory if it has run
   * once before.
   *
   * @param into keeps the arrays; with all elements null, the heap has room again
   */
  public static void fill(Object[] into) {
    int filled = 0;
    int size = 1 << 16;
    while (size > 0) {
      try {
        into[filled] = new byte[size];
        filled++;
      } catch (OutOfMemoryError e) {
        size /= 4;
      }
    }
  }
}
