package dev.kv.core.read;

import dev.kv.DBClosedException;
import dev.kv.core.memtable.MemTable;
import dev.kv.core.version.Version;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The read state of the moment. Readers pin it from any thread, without a lock and without sharing
 * a counter; one thread at a time publishes.
 */
public final class ReadStates {
  private volatile @Nullable ReadState current;

  /** Creates the holder of a state that is still to be published. */
  public ReadStates() {}

  /**
   * Makes these the state of the moment, and lets the one before be freed once its readers are
   * gone. Becomes a holder of the memtables and the version; the caller stays one.
   *
   * @param immutables the immutable memtables, from the newest to the oldest
   */
  public void publish(MemTable memtable, List<MemTable> immutables, Version version) {
    ReadState before = current;
    current = new ReadState(memtable, immutables, version);
    if (before != null) {
      before.retire();
    }
  }

  /**
   * Pins the state of the moment for the caller, who releases it under the same stripe; {@link
   * DBClosedException} after the close.
   */
  public ReadState acquire(int stripe) {
    while (true) {
      ReadState state = current;
      if (state == null) {
        throw new DBClosedException("the database is closed");
      }
      state.pin(stripe);
      if (state == current) {
        return state;
      }
      state.unpin(stripe);
    }
  }

  /** Gives a pin back. */
  public void release(ReadState state, int stripe) {
    state.unpin(stripe);
  }

  /** Lets the last state be freed once its readers are gone; no reader gets it any more. */
  public void close() {
    ReadState last = current;
    current = null;
    if (last != null) {
      last.retire();
    }
  }
}
