package dev.kv.jmh.task;

import dev.kv.jmh.run.BenchThread;
import dev.kv.jmh.run.Task;
import dev.kv.jmh.store.Cursor;
import dev.kv.jmh.store.Cursors;
import dev.kv.jmh.workload.DecimalKey;
import dev.kv.jmh.workload.Workload;

/**
 * Seeks keys: random ones with a new cursor for each, or ascending ones in steps of up to 100 with
 * one cursor.
 *
 * @param workload the keys, and the number of seeks
 * @param ordered true for ascending keys
 */
record SeekTask(Workload workload, boolean ordered) implements Task {
  private static final int MAX_STEP = 100;

  @Override
  public void run(BenchThread thread) {
    long found = ordered ? onwards(thread) : random(thread);
    thread.say("(" + found + " of " + workload.reads() + " found)");
  }

  private long random(BenchThread thread) {
    DecimalKey key = workload.newKey();
    long found = 0;
    try (Cursors cursors = thread.store().cursors()) {
      thread.restart();
      for (long i = 0; i < workload.reads(); i++) {
        try (Cursor cursor = cursors.open()) {
          found += cursor.seek(key.set(thread.random().uniform(workload.keySpace()))) ? 1 : 0;
        }
        thread.meter().tick();
      }
    }
    return found;
  }

  private long onwards(BenchThread thread) {
    DecimalKey key = workload.newKey();
    long found = 0;
    long number = 0;
    try (Cursor cursor = thread.store().cursor()) {
      for (long i = 0; i < workload.reads(); i++) {
        number = (number + thread.random().uniform(MAX_STEP)) % workload.keySpace();
        found += cursor.seek(key.set(number)) ? 1 : 0;
        thread.meter().tick();
      }
    }
    return found;
  }
}
