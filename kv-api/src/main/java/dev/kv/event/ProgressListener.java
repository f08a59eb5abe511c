package dev.kv.event;

/**
 * Receives the progress of an operation that takes long: a backup, or the end of a bulk load. The
 * operation says in which unit it counts.
 */
@FunctionalInterface
public interface ProgressListener {
  /**
   * Receives how much is done. Called now and then by the thread that runs the operation. An
   * exception ends the operation, as a failure does, and is passed on to the caller.
   *
   * @param done the number of units that are done
   * @param total the number of units in all
   */
  void onProgress(long done, long total);
}
