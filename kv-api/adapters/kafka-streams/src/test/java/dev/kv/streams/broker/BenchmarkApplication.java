package dev.kv.streams.broker;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.management.BufferPoolMXBean;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.nio.ByteBuffer;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Properties;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Stream;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.apache.kafka.common.serialization.Serdes;
import org.apache.kafka.common.utils.Bytes;
import org.apache.kafka.streams.CloseOptions;
import org.apache.kafka.streams.KafkaStreams;
import org.apache.kafka.streams.StreamsBuilder;
import org.apache.kafka.streams.kstream.Consumed;
import org.apache.kafka.streams.kstream.Materialized;
import org.apache.kafka.streams.processor.StateRestoreListener;
import org.apache.kafka.streams.processor.internals.DefaultKafkaClientSupplier;

/**
 * The child process of {@link StreamsBenchmark}: counts the records of each key, and keeps the last
 * one with the count, until as many records were processed or restored as an argument says. Then it
 * prints what that took, as names and values.
 */
final class BenchmarkApplication {
  static final String INPUT = "input";

  /** The first word of the line of results. */
  static final String RESULT = "result";

  private static final ThreadMXBean THREADS = ManagementFactory.getThreadMXBean();
  private static final long NANOS_PER_TICK = 10_000_000;

  /** The time of each commit of a transaction, in nanoseconds, under exactly-once. */
  private static final Queue<Long> TRANSACTIONS = new ConcurrentLinkedQueue<>();

  private static final AtomicLong begin = new AtomicLong();
  private static final AtomicLong end = new AtomicLong();
  private static final AtomicLong number = new AtomicLong();
  private static final CountDownLatch done = new CountDownLatch(1);

  // Used by the one thread of Streams, and after the end by the main thread
  private static long seen;
  private static long threadNanos;
  private static Map<String, Long> before = Map.of();
  private static Map<String, Long> after = Map.of();

  private BenchmarkApplication() {}

  /** Arguments: the store, process or restore, the number of records, configuration. */
  public static void main(String[] args) throws Exception {
    boolean restore = args[1].equals("restore");
    long records = Long.parseLong(args[2]);
    Properties config = new Properties();
    for (int i = 3; i < args.length; i++) {
      int equals = args[i].indexOf('=');
      config.put(args[i].substring(0, equals), args[i].substring(equals + 1));
    }
    StreamsBuilder builder = new StreamsBuilder();
    builder.stream(INPUT, Consumed.with(Serdes.Bytes(), Serdes.ByteArray()))
        .peek((key, value) -> count(records))
        .groupByKey()
        .aggregate(
            () -> new byte[Long.BYTES],
            (key, value, before) -> next(before, value),
            Materialized.<Bytes, byte[]>as(BenchmarkStores.supplier(args[0], "last"))
                .withKeySerde(Serdes.Bytes())
                .withValueSerde(Serdes.ByteArray()));
    KafkaStreams streams = new KafkaStreams(builder.build(), config, new Clients());
    if (restore) {
      streams.setGlobalStateRestoreListener(new Restored());
      streams.setStateListener(
          (to, from) -> {
            if (to == KafkaStreams.State.RUNNING) {
              done.countDown();
            }
          });
    }
    streams.start();
    done.await();
    double seconds = (end.get() - begin.get()) / 1e9;
    long peak = status("VmHWM");
    awaitCommits();
    Map<String, Object> results = new LinkedHashMap<>();
    results.put("records", number.get());
    results.put("seconds", String.format(Locale.ROOT, "%.3f", seconds));
    results.put("rate", Math.round(number.get() / seconds));
    if (!restore) {
      results.put("getNanos", BenchmarkStores.GETS.mean());
      results.put("putNanos", BenchmarkStores.PUTS.mean());
      results.put("threadNanos", threadNanos / number.get());
      after.forEach(
          (name, nanos) ->
              results.put(name, (nanos - before.getOrDefault(name, 0L)) / number.get()));
      percentiles(results, "commit", BenchmarkStores.COMMITS);
      percentiles(results, "transaction", TRANSACTIONS);
    }
    results.put("stateKB", bytes(Path.of(config.getProperty("state.dir"))) / 1024);
    results.put("directKB", direct());
    results.put("rssKB", status("VmRSS"));
    results.put("anonKB", status("RssAnon"));
    results.put("fileKB", status("RssFile"));
    results.put("peakKB", peak);
    StringBuilder line = new StringBuilder(RESULT);
    results.forEach((name, value) -> line.append(' ').append(name).append(' ').append(value));
    System.out.println(line);
    streams.close(
        CloseOptions.groupMembershipOperation(CloseOptions.GroupMembershipOperation.LEAVE_GROUP));
  }

  private static byte[] next(byte[] before, byte[] value) {
    long count = ByteBuffer.wrap(before).getLong() + 1;
    return ByteBuffer.allocate(Long.BYTES + value.length).putLong(count).put(value).array();
  }

  /** Returns after the last records are committed, so that the memory is of an idle application. */
  private static void awaitCommits() throws InterruptedException {
    int before;
    do {
      before = commits();
      Thread.sleep(1000);
    } while (commits() > before);
  }

  private static int commits() {
    return BenchmarkStores.COMMITS.size() + TRANSACTIONS.size();
  }

  /** Counts a record. Only the last third is timed: before, the JVM compiles its methods. */
  private static void count(long records) {
    long warmUp = records - records / 3;
    long count = ++seen;
    if (count == warmUp) {
      BenchmarkStores.COMMITS.clear();
      TRANSACTIONS.clear();
      BenchmarkStores.GETS.clear();
      BenchmarkStores.PUTS.clear();
      threadNanos = THREADS.getCurrentThreadCpuTime();
      before = processorTime();
      begin.set(System.nanoTime());
    } else if (count == records) {
      threadNanos = THREADS.getCurrentThreadCpuTime() - threadNanos;
      after = processorTime();
      number.set(records - warmUp);
      end.set(System.nanoTime());
      done.countDown();
    }
  }

  /** Returns the processor time of the process, and of what threads of it are for. */
  private static Map<String, Long> processorTime() {
    Map<String, Long> sums = new LinkedHashMap<>();
    for (String group : List.of("processNanos", "backgroundNanos", "compilerNanos", "gcNanos")) {
      sums.put(group, 0L);
    }
    try (DirectoryStream<Path> tasks = Files.newDirectoryStream(Path.of("/proc/self/task"))) {
      for (Path task : tasks) {
        // The name is in parentheses, and utime and stime are the 12th and 13th word after it
        String stat = Files.readString(task.resolve("stat"));
        String name = stat.substring(stat.indexOf('(') + 1, stat.lastIndexOf(')'));
        String[] words = stat.substring(stat.lastIndexOf(')') + 2).split(" ");
        long nanos = (Long.parseLong(words[11]) + Long.parseLong(words[12])) * NANOS_PER_TICK;
        sums.merge("processNanos", nanos, Long::sum);
        if (name.startsWith("kv-") || name.startsWith("rocksdb:")) {
          sums.merge("backgroundNanos", nanos, Long::sum);
        } else if (name.startsWith("C1 ") || name.startsWith("C2 ")) {
          sums.merge("compilerNanos", nanos, Long::sum);
        } else if (name.startsWith("G1 ") || name.startsWith("GC ") || name.startsWith("VM ")) {
          sums.merge("gcNanos", nanos, Long::sum);
        }
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    return sums;
  }

  /** Adds the number of times, their median and p99. */
  private static void percentiles(
      Map<String, Object> results, String name, Collection<Long> nanos) {
    long[] sorted = nanos.stream().mapToLong(Long::longValue).sorted().toArray();
    results.put(name + "s", sorted.length);
    results.put(name + "P50us", percentile(sorted, 0.5));
    results.put(name + "P99us", percentile(sorted, 0.99));
  }

  private static long percentile(long[] sorted, double part) {
    return sorted.length == 0 ? 0 : sorted[(int) ((sorted.length - 1) * part)] / 1000;
  }

  /** Returns the bytes of all files in a directory. The files of a store come and go meanwhile. */
  private static long bytes(Path directory) throws IOException {
    try (Stream<Path> files = Files.walk(directory)) {
      return files.mapToLong(file -> file.toFile().length()).sum();
    } catch (UncheckedIOException e) {
      return bytes(directory);
    }
  }

  /** Returns the direct memory of the JVM. */
  private static long direct() {
    return ManagementFactory.getPlatformMXBeans(BufferPoolMXBean.class).stream()
            .filter(pool -> pool.getName().equals("direct"))
            .mapToLong(BufferPoolMXBean::getMemoryUsed)
            .sum()
        / 1024;
  }

  private static long status(String name) throws IOException {
    for (String line : Files.readAllLines(Path.of("/proc/self/status"))) {
      if (line.startsWith(name + ":")) {
        return Long.parseLong(line.replaceAll("[^0-9]", ""));
      }
    }
    return -1;
  }

  /** Clients whose producer times the commits of its transactions. */
  private static final class Clients extends DefaultKafkaClientSupplier {
    @Override
    public Producer<byte[], byte[]> getProducer(Map<String, Object> config) {
      return new KafkaProducer<>(config, new ByteArraySerializer(), new ByteArraySerializer()) {
        @Override
        public void commitTransaction() {
          long begin = System.nanoTime();
          super.commitTransaction();
          TRANSACTIONS.add(System.nanoTime() - begin);
        }
      };
    }
  }

  private static final class Restored implements StateRestoreListener {
    @Override
    public void onRestoreStart(TopicPartition partition, String store, long from, long to) {
      begin.compareAndSet(0, System.nanoTime());
    }

    @Override
    public void onBatchRestored(TopicPartition partition, String store, long to, long records) {}

    @Override
    public void onRestoreEnd(TopicPartition partition, String store, long records) {
      number.addAndGet(records);
      end.set(System.nanoTime());
    }
  }
}
