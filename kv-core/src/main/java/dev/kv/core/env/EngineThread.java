package dev.kv.core.env;

/** A daemon thread that this engine started: nobody else knows it, so nobody interrupts it. */
final class EngineThread extends Thread {
  EngineThread(String name, Runnable task) {
    super(task, name);
    setDaemon(true);
  }

  /** Returns whether the calling thread is one. */
  static boolean isCurrent() {
    return Thread.currentThread() instanceof EngineThread;
  }
}
