package dev.kv.jmh.task;

import dev.kv.jmh.run.BenchThread;
import dev.kv.jmh.run.Task;
import dev.kv.jmh.store.Writer;
import dev.kv.jmh.workload.DecimalKey;
import dev.kv.jmh.workload.ValueGenerator;
import dev.kv.jmh.workload.Workload;
import java.util.Locale;

/**
 * Reads random keys in all threads except the first, which writes until the others are done and
 * does not count.
 *
 * @param workload the keys and values that are written
 * @param reading the reads
 * @param writeRate the most bytes of keys and values that are written in a second; 0 for no limit
 */
record ReadWhileWritingTask(Workload workload, PointReadTask reading, long writeRate)
    implements Task {

  @Override
  public void run(BenchThread thread) {
    if (thread.index() > 0) {
      reading.run(thread);
      return;
    }
    ValueGenerator values = new ValueGenerator(workload.compressionRatio());
    DecimalKey key = workload.newKey();
    byte[] value = new byte[workload.valueSize()];
    WritePace pace = new WritePace(writeRate, System.nanoTime());
    long written = 0;
    long start = System.nanoTime();
    try (Writer writer = thread.store().writer(false)) {
      do {
        values.next(value);
        byte[] next = key.set(thread.random().uniform(workload.keySpace()));
        writer.put(next, value);
        written++;
        pace.write(next.length + value.length);
      } while (!thread.group().othersFinished());
    }
    double seconds = (System.nanoTime() - start) / 1e9;
    thread.restart();
    thread.meter().addBytesPut(written * (key.length() + value.length));
    thread.say(String.format(Locale.ROOT, "(%.0f writes/s)", written / seconds));
  }
}
