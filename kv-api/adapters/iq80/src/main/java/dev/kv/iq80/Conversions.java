package dev.kv.iq80;

import dev.kv.Options;
import dev.kv.ReadOptions;
import dev.kv.Snapshot;
import dev.kv.WriteOptions;
import dev.kv.options.CompressionType;
import dev.kv.options.RecoveryMode;

/** Translates options. What the old ones do not have comes from those that they are laid over. */
final class Conversions {
  private Conversions() {}

  /** Returns {@code base} with everything that the program's options say. */
  static Options options(org.iq80.leveldb.Options options, Options base) {
    Options.Builder builder =
        base.toBuilder()
            .createIfMissing(options.createIfMissing())
            .errorIfExists(options.errorIfExists())
            .writeBufferSize(Math.max(0, options.writeBufferSize()))
            .maxOpenFiles(Math.max(0, options.maxOpenFiles()))
            .blockSize(Math.max(0, options.blockSize()))
            .blockRestartInterval(Math.max(1, options.blockRestartInterval()))
            .compression(compression(options.compressionType(), base));
    if (options.paranoidChecks()) {
      builder.recoveryMode(RecoveryMode.PARANOID);
    }
    if (options.cacheSize() > 0) {
      builder.blockCacheSize(options.cacheSize());
    }
    if (options.comparator() != null) {
      builder.comparator(new ComparatorAdapter(options.comparator()));
    }
    return builder.build();
  }

  /** The old options say snappy unless told otherwise, so a base with zstd keeps it. */
  private static CompressionType compression(
      org.iq80.leveldb.CompressionType compression, Options base) {
    if (compression == org.iq80.leveldb.CompressionType.NONE) {
      return CompressionType.NONE;
    }
    return base.compression() == CompressionType.ZSTD
        ? CompressionType.ZSTD
        : CompressionType.SNAPPY;
  }

  static ReadOptions readOptions(org.iq80.leveldb.ReadOptions options) {
    return ReadOptions.builder()
        .fillCache(options.fillCache())
        .snapshot(options.snapshot() == null ? null : snapshot(options.snapshot()))
        .build();
  }

  private static Snapshot snapshot(org.iq80.leveldb.Snapshot snapshot) {
    if (snapshot instanceof KvSnapshot own) {
      return own.unwrap();
    }
    throw new IllegalArgumentException("not a snapshot of this library: " + snapshot.getClass());
  }

  static WriteOptions writeOptions(org.iq80.leveldb.WriteOptions options) {
    return options.sync() ? WriteOptions.SYNC : WriteOptions.DEFAULT;
  }
}
