package dev.kv.core.memory;

/** A pin on an object, which stays usable until the pin is closed. A pin is closed exactly once. */
public interface Pinned extends AutoCloseable {
  /** Releases the pin. */
  @Override
  void close();
}
