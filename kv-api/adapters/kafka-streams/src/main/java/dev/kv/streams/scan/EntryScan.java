package dev.kv.streams.scan;

import dev.kv.streams.database.TimedKey;

/** A scan over entries of a window or session store. Not thread-safe. */
public interface EntryScan {
  /** Returns true if the scan is at an entry. It is not if the store was closed meanwhile. */
  boolean hasEntry();

  /** Returns the key of the entry, in the form of {@link TimedKey}. */
  byte[] key();

  /** Returns the value of the entry. */
  byte[] value();

  /** Moves to the next entry. */
  void advance();

  /** Releases what the scan holds. Closing it twice does nothing. */
  void close();
}
