package dev.kv.core.read;

/**
 * Receives notice that reads have used up the allowed seeks of a table of the current version, so
 * that its compaction pays off.
 */
@FunctionalInterface
public interface SeekListener {
  /** Schedules a compaction. Called on a reader's thread: must be quick, and must not throw. */
  void seekCompactionWanted();
}
