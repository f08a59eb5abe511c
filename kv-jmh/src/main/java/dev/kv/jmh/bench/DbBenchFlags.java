package dev.kv.jmh.bench;

import dev.kv.jmh.store.StoreSettings;
import dev.kv.jmh.workload.DecimalKey;
import dev.kv.jmh.workload.Workload;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** db_bench's flags, under its names and with its defaults, and those that it does not have. */
final class DbBenchFlags {
  static final String ZERO_OR_ONE = "0 or 1";

  @Option(
      names = "--num",
      defaultValue = "1000000",
      description = "entries in the database (default ${DEFAULT-VALUE})")
  long num;

  @Option(names = "--reads", defaultValue = "-1", description = "reads, if not as many as entries")
  long reads;

  @Option(names = "--threads", defaultValue = "1", description = "threads of each benchmark")
  int threads;

  @Option(names = "--value_size", defaultValue = "100", description = "bytes of a value")
  int valueSize;

  @Option(
      names = "--compression_ratio",
      defaultValue = "0.5",
      description = "to which share of its size a value compresses")
  double compressionRatio;

  @Option(names = "--key_prefix", defaultValue = "0", description = "letters before a key's digits")
  int keyPrefix;

  @Option(names = "--cache_size", defaultValue = "-1", description = "bytes of cache; -1: 8 MiB")
  long cacheSize;

  @Option(names = "--write_buffer_size", defaultValue = "0", description = "bytes; 0: 4 MiB")
  int writeBufferSize;

  @Option(names = "--max_file_size", defaultValue = "0", description = "bytes; 0: 2 MiB")
  int maxFileSize;

  @Option(names = "--block_size", defaultValue = "0", description = "bytes; 0: 4 KiB")
  int blockSize;

  @Option(names = "--open_files", defaultValue = "0", description = "files held open; 0: 1000")
  int openFiles;

  @Option(
      names = "--bloom_bits",
      defaultValue = "-1",
      description = "bits per key of the bloom filter, where the store has one; -1: none")
  int bloomBits;

  @Option(
      names = "--compression",
      arity = "0..1",
      defaultValue = "1",
      fallbackValue = "1",
      converter = ZeroOrOne.class,
      paramLabel = ZERO_OR_ONE,
      description = "whether data is compressed, where the store can")
  boolean compression;

  @Option(
      names = "--reuse_logs",
      arity = "0..1",
      defaultValue = "0",
      fallbackValue = "1",
      converter = ZeroOrOne.class,
      paramLabel = ZERO_OR_ONE,
      description = "whether an open goes on with the last log")
  boolean reuseLogs;

  @Option(
      names = "--use_existing_db",
      arity = "0..1",
      defaultValue = "0",
      fallbackValue = "1",
      converter = ZeroOrOne.class,
      paramLabel = ZERO_OR_ONE,
      description = "do not begin with an empty database; benchmarks that do are skipped")
  boolean useExistingDb;

  @Option(
      names = "--histogram",
      arity = "0..1",
      defaultValue = "0",
      fallbackValue = "1",
      converter = ZeroOrOne.class,
      paramLabel = ZERO_OR_ONE,
      description = "take the time of each operation, and print percentiles")
  boolean histogram;

  @Option(
      names = "--db",
      description = "directory for the databases, which then stay; default: a temporary one")
  @Nullable Path db;

  @Option(
      names = "--read_access",
      defaultValue = "ARRAY",
      description = "how kv hands out values to point reads: array, buffer or lent")
  StoreSettings.ReadAccess readAccess = StoreSettings.ReadAccess.ARRAY;

  @Option(
      names = "--codec_bytes",
      defaultValue = "-1",
      description =
          "bytes that crc32c, snappycomp and snappyuncomp run over; -1: 500 MiB and 1 GiB")
  long codecBytes;

  @Option(
      names = "--profile",
      paramLabel = "DIR",
      description = "directory for a flame graph of each benchmark of the rounds that count")
  @Nullable Path profile;

  /** Returns the sizes that the benchmarks share. */
  Workload workload() {
    return new Workload(num, reads < 0 ? num : reads, valueSize, compressionRatio, keyPrefix);
  }

  /** Returns how the stores are to be opened. */
  StoreSettings settings() {
    long entryBytes = DecimalKey.DIGITS + keyPrefix + Math.max(valueSize, 100L);
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
        num * entryBytes * Math.max(1, threads));
  }
}
