package dev.kv.jmh.task;

import dev.kv.jmh.run.BenchThread;
import dev.kv.jmh.run.Task;
import dev.kv.jmh.store.Writer;
import dev.kv.jmh.workload.DecimalKey;
import dev.kv.jmh.workload.ValueGenerator;
import dev.kv.jmh.workload.Workload;

/**
 * Puts entries with ordered or random keys.
 *
 * @param workload keys and values
 * @param entries the puts of each thread
 * @param batch the puts of one write
 * @param ordered true for the keys 0, 1, 2 and so on
 * @param sync true to sync each write
 */
record WriteTask(Workload workload, long entries, int batch, boolean ordered, boolean sync)
    implements Task {

  @Override
  public void run(BenchThread thread) {
    ValueGenerator values = new ValueGenerator(workload.compressionRatio());
    DecimalKey key = workload.newKey();
    byte[] value = new byte[workload.valueSize()];
    try (Writer writer =
        batch > 1 ? thread.store().batchWriter(sync) : thread.store().writer(sync)) {
      thread.restart();
      for (long i = 0; i < entries; i += batch) {
        long end = Math.min(entries, i + batch);
        for (long j = i; j < end; j++) {
          values.next(value);
          writer.put(key.set(ordered ? j : thread.random().uniform(workload.keySpace())), value);
          thread.meter().tick();
        }
        writer.commit();
      }
      thread.meter().addBytesWritten(entries * (key.length() + value.length));
    }
    if (entries != workload.keySpace()) {
      thread.say("(" + entries + " ops)");
    }
  }
}
