package dev.kv.jmh.task;

import dev.kv.jmh.run.BenchThread;
import dev.kv.jmh.run.Task;
import dev.kv.jmh.store.Reader;
import dev.kv.jmh.workload.DecimalKey;
import dev.kv.jmh.workload.Workload;

/**
 * Reads random keys. A single key is the first one that exists: one that does not is not searched
 * for in a block.
 *
 * @param workload the keys, and the number of reads
 * @param range the number of different keys
 * @param kind what is read
 */
record PointReadTask(Workload workload, long range, Kind kind) implements Task {
  /** What is read. */
  enum Kind {
    /** Keys of the key space. */
    PRESENT,
    /** The same; each read sees every write that has returned before it. */
    NEWEST,
    /** Keys without their last digit, which do not exist. */
    MISSING
  }

  @Override
  public void run(BenchThread thread) {
    try (Reader reader = thread.store().reader()) {
      long first = range == 1 ? firstPresent(reader) : 0;
      thread.restart();
      long found =
          kind == Kind.MISSING ? readMissing(thread, reader) : readPresent(thread, reader, first);
      thread.say("(" + found + " of " + workload.reads() + " found)");
    }
  }

  private long readPresent(BenchThread thread, Reader reader, long first) {
    DecimalKey key = workload.newKey();
    long found = 0;
    for (long i = 0; i < workload.reads(); i++) {
      if (kind == Kind.NEWEST) {
        reader.refresh();
      }
      int length = reader.get(key.set(first + thread.random().uniform(range)));
      if (length != Reader.MISSING) {
        found++;
        thread.meter().addBytes(length + (long) key.length());
      }
      thread.meter().tick();
    }
    return found;
  }

  private long firstPresent(Reader reader) {
    DecimalKey key = workload.newKey();
    long number = 0;
    while (number < workload.keySpace() && reader.get(key.set(number)) == Reader.MISSING) {
      number++;
    }
    return number;
  }

  private long readMissing(BenchThread thread, Reader reader) {
    DecimalKey key = workload.newKey();
    byte[] shortened = new byte[key.length() - 1];
    long found = 0;
    for (long i = 0; i < workload.reads(); i++) {
      System.arraycopy(key.set(thread.random().uniform(range)), 0, shortened, 0, shortened.length);
      found += reader.get(shortened) == Reader.MISSING ? 0 : 1;
      thread.meter().tick();
    }
    return found;
  }
}
