package dev.kv.jmh.bench;

import dev.kv.jmh.store.StoreSettings;
import dev.kv.jmh.task.Catalogue;
import dev.kv.jmh.workload.DecimalKey;
import dev.kv.jmh.workload.ValueGenerator;
import dev.kv.jmh.workload.Workload;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** The flags of db_bench, with its names and defaults, and some that it does not have. */
final class DbBenchFlags {
  static final String ZERO_OR_ONE = "0 or 1";

  /** The most bytes of a key of LMDB. */
  private static final int LONGEST_KEY = 511;

  private static final int MOST_BLOOM_BITS = 100;

  @Option(
      names = "--num",
      defaultValue = "1000000",
      description = "The number of entries in the database; default ${DEFAULT-VALUE}.")
  long num;

  @Option(
      names = "--reads",
      defaultValue = "-1",
      description = "The number of reads; default the number of entries.")
  long reads;

  @Option(
      names = "--threads",
      defaultValue = "1",
      description = "The number of threads of each benchmark.")
  int threads;

  @Option(
      names = "--value_size",
      defaultValue = "100",
      description = "The size of a value in bytes.")
  int valueSize;

  @Option(
      names = "--compression_ratio",
      defaultValue = "0.5",
      description = "The compressed size of a value as a fraction of its size.")
  double compressionRatio;

  @Option(
      names = "--key_prefix",
      defaultValue = "0",
      description = "The number of letters before the digits of a key.")
  int keyPrefix;

  @Option(
      names = "--cache_size",
      defaultValue = "-1",
      description = "The size of the cache in bytes; -1: 8 MiB.")
  long cacheSize;

  @Option(names = "--write_buffer_size", defaultValue = "0", description = "In bytes; 0: 4 MiB.")
  int writeBufferSize;

  @Option(names = "--max_file_size", defaultValue = "0", description = "In bytes; 0: 2 MiB.")
  int maxFileSize;

  @Option(names = "--block_size", defaultValue = "0", description = "In bytes; 0: 4 KiB.")
  int blockSize;

  @Option(
      names = "--open_files",
      defaultValue = "0",
      description = "The number of open files; 0: 1000.")
  int openFiles;

  @Option(
      names = "--bloom_bits",
      defaultValue = "-1",
      description = "The bits per key of the bloom filter, if the store has one; -1: no filter.")
  int bloomBits;

  @Option(
      names = "--compression",
      arity = "0..1",
      defaultValue = "1",
      fallbackValue = "1",
      converter = ZeroOrOne.class,
      paramLabel = ZERO_OR_ONE,
      description = "1 to compress data, if the store can.")
  boolean compression;

  @Option(
      names = "--reuse_logs",
      arity = "0..1",
      defaultValue = "0",
      fallbackValue = "1",
      converter = ZeroOrOne.class,
      paramLabel = ZERO_OR_ONE,
      description = "1 to append to the last log after an open.")
  boolean reuseLogs;

  @Option(
      names = "--use_existing_db",
      arity = "0..1",
      defaultValue = "0",
      fallbackValue = "1",
      converter = ZeroOrOne.class,
      paramLabel = ZERO_OR_ONE,
      description =
          "1 to use the database of an earlier run, which must be in --db; benchmarks that need an"
              + " empty one are skipped. No benchmark writes to a database that db_bench did not"
              + " create, but an open may: it replays the log, and writes and deletes files.")
  boolean useExistingDb;

  @Option(
      names = "--histogram",
      arity = "0..1",
      defaultValue = "0",
      fallbackValue = "1",
      converter = ZeroOrOne.class,
      paramLabel = ZERO_OR_ONE,
      description = "1 to time each operation and print percentiles.")
  boolean histogram;

  @Option(
      names = "--db",
      description = "The directory for the databases, which are kept; default a temporary one.")
  @Nullable Path db;

  @Option(
      names = "--read_access",
      defaultValue = "ARRAY",
      description = "How kv returns the values of point reads: array, buffer or borrowed.")
  StoreSettings.ReadAccess readAccess = StoreSettings.ReadAccess.ARRAY;

  @Option(
      names = "--read_in_place",
      arity = "0..1",
      defaultValue = "0",
      fallbackValue = "1",
      converter = ZeroOrOne.class,
      paramLabel = ZERO_OR_ONE,
      description = "1: kv reads uncompressed blocks where its tables are mapped.")
  boolean readInPlace;

  @Option(
      names = "--benchmark_write_rate_limit",
      defaultValue = "0",
      description =
          "The most bytes of keys and values that readwhilewriting writes in a second; 0: no"
              + " limit.")
  long writeRateLimit;

  @Option(
      names = "--codec_bytes",
      defaultValue = "-1",
      description =
          "The bytes that crc32c, snappycomp and snappyuncomp process; -1: 500 MiB and 1 GiB.")
  long codecBytes;

  @Option(
      names = "--profile",
      paramLabel = "DIR",
      description = "The directory for flame graphs, one for each benchmark of the counted rounds.")
  @Nullable Path profile;

  /**
   * Checks the values of the flags for benchmarks with these names.
   *
   * @throws IllegalArgumentException if one is out of its range; the message names both
   */
  void check(List<String> names) {
    checkAtLeast(1, "--num", num);
    checkAtLeast(1, "--reads", reads == -1 ? num : reads);
    checkAtLeast(1, "--threads", threads);
    checkAtLeast(0, "--value_size", valueSize);
    checkAtLeast(0, "--key_prefix", keyPrefix);
    checkAtMost(ValueGenerator.LONGEST, "--value_size", valueSize);
    checkAtMost(LONGEST_KEY - DecimalKey.DIGITS, "--key_prefix", keyPrefix);
    checkAtMost(MOST_BLOOM_BITS, "--bloom_bits", bloomBits);
    if (names.contains("fillonebatch")) {
      int entry = DecimalKey.DIGITS + keyPrefix + valueSize + Long.BYTES; // with type and lengths
      checkAtMost(Integer.MAX_VALUE / entry, "fillonebatch with --num", num);
    }
    checkAtLeast(0, "--benchmark_write_rate_limit", writeRateLimit);
    if (!(compressionRatio > 0 && compressionRatio <= 1)) {
      throw new IllegalArgumentException(
          "--compression_ratio=" + compressionRatio + ", but it must be above 0 and at most 1");
    }
    checkDirectory("--db", db);
    checkDirectory("--profile", profile);
  }

  static void checkAtLeast(long least, String flag, long value) {
    if (value < least) {
      throw new IllegalArgumentException(flag + "=" + value + ", but it must be at least " + least);
    }
  }

  private static void checkAtMost(long most, String flag, long value) {
    if (value > most) {
      throw new IllegalArgumentException(flag + "=" + value + ", but it must be at most " + most);
    }
  }

  /** Checks that {@code path} is a directory or can become one. */
  static void checkDirectory(String flag, @Nullable Path path) {
    if (path != null && path.toString().isEmpty()) {
      throw new IllegalArgumentException(flag + "= does not name a directory");
    }
    Path existing = path == null ? null : path.toAbsolutePath();
    while (existing != null && !Files.exists(existing)) {
      existing = existing.getParent();
    }
    if (existing != null && !Files.isDirectory(existing)) {
      throw new IllegalArgumentException(
          flag + "=" + path + ", but " + existing + " is not a directory");
    }
  }

  /** Returns the sizes that the benchmarks share. */
  Workload workload() {
    return new Workload(num, reads < 0 ? num : reads, valueSize, compressionRatio, keyPrefix);
  }

  /** Returns new plans with these sizes. */
  Catalogue catalogue() {
    return new Catalogue(workload(), codecBytes, writeRateLimit);
  }

  /** Returns the settings with which the stores are opened. */
  StoreSettings settings() {
    long entryBytes = DecimalKey.DIGITS + keyPrefix + Math.max(valueSize, 100L);
    long inserts = workload().reads() / 10; // of the YCSB workloads D and E, 5 % each
    return new StoreSettings(
        cacheSize,
        writeBufferSize,
        maxFileSize,
        blockSize,
        openFiles,
        bloomBits,
        compression,
        reuseLogs,
        readAccess,
        readInPlace,
        (num + inserts) * entryBytes * Math.max(1, threads));
  }
}
