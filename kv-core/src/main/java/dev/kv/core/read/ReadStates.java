package dev.kv.core.read;

import dev.kv.core.key.KeyBounds;
import dev.kv.core.memory.Stripes;
import dev.kv.core.memtable.MemTable;
import dev.kv.core.version.Version;
import dev.kv.errors.DBClosedException;
import java.util.List;
import java.util.function.Consumer;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Holds the current read state. Readers pin it from any thread, without a lock and without sharing
 * a counter; one thread at a time publishes.
 */
public final class ReadStates implements AutoCloseable {
  private volatile @Nullable ReadState current;

  /** Written by the publisher. */
  private long changes;

  /** Creates the holder without a state; {@link #publish} sets the first one. */
  public ReadStates() {}

  /**
   * Makes the arguments the current state. The previous state is freed after its last reader.
   * Retains the memtables and the version; the caller keeps its own references.
   *
   * @param memTables from the newest, which is the mutable one, to the oldest
   */
  public void publish(List<MemTable> memTables, Version version) {
    ReadState before = current;
    current = new ReadState(memTables, version, changes);
    if (before != null) {
      before.retire();
    }
  }

  /**
   * Replaces the memtables of the current state, and keeps its version.
   *
   * @param memTables as for {@link #publish(List, Version)}
   */
  public void publish(List<MemTable> memTables) {
    ReadState before = current;
    if (before == null) {
      throw new DBClosedException("the database is closed");
    }
    publish(memTables, before.version());
  }

  /**
   * Pins the current state. The caller releases it in the same stripe. Throws {@link
   * DBClosedException} after the close.
   */
  public ReadState acquire(int stripe) {
    return acquire(stripe, this, unused -> {});
  }

  /**
   * Does the same, and calls {@code step} after the pin. The state is still the current one when
   * the step has ended; otherwise both are repeated.
   *
   * @param argument the argument of the step, so that a lookup need not allocate one that has it
   */
  <T> ReadState acquire(int stripe, T argument, Consumer<T> step) {
    while (true) {
      ReadState state = current;
      if (state == null) {
        throw new DBClosedException("the database is closed");
      }
      state.pin(stripe);
      step.accept(argument);
      if (state == current) {
        return state;
      }
      state.unpin(stripe);
    }
  }

  /** Returns true if a memtable of the current state holds an entry of a user key of a range. */
  public boolean memTablesHold(KeyBounds range) {
    return withCurrent(state -> state.memTablesHold(range));
  }

  /** Returns what {@code use} returns for the current state, which it borrows. */
  public <R extends @Nullable Object> R withCurrent(Function<ReadState, R> use) {
    int stripe = Stripes.current();
    ReadState state = acquire(stripe);
    try {
      return use.apply(state);
    } finally {
      state.unpin(stripe);
    }
  }

  /** Notes that the next state has content that did not pass the log. Called by the publisher. */
  void countChange() {
    changes++;
  }

  /** Returns the current state, borrowed from the publisher; null after the close. */
  @Nullable ReadState current() {
    return current;
  }

  /** Removes the current state: no new reader gets it, and it is freed after its last reader. */
  @Override
  public void close() {
    ReadState last = current;
    current = null;
    if (last != null) {
      last.retire();
    }
  }
}
