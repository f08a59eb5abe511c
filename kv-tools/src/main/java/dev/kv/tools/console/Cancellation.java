package dev.kv.tools.console;

import org.jspecify.annotations.Nullable;

/**
 * Ends a command on Ctrl-C in the shell, where the process goes on. The shell interrupts the thread
 * of the command. An interrupt fails no call of the database, so the command checks between steps;
 * a command that waits in one long call names an action that ends the call.
 */
public final class Cancellation {
  private static volatile @Nullable Runnable current;

  private Cancellation() {}

  /** Cancels the command that runs on a thread. */
  public static void cancel(Thread runner) {
    runner.interrupt();
    Runnable action = current;
    if (action != null) {
      action.run();
    }
  }

  /** Forgets that the command of this thread was cancelled. */
  public static void clear() {
    if (Thread.interrupted()) {
      current = null;
    }
  }

  /**
   * Ends the command if it was cancelled.
   *
   * @throws Failure if the thread of the command was interrupted
   */
  public static void check() {
    if (Thread.currentThread().isInterrupted()) {
      throw new Failure("cancelled");
    }
  }

  /**
   * Runs one long call that does not check.
   *
   * @param action ends the call; another thread runs it if the command is cancelled
   * @throws Failure if the command was cancelled
   */
  public static void run(Runnable call, Runnable action) {
    current = action;
    try {
      check();
      call.run();
    } catch (RuntimeException ended) {
      check();
      throw ended;
    } finally {
      current = null;
    }
    check();
  }
}
