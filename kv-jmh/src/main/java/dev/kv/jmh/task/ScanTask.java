package dev.kv.jmh.task;

import dev.kv.jmh.run.BenchThread;
import dev.kv.jmh.run.Task;
import dev.kv.jmh.store.Cursor;
import dev.kv.jmh.workload.Workload;

/**
 * Reads entries in order from one end, keys and values.
 *
 * @param workload the number of reads
 * @param backward true to begin at the last entry
 */
record ScanTask(Workload workload, boolean backward) implements Task {

  @Override
  public void run(BenchThread thread) {
    try (Cursor cursor = thread.store().cursor()) {
      if (backward) {
        cursor.scanBackward(workload.reads(), thread.meter());
      } else {
        cursor.scanForward(workload.reads(), thread.meter());
      }
    }
  }
}
