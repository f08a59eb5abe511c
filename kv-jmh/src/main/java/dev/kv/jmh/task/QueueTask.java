package dev.kv.jmh.task;

import dev.kv.jmh.run.BenchThread;
import dev.kv.jmh.run.Task;
import dev.kv.jmh.store.Cursor;
import dev.kv.jmh.store.Cursors;
import dev.kv.jmh.store.OpMeter;
import dev.kv.jmh.store.Writer;
import dev.kv.jmh.workload.DecimalKey;
import dev.kv.jmh.workload.ValueGenerator;
import dev.kv.jmh.workload.Workload;

/**
 * Uses the database as a queue. Each step puts an entry at the end, finds the first entry with a
 * new cursor, and deletes it. The time of a single operation, for a histogram, is that of the
 * second part alone, with the cursor's open and close and all bytes of the entry. The mean, from
 * the time of all steps, includes the put and the delete.
 *
 * @param workload the number of steps, and the values
 * @param length the number of entries in the queue
 */
record QueueTask(Workload workload, long length) implements Task {

  @Override
  public void run(BenchThread thread) {
    ValueGenerator values = new ValueGenerator(workload.compressionRatio());
    DecimalKey key = workload.newKey();
    byte[] value = new byte[workload.valueSize()];
    OpMeter found = new OpMeter(false);
    try (Writer writer = thread.store().writer(false);
        Cursors cursors = thread.store().cursors()) {
      for (long i = 0; i < length; i++) {
        values.next(value);
        writer.put(key.set(i), value);
      }
      thread.restart();
      for (long first = 0; first < workload.keySpace(); first++) {
        values.next(value);
        writer.put(key.set(first + length), value);
        findFirst(cursors, found, thread.meter());
        writer.delete(key.set(first));
      }
    }
    thread.meter().addBytes(found.bytes());
    thread.meter().consume(found.sum());
    thread.meter().addBytesPut((length + workload.keySpace()) * (key.length() + value.length));
    if (found.operations() != workload.keySpace()) {
      throw new IllegalStateException("the queue was empty");
    }
  }

  /** Reads the first entry, counts it in {@code found}, and times it in {@code meter}. */
  static void findFirst(Cursors cursors, OpMeter found, OpMeter meter) {
    meter.begin();
    try (Cursor cursor = cursors.open()) {
      cursor.scanForward(1, found);
    }
    meter.tick();
  }
}
