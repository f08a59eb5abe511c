package dev.kv.core.background;

/**
 * How a background job ended. A job throws instead if it fails and its edit may be logged: then
 * nobody knows what is on disk, and the database becomes read-only.
 */
sealed interface JobOutcome {
  /** An end without a failure. */
  enum Ended implements JobOutcome {
    /** The job did what it was to do. There may be more to do. */
    DONE,

    /** The job changed nothing, because the database is being closed or an input is damaged. */
    ABANDONED,

    /** There is nothing to do now. */
    NOTHING_TO_DO
  }

  /**
   * The job failed and changed nothing that an open reads: it may be tried again.
   *
   * @param failure why it failed
   */
  record NothingLogged(Throwable failure) implements JobOutcome {}

  /** The outcome of a job for whose own outcome there is no memory. */
  JobOutcome OUT_OF_MEMORY = new NothingLogged(new OutOfMemoryError("Java heap space"));
}
