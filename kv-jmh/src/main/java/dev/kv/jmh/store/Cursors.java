package dev.kv.jmh.store;

/**
 * Opens cursors for one thread, one at a time, and keeps what a user of the store would keep from
 * one to the next, such as buffers.
 */
@FunctionalInterface
public interface Cursors extends AutoCloseable {

  /** Returns a cursor over the present entries; the one before it must be closed. */
  Cursor open();

  /** Releases what was kept; the last cursor must be closed. */
  @Override
  default void close() {}
}
