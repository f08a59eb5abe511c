package dev.kv.jmh.task;

import dev.kv.jmh.run.BenchThread;
import dev.kv.jmh.run.Task;
import dev.kv.jmh.store.Cursor;
import dev.kv.jmh.workload.Workload;
import java.util.zip.CRC32;

/**
 * Reads entries forward, and computes one checksum of all keys and values.
 *
 * @param workload the number of reads
 */
record ChecksumTask(Workload workload) implements Task {

  @Override
  public void run(BenchThread thread) {
    CRC32 checksum = new CRC32();
    try (Cursor cursor = thread.store().cursor()) {
      cursor.checksum(workload.reads(), checksum, thread.meter());
    }
    thread.say("(" + Long.toHexString(checksum.getValue()) + ")");
  }
}
