package dev.kv.core.memory;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;

/**
 * An object with several owners, which is freed when the last one releases it. It begins with one
 * owner. For objects such as memtables and versions; the memory of blocks is counted by Netty.
 */
public abstract class RefCounted {
  private static final VarHandle REFERENCES =
      FieldHandles.of(MethodHandles.lookup(), "references", int.class);

  private volatile int references = 1;

  /** For subclasses. */
  protected RefCounted() {}

  /** Adds an owner; the caller must be one. */
  public final void retain() {
    int before = (int) REFERENCES.getAndAdd(this, 1);
    if (before <= 0) {
      throw new AssertionError("retained after it was freed: " + this);
    }
  }

  /** Adds an owner and returns true, or returns false if it has been freed. */
  public final boolean tryRetain() {
    int now;
    do {
      now = references;
      if (now <= 0) {
        return false;
      }
    } while (!REFERENCES.compareAndSet(this, now, now + 1));
    return true;
  }

  /** Removes an owner; the last one frees the object. */
  public final void release() {
    int before = (int) REFERENCES.getAndAdd(this, -1);
    if (before == 1) {
      free();
    } else if (before <= 0) {
      throw new AssertionError("released once too often: " + this);
    }
  }

  /** Returns the number of owners at this moment. */
  public final int references() {
    return references;
  }

  /** Frees the object. Called once. */
  protected abstract void free();
}
