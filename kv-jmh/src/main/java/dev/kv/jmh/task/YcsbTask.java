package dev.kv.jmh.task;

import dev.kv.jmh.run.BenchThread;
import dev.kv.jmh.run.Task;
import dev.kv.jmh.store.Cursor;
import dev.kv.jmh.store.Cursors;
import dev.kv.jmh.store.Reader;
import dev.kv.jmh.store.Writer;
import dev.kv.jmh.workload.DecimalKey;
import dev.kv.jmh.workload.ValueGenerator;
import dev.kv.jmh.workload.Workload;
import dev.kv.jmh.workload.ZipfianNumbers;
import java.util.concurrent.atomic.AtomicLong;

/**
 * The workloads of YCSB, as Cooper, Silberstein, Tam, Ramakrishnan and Sears describe them in
 * "Benchmarking Cloud Serving Systems with YCSB", SoCC 2010. Records have numbers in the order of
 * their inserts, and the key of a record is a hash of its number.
 *
 * <pre>
 * A  50 % reads, 50 % updates                  zipfian
 * B  95 % reads,  5 % updates                  zipfian
 * C 100 % reads                                zipfian
 * D  95 % reads,  5 % inserts                  the newest records most often
 * E  95 % scans of 1 to 100 records, 5 % inserts; scans begin at zipfian records
 * F  50 % reads, 50 % reads with an update of the same record; zipfian
 * </pre>
 *
 * <p>An operation of E is a scan, and one of F is a read, or a read and its update. Each read sees
 * every write that has returned before it, those of other threads included.
 */
final class YcsbTask implements Task {
  private static final long KEYS = 10_000_000_000_000_000L;
  private static final int LONGEST_SCAN = 100;

  private final Workload workload;
  private final Mix mix;

  /**
   * The number of records, those included that a thread is inserting; all tasks of a sequence share
   * it.
   */
  private final AtomicLong records;

  /** What an operation that is not a plain read does. */
  private enum Change {
    NONE,
    UPDATE,
    INSERT,
    MODIFY
  }

  /** The workloads; {@code percent} is the share of the changes. */
  enum Mix {
    A(50, Change.UPDATE),
    B(5, Change.UPDATE),
    C(0, Change.NONE),
    D(5, Change.INSERT),
    E(5, Change.INSERT),
    F(50, Change.MODIFY);

    private final int percent;
    private final Change change;

    Mix(int percent, Change change) {
      this.percent = percent;
      this.change = change;
    }
  }

  YcsbTask(Workload workload, Mix mix, AtomicLong records) {
    this.workload = workload;
    this.mix = mix;
    this.records = records;
  }

  /** Returns the task that inserts all records, and sets {@code records} to their number. */
  static Task load(Workload workload, AtomicLong records) {
    return thread -> {
      records.set(workload.keySpace());
      try (Writer writer = thread.store().writer(false)) {
        Records target = new Records(workload, thread, writer);
        thread.restart();
        for (long i = 0; i < workload.keySpace(); i++) {
          target.put(i);
          thread.meter().tick();
        }
      }
    };
  }

  @Override
  public void run(BenchThread thread) {
    ZipfianNumbers zipfian =
        mix == Mix.D
            ? new ZipfianNumbers(workload.keySpace(), thread.random())
            : ZipfianNumbers.ycsbRanks(thread.random());
    long found = 0;
    try (Writer writer = thread.store().writer(false);
        Reader reader = thread.store().reader();
        Cursors cursors = thread.store().cursors()) {
      Records target = new Records(workload, thread, writer);
      thread.restart();
      for (long i = 0; i < workload.reads(); i++) {
        Change change = thread.random().uniform(100) < mix.percent ? mix.change : Change.NONE;
        long number = change == Change.INSERT ? records.getAndIncrement() : choose(zipfian);
        if (change == Change.NONE && mix == Mix.E) {
          int length = 1 + (int) thread.random().uniform(LONGEST_SCAN);
          found += target.scan(cursors, number, length) > 0 ? 1 : 0;
        } else if (change == Change.NONE || change == Change.MODIFY) {
          reader.refresh();
          found += target.get(reader, number) == Reader.MISSING ? 0 : 1;
        }
        if (change != Change.NONE) {
          target.put(number);
        }
        thread.meter().tick();
      }
    }
    thread.say("(" + found + " found)");
  }

  private long choose(ZipfianNumbers zipfian) {
    long rank = zipfian.next();
    return mix == Mix.D
        ? Math.max(0, records.get() - 1 - rank)
        : ZipfianNumbers.hash(rank) % workload.keySpace();
  }

  /** The records, as one thread reads and writes them. */
  private static final class Records {
    private final BenchThread thread;
    private final Writer writer;
    private final DecimalKey key;
    private final ValueGenerator values;
    private final byte[] value;

    Records(Workload workload, BenchThread thread, Writer writer) {
      this.thread = thread;
      this.writer = writer;
      key = workload.newKey();
      values = new ValueGenerator(workload.compressionRatio());
      value = new byte[workload.valueSize()];
    }

    private byte[] key(long number) {
      return key.set(ZipfianNumbers.hash(number) % KEYS);
    }

    void put(long number) {
      values.next(value);
      writer.put(key(number), value);
      thread.meter().addBytesWritten(key.length() + (long) value.length);
    }

    int get(Reader reader, long number) {
      int length = reader.get(key(number));
      if (length != Reader.MISSING) {
        thread.meter().addBytes(key.length() + (long) length);
      }
      return length;
    }

    int scan(Cursors cursors, long number, int length) {
      try (Cursor cursor = cursors.open()) {
        return cursor.read(key(number), length, thread.meter());
      }
    }
  }
}
