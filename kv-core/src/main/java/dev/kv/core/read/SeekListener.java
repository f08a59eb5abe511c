package dev.kv.core.read;

/**
 * Hears that reads have worn a table of the current version out, so that its compaction would pay.
 */
@FunctionalInterface
public interface SeekListener {
  /** Has a compaction scheduled. Called on a reader's thread: must be quick, and must not throw. */
  void seekCompactionWanted();
}
