package dev.kv.core.env;

import dev.kv.core.logging.EngineLogger;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Unmaps files. Unmapping forces a global handshake of all threads (20-66 microseconds on Java 22
 * and later). So a daemon thread does it, for all queued mappings together, and ends when the queue
 * is empty. Thread-safe.
 *
 * <p>Windows neither deletes, renames nor truncates a mapped file. There the caller's thread unmaps
 * at once, so that after the close of a database its directory can be deleted.
 *
 * <p>Invariant: {@code pending} counts the mappings that are queued and not yet unmapped. The
 * thread that raises it from 0 starts the daemon; the daemon ends when it has lowered it to 0.
 */
final class Unmapper {
  private static final EngineLogger LOG = EngineLogger.of(Unmapper.class);

  private final boolean atOnce;
  private final ConcurrentLinkedQueue<Mapping> queue = new ConcurrentLinkedQueue<>();
  private final AtomicInteger pending = new AtomicInteger();

  /** Creates an unmapper. If {@code atOnce} is true, {@link #unmap} does not use the daemon. */
  Unmapper(boolean atOnce) {
    this.atOnce = atOnce;
  }

  /** Unmaps at once, or queues the mapping. Requires what {@link Mapping#unmap} requires. */
  void unmap(Mapping mapping) {
    if (atOnce) {
      tryUnmap(mapping);
      return;
    }
    queue.add(mapping);
    if (pending.getAndIncrement() == 0) {
      try {
        Thread thread = new Thread(this::run, "kv-unmap");
        thread.setDaemon(true);
        thread.start();
      } catch (OutOfMemoryError e) {
        LOG.warn("cannot start the thread kv-unmap; unmapping on the calling thread", e);
        run();
      }
    }
  }

  private void run() {
    int done;
    do {
      done = 0;
      for (Mapping mapping = queue.poll(); mapping != null; mapping = queue.poll()) {
        tryUnmap(mapping);
        done++;
      }
    } while (pending.addAndGet(-done) != 0);
  }

  private void tryUnmap(Mapping mapping) {
    try {
      mapping.unmap();
    } catch (Throwable e) {
      LOG.error("cannot unmap a file", e);
    }
  }

  /** Waits until every mapping queued before has been unmapped. */
  void await() {
    while (pending.get() != 0) {
      Thread.onSpinWait();
      Thread.yield();
    }
  }
}
