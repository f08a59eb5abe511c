package dev.kv.streams.broker;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Locale;
import java.util.Properties;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicLong;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.Serdes;
import org.apache.kafka.common.utils.Bytes;
import org.apache.kafka.streams.CloseOptions;
import org.apache.kafka.streams.KafkaStreams;
import org.apache.kafka.streams.StreamsBuilder;
import org.apache.kafka.streams.kstream.Consumed;
import org.apache.kafka.streams.kstream.Materialized;
import org.apache.kafka.streams.processor.StateRestoreListener;

/**
 * The child process of {@link StreamsBenchmark}: keeps the last record of each key in a store,
 * until as many records were processed or restored as the first argument says, and prints what that
 * took.
 */
final class BenchmarkApplication {
  static final String INPUT = "input";

  private static final AtomicLong seen = new AtomicLong();
  private static final AtomicLong begin = new AtomicLong();
  private static final AtomicLong end = new AtomicLong();
  private static final AtomicLong number = new AtomicLong();
  private static final CountDownLatch done = new CountDownLatch(1);

  private BenchmarkApplication() {}

  /**
   * Arguments: kv or the built-in store, process or restore, the number of records, configuration.
   */
  public static void main(String[] args) throws Exception {
    boolean kv = args[0].equals("kv");
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
        .reduce(
            (before, value) -> value,
            Materialized.<Bytes, byte[]>as(BenchmarkStores.supplier(kv, "last"))
                .withKeySerde(Serdes.Bytes())
                .withValueSerde(Serdes.ByteArray()));
    KafkaStreams streams = new KafkaStreams(builder.build(), config);
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
    awaitCommits();
    System.out.printf(
        Locale.ROOT,
        "result records %d seconds %.3f rate %.0f commits %d commitP50us %d commitP99us %d"
            + " rssKB %d anonKB %d fileKB %d peakKB %d%n",
        number.get(),
        seconds,
        number.get() / seconds,
        BenchmarkStores.COMMITS.size(),
        percentile(0.5),
        percentile(0.99),
        status("VmRSS"),
        status("RssAnon"),
        status("RssFile"),
        status("VmHWM"));
    streams.close(
        CloseOptions.groupMembershipOperation(CloseOptions.GroupMembershipOperation.LEAVE_GROUP));
  }

  /**
   * Returns after the last records are committed, so that the memory is that of an idle
   * application.
   */
  private static void awaitCommits() throws InterruptedException {
    int before;
    do {
      before = BenchmarkStores.COMMITS.size();
      Thread.sleep(1000);
    } while (BenchmarkStores.COMMITS.size() > before);
  }

  /** Counts a record. Only the second half is timed: before, the JVM compiles its methods. */
  private static void count(long records) {
    long count = seen.incrementAndGet();
    if (count == records / 2) {
      begin.set(System.nanoTime());
      BenchmarkStores.COMMITS.clear();
    } else if (count == records) {
      number.set(records - records / 2);
      end.set(System.nanoTime());
      done.countDown();
    }
  }

  private static long percentile(double part) {
    long[] sorted = BenchmarkStores.COMMITS.stream().mapToLong(Long::longValue).sorted().toArray();
    return sorted.length == 0 ? 0 : sorted[(int) ((sorted.length - 1) * part)] / 1000;
  }

  private static long status(String name) throws IOException {
    for (String line : Files.readAllLines(Path.of("/proc/self/status"))) {
      if (line.startsWith(name + ":")) {
        return Long.parseLong(line.replaceAll("[^0-9]", ""));
      }
    }
    return -1;
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
