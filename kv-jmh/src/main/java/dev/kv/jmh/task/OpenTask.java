package dev.kv.jmh.task;

import dev.kv.jmh.run.BenchThread;
import dev.kv.jmh.run.Task;

/**
 * Closes and opens the database, {@code times} times. Only the first thread does, since they share
 * the database.
 *
 * @param times the number of times
 */
record OpenTask(long times) implements Task {

  @Override
  public void run(BenchThread thread) {
    for (long i = 0; i < times && thread.index() == 0; i++) {
      thread.database().reopen();
      thread.meter().tick();
    }
  }
}
