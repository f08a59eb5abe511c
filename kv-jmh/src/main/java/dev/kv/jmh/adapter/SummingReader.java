package dev.kv.jmh.adapter;

import dev.kv.jmh.store.Reader;

/** A reader that keeps the sum of what it reads, so that the JIT does not remove the reads. */
abstract class SummingReader implements Reader {
  private long sum;

  /** Receives a value that was computed from the bytes read. */
  final void consume(long value) {
    sum += value;
  }

  @Override
  public void close() {
    if (sum == Long.MIN_VALUE) {
      throw new AssertionError("the sum keeps the reads alive");
    }
  }
}
