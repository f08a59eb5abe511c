package dev.kv.core.memory;

/** Something that stays usable until its pin is closed. A pin is closed exactly once. */
public interface Pinned extends AutoCloseable {
  /** Gives the pin back. */
  @Override
  void close();
}
