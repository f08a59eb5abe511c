package dev.kv.core.env;

import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The place where mappings are counted and given back. Unmapping makes every thread of the process
 * meet (20-66 microseconds on Java 22 and later), so it is done away from the caller's thread, by a
 * daemon thread that takes all that has come together and ends when there is nothing left.
 * Thread-safe.
 *
 * <p>Invariants:
 *
 * <ol>
 *   <li>{@code pending} counts what is queued and not yet unmapped. Whoever raises it from 0 starts
 *       the one thread; the thread ends by lowering it to 0.
 *   <li>{@code live} holds a mapping from {@link #mapped} until its memory is given back.
 * </ol>
 */
final class Unmapper {
  private static final Logger LOG = LoggerFactory.getLogger(Unmapper.class);

  private final OpenFiles live = new OpenFiles();
  private final ConcurrentLinkedQueue<Mapping> queue = new ConcurrentLinkedQueue<>();
  private final AtomicInteger pending = new AtomicInteger();

  /** Counts a mapping, made of {@code file}. */
  void mapped(Mapping mapping, Path file) {
    live.opened(mapping, file);
  }

  /** Unmaps soon. Requires what {@link Mapping#unmap} requires. */
  void unmap(Mapping mapping) {
    queue.add(mapping);
    if (pending.getAndIncrement() == 0) {
      Thread thread = new Thread(this::run, "kv-unmap");
      thread.setDaemon(true);
      try {
        thread.start();
      } catch (OutOfMemoryError e) {
        LOG.warn("no thread to unmap on: unmapping here", e);
        run();
      }
    }
  }

  /** Unmaps on this thread, before it returns. */
  void unmapNow(Mapping mapping) {
    mapping.unmap();
    live.closed(mapping);
  }

  private void run() {
    int done;
    do {
      done = 0;
      for (Mapping mapping = queue.poll(); mapping != null; mapping = queue.poll()) {
        try {
          unmapNow(mapping);
        } catch (RuntimeException e) {
          LOG.error("a mapping cannot be given back", e);
        }
        done++;
      }
    } while (pending.addAndGet(-done) != 0);
  }

  /** Waits until everything handed to {@link #unmap} before has been given back. */
  void await() {
    while (pending.get() != 0) {
      Thread.onSpinWait();
      Thread.yield();
    }
  }

  /** Returns how many mappings have not been given back. */
  int count() {
    return live.count();
  }

  /** Returns a line or a stack for each mapping that has not been given back. */
  List<String> describe() {
    return live.describe();
  }
}
