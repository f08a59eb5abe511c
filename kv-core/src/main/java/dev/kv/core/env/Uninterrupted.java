package dev.kv.core.env;

import static java.util.Objects.requireNonNull;

import java.io.IOException;
import java.nio.channels.ClosedByInterruptException;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import org.jspecify.annotations.Nullable;

/**
 * Waits and works on file channels so that an interrupt of the calling thread does not end the wait
 * or make the work fail. The interrupt stays set for the caller.
 *
 * <p>An interrupt during a call closes the channel. Work that maps runs on a thread of the engine
 * while the caller waits: if an interrupt closed the channel, the runtime would leak the memory it
 * has just mapped. Such calls are rare: an open, or a piece of a log that was not prepared in time.
 * Syncs run on the calling thread, because the other one would take half a millisecond: an
 * interrupt that comes while a sync fails hides the failure.
 */
public final class Uninterrupted {
  private Uninterrupted() {}

  /** A wait that can begin again after an interrupt, such as {@code thread::join}. */
  public interface Wait {
    /** Returns at the end of the wait. */
    void run() throws InterruptedException;
  }

  /** Waits, and again if an interrupt ended the wait. */
  public static void await(Wait wait) {
    boolean interrupted = false;
    try {
      while (true) {
        try {
          wait.run();
          return;
        } catch (InterruptedException e) {
          interrupted = true;
        }
      }
    } finally {
      if (interrupted) {
        Thread.currentThread().interrupt();
      }
    }
  }

  /** A piece of work that opens, uses and closes its own channel. */
  interface Call<T> extends Callable<@Nullable T> {
    @Override
    @Nullable T call() throws IOException;
  }

  /** Runs {@code call} on the calling thread, and again if an interrupt closed its channel. */
  static <T> @Nullable T runAgain(Call<T> call) throws IOException {
    boolean interrupted = false;
    try {
      while (true) {
        try {
          return call.call();
        } catch (ClosedByInterruptException e) {
          interrupted |= Thread.interrupted();
        }
      }
    } finally {
      if (interrupted) {
        Thread.currentThread().interrupt();
      }
    }
  }

  /** Thrown if the system has no thread for a call. */
  static final class NoThreadException extends IOException {
    private static final long serialVersionUID = 1;

    NoThreadException(OutOfMemoryError cause) {
      super("no thread can be started: " + cause.getMessage(), cause);
    }
  }

  /**
   * Runs {@code call} so that an interrupt of the calling thread does not reach it.
   *
   * @throws NoThreadException if no thread can be started for it
   */
  static <T> @Nullable T run(Call<T> call) throws IOException {
    if (EngineThread.isCurrent()) {
      return runAgain(call);
    }
    FutureTask<@Nullable T> task = new FutureTask<>(call);
    EngineThread thread = new EngineThread("kv-channel", task);
    try {
      thread.start();
    } catch (OutOfMemoryError e) {
      throw new NoThreadException(e);
    }
    await(thread::join);
    try {
      return task.get();
    } catch (ExecutionException e) {
      Throwable failure = requireNonNull(e.getCause());
      if (failure instanceof IOException io) {
        throw io;
      }
      throw CloseAll.unchecked(failure);
    } catch (InterruptedException e) {
      throw new AssertionError("the thread of the task has ended, and the task has not", e);
    }
  }
}
