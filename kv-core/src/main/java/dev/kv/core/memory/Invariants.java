package dev.kv.core.memory;

/**
 * The switch for checks that cost too much in production: freed memory is poisoned, allocations and
 * releases are recorded, borrowed buffers are mangled. The compiler removes the checks if the
 * switch is off.
 */
public final class Invariants {
  /** True under {@code -Dkv.invariants=true}, as in the tests. */
  public static final boolean ON = Boolean.getBoolean("kv.invariants");

  /** The byte that freed memory is filled with. */
  public static final byte POISON = (byte) 0xdb;

  private Invariants() {}
}
