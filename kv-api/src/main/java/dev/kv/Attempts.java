package dev.kv;

import dev.kv.errors.ConflictException;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** Runs a function in a transaction, and again after a conflict. */
final class Attempts {
  private static final long FIRST_WAIT_NANOS = TimeUnit.MICROSECONDS.toNanos(20);
  private static final long MAX_WAIT_NANOS = TimeUnit.MILLISECONDS.toNanos(20);

  private Attempts() {}

  static <R extends @Nullable Object> R run(
      KeyValueStore store,
      TransactionOptions options,
      Function<? super Transaction, ? extends R> function) {
    long maxWait = FIRST_WAIT_NANOS;
    for (int attempt = 1; ; attempt++) {
      try (Transaction transaction = store.transaction(options)) {
        R result = function.apply(transaction);
        try {
          transaction.commit();
          return result;
        } catch (ConflictException e) {
          if (attempt == options.maxAttempts()) {
            throw e;
          }
        }
      }
      // An interrupt ends the wait, and nothing else.
      LockSupport.parkNanos(ThreadLocalRandom.current().nextLong(maxWait));
      maxWait = Math.min(2 * maxWait, MAX_WAIT_NANOS);
    }
  }
}
