package dev.kv.infinispan.load;

import com.sun.management.OperatingSystemMXBean;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.SplittableRandom;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.IntConsumer;
import org.infinispan.AdvancedCache;
import org.infinispan.commons.dataconversion.MediaType;
import org.infinispan.configuration.parsing.ConfigurationBuilderHolder;
import org.infinispan.configuration.parsing.ParserRegistry;
import org.infinispan.context.Flag;
import org.infinispan.manager.DefaultCacheManager;
import org.infinispan.manager.EmbeddedCacheManager;

/**
 * A local cache with almost all of its entries in a store, whose element of the configuration is an
 * argument: the same program measures every store, also with older versions of Infinispan.
 */
final class StoreLoad {
  private static final int THREADS = 2;
  private static final int VALUE_LENGTH = 400;
  private static final int PRIME = 7919;
  private static final String CONFIGURATION =
      """
      <infinispan>
        <cache-container>
          <local-cache name="cache">
            <memory max-count="1000" when-full="REMOVE"/>
            <persistence>%s</persistence>
          </local-cache>
        </cache-container>
      </infinispan>
      """;

  private StoreLoad() {}

  /**
   * Writes entries, or reads those that an earlier process has written. Prints a name and a number
   * a line.
   *
   * @param args write or read, the number of entries, and the store's element
   */
  public static void main(String[] args) throws Exception {
    int entries = Integer.parseInt(args[1]);
    ConfigurationBuilderHolder configuration =
        new ParserRegistry()
            .parse(String.format(Locale.ROOT, CONFIGURATION, args[2]), MediaType.APPLICATION_XML);
    long end;
    try (EmbeddedCacheManager manager = new DefaultCacheManager(configuration, true)) {
      long start = System.nanoTime();
      AdvancedCache<Integer, byte[]> cache =
          manager.<Integer, byte[]>getCache("cache").getAdvancedCache();
      if (args[0].equals("write")) {
        AdvancedCache<Integer, byte[]> writer = cache.withFlags(Flag.IGNORE_RETURN_VALUES);
        measure("put", entries, key -> writer.put(key, value(key)));
        measure("overwrite", entries, key -> writer.put(key, value(key)));
        printMemory("after writes");
      } else {
        require(cache.get(entries / 2) != null);
        print("start to the first get, ms", (System.nanoTime() - start) / 1e6);
        measure("get", entries, key -> require(isValueOf(key, cache.get(key))));
        start = System.nanoTime();
        require(cache.size() == entries);
        print("size, ms", (System.nanoTime() - start) / 1e6);
        printMemory("after reads");
      }
      end = System.nanoTime();
    }
    print("stop after " + args[0] + "s, ms", (System.nanoTime() - end) / 1e6);
  }

  /** Does something with each key once, in an order that is not that of the keys. */
  private static void measure(String name, int entries, IntConsumer operation)
      throws InterruptedException {
    AtomicReference<Throwable> failure = new AtomicReference<>();
    Thread[] threads = new Thread[THREADS];
    long processor = processorNanos();
    long start = System.nanoTime();
    for (int i = 0; i < THREADS; i++) {
      int first = i;
      threads[i] =
          new Thread(
              () -> {
                for (int n = first; n < entries; n += THREADS) {
                  operation.accept((int) ((long) n * PRIME % entries));
                }
              });
      threads[i].setUncaughtExceptionHandler((thread, thrown) -> failure.set(thrown));
      threads[i].start();
    }
    for (Thread thread : threads) {
      thread.join();
    }
    if (failure.get() != null) {
      throw new IllegalStateException(failure.get());
    }
    print(name + ", us", (System.nanoTime() - start) / 1e3 / entries);
    print(name + ", us of processor time", (processorNanos() - processor) / 1e3 / entries);
  }

  /** The processor time of the process, which other work on the machine disturbs less. */
  private static long processorNanos() {
    return ((OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean())
        .getProcessCpuTime();
  }

  private static byte[] value(int key) {
    byte[] value = new byte[VALUE_LENGTH];
    new SplittableRandom(key).nextBytes(value);
    return ByteBuffer.wrap(value).putInt(key).array();
  }

  private static boolean isValueOf(int key, byte[] value) {
    return value != null && value.length == VALUE_LENGTH && ByteBuffer.wrap(value).getInt() == key;
  }

  private static void require(boolean right) {
    if (!right) {
      throw new IllegalStateException("an entry is missing");
    }
  }

  private static void print(String name, double number) {
    System.out.printf(Locale.ROOT, "%s\t%.1f%n", name, number);
  }

  /** Prints what the kernel counts for the process, apart from pages of files: Linux only. */
  private static void printMemory(String when) throws IOException {
    Path status = Path.of("/proc/self/status");
    List<String> lines = Files.exists(status) ? Files.readAllLines(status) : List.of();
    for (String line : lines) {
      if (line.startsWith("RssAnon:")) {
        double kibibytes = Double.parseDouble(line.replaceAll("[^0-9]", ""));
        print("memory " + when + ", MB", kibibytes / 1024);
      }
    }
  }
}
