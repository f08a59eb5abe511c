package dev.kv.core.env;

/**
 * A daemon thread that this engine started: nobody else knows it, so nobody interrupts it. It keeps
 * nothing of the thread that it was started from, neither thread-locals nor the context class
 * loader.
 */
final class EngineThread extends Thread {
  EngineThread(String name, Runnable task) {
    super(null, task, name, 0, false);
    setDaemon(true);
  }

  /** Returns whether the calling thread is one. */
  static boolean isCurrent() {
    return Thread.currentThread() instanceof EngineThread;
  }
}
