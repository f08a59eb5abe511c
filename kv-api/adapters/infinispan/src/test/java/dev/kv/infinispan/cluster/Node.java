package dev.kv.infinispan.cluster;

import dev.kv.infinispan.configuration.KvStoreConfigurationBuilder;
import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.infinispan.AdvancedCache;
import org.infinispan.Cache;
import org.infinispan.commons.util.IntSets;
import org.infinispan.configuration.cache.CacheMode;
import org.infinispan.configuration.cache.ConfigurationBuilder;
import org.infinispan.configuration.global.GlobalConfigurationBuilder;
import org.infinispan.distribution.LocalizedCacheTopology;
import org.infinispan.distribution.ch.ConsistentHash;
import org.infinispan.eviction.EvictionStrategy;
import org.infinispan.manager.DefaultCacheManager;
import org.infinispan.manager.EmbeddedCacheManager;
import org.infinispan.persistence.support.WaitNonBlockingStore;
import org.infinispan.test.TestingUtil;

/**
 * A node of a cluster, in a process of its own. It reads commands from its input, and answers each
 * with one line.
 */
final class Node {
  private static final int SEGMENTS = 256;
  private static final int BATCH = 500;
  private static final int CONCURRENT = 32;

  private final Cache<Integer, byte[]> cache;
  private final int valueLength;

  private Node(Cache<Integer, byte[]> cache, int valueLength) {
    this.cache = cache;
    this.valueLength = valueLength;
  }

  /**
   * Starts a node.
   *
   * @param args the directory of the store, the length of the values, the number of entries in
   *     memory, and true if the store has only those that are not in memory (passivation)
   */
  public static void main(String[] args) throws Exception {
    GlobalConfigurationBuilder global = new GlobalConfigurationBuilder();
    global
        .transport()
        .defaultTransport()
        .clusterName("kv")
        .addProperty("configurationFile", "cluster-jgroups.xml");
    ConfigurationBuilder builder = new ConfigurationBuilder();
    builder.clustering().cacheMode(CacheMode.DIST_SYNC).remoteTimeout(60, TimeUnit.SECONDS);
    builder.clustering().hash().numOwners(2).numSegments(SEGMENTS);
    builder.clustering().stateTransfer().timeout(120, TimeUnit.SECONDS);
    builder.locking().lockAcquisitionTimeout(60, TimeUnit.SECONDS);
    builder.memory().maxCount(Long.parseLong(args[2])).whenFull(EvictionStrategy.REMOVE);
    builder.persistence().passivation(Boolean.parseBoolean(args[3]));
    builder
        .persistence()
        .addStore(KvStoreConfigurationBuilder.class)
        .location(args[0])
        .memory("32 MiB");
    try (EmbeddedCacheManager manager = new DefaultCacheManager(global.build())) {
      manager.defineConfiguration("cache", builder.build());
      new Node(manager.getCache("cache"), Integer.parseInt(args[1])).run();
    }
  }

  private void run() throws Exception {
    System.out.println("answer started");
    BufferedReader commands =
        new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
    for (String line = commands.readLine(); line != null; line = commands.readLine()) {
      String[] words = line.split(" ");
      String answer;
      switch (words[0]) {
        case "put" -> answer = put(number(words[1]), number(words[2]));
        case "add" -> answer = add(number(words[1]), number(words[2]));
        case "change" -> answer = change(number(words[1]));
        case "check" -> answer = check(number(words[1]), false);
        case "check-changed" -> answer = check(number(words[1]), true);
        case "balanced" -> answer = balanced(number(words[1]));
        case "size" -> answer = Integer.toString(cache.size());
        case "keys" -> answer = Long.toString(cache.keySet().stream().distinct().count());
        case "stored" -> answer = Integer.toString(stored().size());
        case "owned" -> answer = owned();
        default -> {
          return;
        }
      }
      System.out.println("answer " + answer);
    }
  }

  private static int number(String word) {
    return Integer.parseInt(word);
  }

  /** Returns the value of a key in a version. */
  private byte[] value(int key, int version) {
    byte[] value = new byte[valueLength];
    new SplittableRandom(31L * key + version).nextBytes(value);
    ByteBuffer.wrap(value).putInt(key).putInt(version);
    return value;
  }

  /** Puts entries one by one, with up to {@link #CONCURRENT} at a time. */
  private String add(int from, int to) throws InterruptedException {
    Semaphore free = new Semaphore(CONCURRENT);
    AtomicInteger failures = new AtomicInteger();
    for (int key = from; key < to; key++) {
      free.acquire();
      cache
          .putAsync(key, value(key, 1))
          .whenComplete(
              (previous, failure) -> {
                if (failure != null) {
                  failures.incrementAndGet();
                }
                free.release();
              });
      if ((key + 1 - from) % BATCH == 0) {
        System.out.println("put " + (key + 1));
      }
    }
    free.acquire(CONCURRENT);
    return failures.get() == 0 ? "put" : failures + " failed";
  }

  private String put(int from, int to) {
    for (int start = from; start < to; start += BATCH) {
      Map<Integer, byte[]> batch = new HashMap<>();
      for (int key = start; key < Math.min(to, start + BATCH); key++) {
        batch.put(key, value(key, 1));
      }
      cache.putAll(batch);
      System.out.println("put " + Math.min(to, start + BATCH));
    }
    return "put";
  }

  /** Removes every tenth key, and writes those after them again. */
  private String change(int to) {
    Map<Integer, byte[]> batch = new HashMap<>();
    for (int key = 0; key < to; key += 10) {
      cache.remove(key);
      batch.put(key + 1, value(key + 1, 2));
    }
    cache.putAll(batch);
    return "changed";
  }

  /** Checks all keys as they are after the puts, or after a change. */
  private String check(int to, boolean changed) {
    List<String> wrong = new ArrayList<>();
    AdvancedCache<Integer, byte[]> advanced = cache.getAdvancedCache();
    for (int start = 0; start < to; start += BATCH) {
      Set<Integer> keys = new HashSet<>();
      for (int key = start; key < Math.min(to, start + BATCH); key++) {
        keys.add(key);
      }
      Map<Integer, byte[]> found = advanced.getAll(keys);
      for (int key : keys) {
        boolean removed = changed && key % 10 == 0;
        int expected = changed && key % 10 == 1 ? 2 : 1;
        byte[] value = found.get(key);
        if (removed ? value != null : !Arrays.equals(value, value(key, expected))) {
          wrong.add(key + (value == null ? " absent" : " has " + ByteBuffer.wrap(value).getInt(4)));
        }
      }
    }
    return wrong.isEmpty()
        ? "right"
        : wrong.size() + " wrong: " + wrong.subList(0, Math.min(10, wrong.size()));
  }

  /** Waits until so many nodes have all segments, each two owners, and none is on its way. */
  private String balanced(int nodes) throws InterruptedException {
    long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(150);
    while (true) {
      LocalizedCacheTopology topology =
          cache.getAdvancedCache().getDistributionManager().getCacheTopology();
      boolean balanced =
          topology.getMembers().size() == nodes
              && topology.getPendingCH() == null
              && topology.getCurrentCH().getMembers().size() == nodes
              && hasTwoOwnersEach(topology.getCurrentCH())
              && topology.getMembers().stream()
                  .noneMatch(
                      member -> topology.getCurrentCH().getSegmentsForOwner(member).isEmpty());
      if (balanced) {
        return "balanced";
      }
      if (System.nanoTime() > end) {
        return "not balanced: " + topology;
      }
      Thread.sleep(20);
    }
  }

  /** Returns false if a node left and the transfer of its segments has not begun. */
  private static boolean hasTwoOwnersEach(ConsistentHash hash) {
    return IntStream.range(0, SEGMENTS)
        .allMatch(segment -> hash.locateOwnersForSegment(segment).size() == 2);
  }

  private List<Integer> stored() {
    WaitNonBlockingStore<Integer, byte[]> store = TestingUtil.getFirstStoreWait(cache);
    return store.publishKeysWait(IntSets.immutableRangeSet(SEGMENTS), null);
  }

  /** Checks that the store has keys of the node's own segments only. */
  private String owned() {
    LocalizedCacheTopology topology =
        cache.getAdvancedCache().getDistributionManager().getCacheTopology();
    long others = stored().stream().filter(key -> !topology.isWriteOwner(key)).count();
    return others == 0 ? "owned" : others + " of others";
  }
}
