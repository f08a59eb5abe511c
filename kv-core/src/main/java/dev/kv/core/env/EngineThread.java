package dev.kv.core.env;

/**
 * A daemon thread of the engine. No other code has a reference to it, so it is never interrupted.
 * It inherits neither thread-locals nor the context class loader of the thread that started it.
 */
final class EngineThread extends Thread {
  EngineThread(String name, Runnable task) {
    super(null, task, name, 0, false);
    setDaemon(true);
  }

  /** Returns true if the calling thread is an engine thread. */
  static boolean isCurrent() {
    return Thread.currentThread() instanceof EngineThread;
  }
}
