package dev.kv.core.memory;

import org.jspecify.annotations.Nullable;

/**
 * Frees what a method has created, unless the method succeeds: the resource of a try statement that
 * the method cancels at its end. For one thread.
 */
public final class Undo implements AutoCloseable {
  private @Nullable Runnable action;

  /** Creates an undo that runs {@code action} when it is closed. */
  public Undo(Runnable action) {
    this.action = action;
  }

  /** Keeps what was created: a close does nothing from now on. */
  public void cancel() {
    action = null;
  }

  @Override
  public void close() {
    Runnable left = action;
    if (left != null) {
      action = null;
      left.run();
    }
  }
}
