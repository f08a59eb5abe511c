package dev.kv.core.env;

import java.io.IOException;
import java.nio.channels.ClosedByInterruptException;
import org.jspecify.annotations.Nullable;

/**
 * Work on a file channel that an interrupt of the calling thread must not fail. It is done on a thread of the
 * engine, while the caller waits: an interrupt closes the channel under a call, and where the call was a
 * mapping, the runtime loses the memory it had just mapped. The interrupt stays set for the caller.
 *
 * <p>Calls are rare: an open, a directory's sync, a piece of a log that was not prepared in time. On the engine's
 * own threads they run where they are.
 */
final class Uninterrupted {
  private Uninterrupted() {}

  /** A piece of work that opens, uses and closes its own channel. */
  interface Call<T> {
    @Nullable T run() throws IOException;
  }

  /** Runs {@code call}, which no interrupt of the calling thread reaches. */
  static <T> @Nullable T run(Call<T> call) throws IOException {
    if (EngineThread.isCurrent()) {
      return untilNotInterrupted(call);
    }
    Handed<T> handed = new Handed<>(call);
    EngineThread thread = new EngineThread("kv-channel", handed);
    thread.start();
    await(thread);
    return handed.result();
  }

  private static void await(Thread thread) {
    boolean interrupted = false;
    while (thread.isAlive()) {
      try {
        thread.join();
      } catch (InterruptedException e) {
        interrupted = true;
      }
    }
    if (interrupted) {
      Thread.currentThread().interrupt();
    }
  }

  /** A program can still find every thread and interrupt it: then the call is made again. */
  private static <T> @Nullable T untilNotInterrupted(Call<T> call) throws IOException {
    while (true) {
      try {
        return call.run();
      } catch (ClosedByInterruptException e) {
        Thread.interrupted();
      }
    }
  }

  /** A call and what came of it. */
  private static final class Handed<T> implements Runnable {
    private final Call<T> call;
    private @Nullable T result;
    private @Nullable Throwable failure;

    Handed(Call<T> call) {
      this.call = call;
    }

    @Override
    public void run() {
      try {
        result = untilNotInterrupted(call);
      } catch (IOException | RuntimeException | Error e) {
        failure = e;
      }
    }

    @Nullable T result() throws IOException {
      if (failure instanceof IOException io) {
        throw io;
      }
      if (failure instanceof RuntimeException runtime) {
        throw runtime;
      }
      if (failure instanceof Error error) {
        throw error;
      }
      return result;
    }
  }
}
