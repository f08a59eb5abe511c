package dev.kv.core.env;

import dev.kv.env.Env;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/** The base of the environments: the clock and the threads of this machine. */
public abstract class HostEnv implements Env {
  /** Creates the base. */
  protected HostEnv() {}

  @Override
  public final long nowMicros() {
    return TimeUnit.NANOSECONDS.toMicros(System.nanoTime());
  }

  @Override
  public final void sleepMicros(long micros) {
    long deadline = System.nanoTime() + TimeUnit.MICROSECONDS.toNanos(micros);
    boolean interrupted = false;
    for (long left = deadline - System.nanoTime(); left > 0; left = deadline - System.nanoTime()) {
      interrupted |= Thread.interrupted();
      LockSupport.parkNanos(this, left);
    }
    if (interrupted) {
      Thread.currentThread().interrupt();
    }
  }

  @Override
  public final Thread startThread(String name, Runnable task) {
    Thread thread = new EngineThread(name, task);
    thread.start();
    return thread;
  }
}
