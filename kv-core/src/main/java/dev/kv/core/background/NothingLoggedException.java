package dev.kv.core.background;

/**
 * Thrown by background work that failed and changed nothing that an open reads: it may be tried
 * again. The cause is the failure.
 */
final class NothingLoggedException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  private final Throwable failure;
  private transient Runnable afterReport = () -> {};

  NothingLoggedException(Throwable failure) {
    super(failure);
    this.failure = failure;
  }

  Throwable failure() {
    return failure;
  }

  /**
   * Sets what lets other threads have the work. It is run once the gate knows of the failure: a
   * caller that finds the work done by another thread finds the gate shut as well.
   */
  void afterReport(Runnable action) {
    afterReport = action;
  }

  /** Notes that the gate knows of the failure. */
  void reported() {
    afterReport.run();
  }
}
