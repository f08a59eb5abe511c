package dev.kv.jmh.task;

import dev.kv.jmh.run.BenchThread;
import dev.kv.jmh.run.Task;
import dev.kv.jmh.store.Writer;
import dev.kv.jmh.workload.DecimalKey;
import dev.kv.jmh.workload.ValueGenerator;
import dev.kv.jmh.workload.Workload;

/**
 * Loads the entries of fillseq at once, as a bulk load. The time includes its end, after which they
 * are visible and durable. The time of a single operation, for a histogram, is without that end.
 *
 * @param workload keys and values
 */
record LoadTask(Workload workload) implements Task {
  @Override
  public void run(BenchThread thread) {
    ValueGenerator values = new ValueGenerator(workload.compressionRatio());
    DecimalKey key = workload.newKey();
    byte[] value = new byte[workload.valueSize()];
    thread.restart();
    try (Writer writer = thread.store().bulkWriter()) {
      for (long i = 0; i < workload.keySpace(); i++) {
        values.next(value);
        writer.put(key.set(i), value);
        thread.meter().tick();
      }
    }
    thread.meter().addBytesWritten(workload.keySpace() * (key.length() + value.length));
  }
}
