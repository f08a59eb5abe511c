package dev.kv.core.soak;

import dev.kv.admin.DBStats;
import java.io.IOException;
import java.lang.management.BufferPoolMXBean;
import java.lang.management.ManagementFactory;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/**
 * The resources that the process and its database hold at one moment. Sizes are in KiB, and 0 if
 * the system does not report them.
 *
 * @param resident resident memory of the process, mapped files included
 * @param anonymous the part of it that does not belong to a file: heap, direct buffers, stacks
 * @param heap used Java heap
 * @param direct direct buffers, as the JVM counts them
 * @param offHeap the off-heap memory of the database, as it counts it
 * @param mapped bytes of mapped tables, as the database counts them
 * @param mappings mappings of the process
 * @param descriptors open descriptors
 * @param threads live threads
 */
record Held(
    long resident,
    long anonymous,
    long heap,
    long direct,
    DBStats.OffHeap offHeap,
    long mapped,
    long mappings,
    long descriptors,
    long threads) {
  static final String HEADING =
      "resident anonymous heap direct memtables blocks indexes buffers mapped mappings descriptors"
          + " threads";

  static Held now(DBStats stats) throws IOException {
    Runtime runtime = Runtime.getRuntime();
    return new Held(
        status("VmRSS:"),
        status("RssAnon:"),
        (runtime.totalMemory() - runtime.freeMemory()) >> 10,
        directBytes() >> 10,
        stats.memory().offHeap(),
        stats.memory().mappedBytes() >> 10,
        count("/proc/self/maps"),
        descriptorCount(),
        ManagementFactory.getThreadMXBean().getThreadCount());
  }

  private static long directBytes() {
    return ManagementFactory.getPlatformMXBeans(BufferPoolMXBean.class).stream()
        .filter(pool -> pool.getName().equals("direct"))
        .mapToLong(BufferPoolMXBean::getMemoryUsed)
        .sum();
  }

  private static long status(String field) throws IOException {
    Path status = Path.of("/proc/self/status");
    if (!Files.exists(status)) {
      return 0;
    }
    for (String line : Files.readAllLines(status)) {
      if (line.startsWith(field)) {
        return Long.parseLong(line.replaceAll("[^0-9]", ""));
      }
    }
    return 0;
  }

  private static long count(String file) throws IOException {
    Path path = Path.of(file);
    return Files.exists(path) ? Files.readAllLines(path).size() : 0;
  }

  private static long descriptorCount() throws IOException {
    Path open = Path.of("/proc/self/fd");
    if (!Files.exists(open)) {
      return 0;
    }
    long count = 0;
    try (DirectoryStream<Path> entries = Files.newDirectoryStream(open)) {
      for (Path unused : entries) {
        count++;
      }
    }
    return count;
  }

  List<Long> figures() {
    return List.of(
        resident,
        anonymous,
        heap,
        direct,
        offHeap.memtables() >> 10,
        offHeap.blocks() >> 10,
        offHeap.indexesAndFilters() >> 10,
        offHeap.writeBuffers() >> 10,
        mapped,
        mappings,
        descriptors,
        threads);
  }

  @Override
  public String toString() {
    StringBuilder line = new StringBuilder();
    for (long figure : figures()) {
      line.append(line.isEmpty() ? "" : " ").append(figure);
    }
    return line.toString();
  }
}
