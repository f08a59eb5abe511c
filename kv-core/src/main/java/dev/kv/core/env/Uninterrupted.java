package dev.kv.core.env;

import java.io.IOException;
import java.nio.channels.ClosedByInterruptException;
import org.jspecify.annotations.Nullable;

/**
 * Work on a file channel that an interrupt of the calling thread must not fail. An interrupt closes the
 * channel under the call; the call is then made again, and must open a channel of its own each time. The
 * interrupt stays set for the caller.
 */
final class Uninterrupted {
  private Uninterrupted() {}

  /** A piece of work that opens, uses and closes its own channel. */
  interface Call<T> {
    @Nullable T run() throws IOException;
  }

  /** Runs {@code call} until no interrupt comes between. */
  static <T> @Nullable T run(Call<T> call) throws IOException {
    boolean interrupted = false;
    try {
      while (true) {
        interrupted |= Thread.interrupted();
        try {
          return call.run();
        } catch (ClosedByInterruptException e) {
          interrupted = true;
        }
      }
    } finally {
      if (interrupted) {
        Thread.currentThread().interrupt();
      }
    }
  }
}
