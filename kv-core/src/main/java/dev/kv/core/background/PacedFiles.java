package dev.kv.core.background;

import dev.kv.core.shared.RateLimiter;
import dev.kv.env.Env;
import dev.kv.env.ForwardingEnv;
import dev.kv.env.ForwardingWritableFile;
import dev.kv.env.WritableFile;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;

/** The environment of compactions: files are written no faster than a {@link RateLimiter} lets. */
final class PacedFiles extends ForwardingEnv {
  /** How often a writer that waits looks whether it still has to. */
  private static final long LONGEST_SLEEP_MICROS = 10_000;

  private final RateLimiter limiter;
  private final BooleanSupplier isUrgent;

  /**
   * Creates the environment.
   *
   * @param isUrgent returns true while files are written without a limit
   */
  PacedFiles(Env target, RateLimiter limiter, BooleanSupplier isUrgent) {
    super(target);
    this.limiter = limiter;
    this.isUrgent = isUrgent;
  }

  @Override
  public WritableFile createWritable(Path file) throws IOException {
    return new ForwardingWritableFile(super.createWritable(file)) {
      @Override
      public void append(ByteBuffer bytes) throws IOException {
        int length = bytes.remaining();
        super.append(bytes);
        pace(length);
      }
    };
  }

  private void pace(int bytes) {
    if (isUrgent.getAsBoolean()) {
      return;
    }
    long now = System.nanoTime();
    long until = now + limiter.take(bytes, now);
    for (long left = until - now; left > 0; left = until - System.nanoTime()) {
      if (isUrgent.getAsBoolean()) {
        return;
      }
      sleepMicros(Math.min(LONGEST_SLEEP_MICROS, 1 + TimeUnit.NANOSECONDS.toMicros(left)));
    }
  }
}
