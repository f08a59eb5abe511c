package dev.kv.core.crash;

import dev.kv.FilterPolicy;
import dev.kv.Options;
import dev.kv.env.Env;
import dev.kv.env.ForwardingEnv;
import dev.kv.env.MappedLogFile;
import dev.kv.options.CompressionType;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/** The options with which the tests of this package open a database. All have small memtables. */
enum Setting {
  DEFAULT(Options.builder(), true),
  REUSE_LOGS(Options.builder().reuseLogs(true), true),
  WRITTEN_LOG(Options.builder().compression(CompressionType.NONE), false),
  WRITTEN_LOG_REUSED(Options.builder().reuseLogs(true).filterPolicy(FilterPolicy.bloom(10)), false),
  PARALLEL(Options.builder().compaction(c -> c.maxBackground(3)).blockCacheSize(0), true);

  private final Options.Builder builder;
  private final boolean mapped;

  Setting(Options.Builder builder, boolean mapped) {
    this.builder = builder.createIfMissing(true).writeBufferSize(64 << 10).blockSize(1 << 10);
    this.mapped = mapped;
  }

  /** Returns the setting for a seed. */
  static Setting of(long seed) {
    return values()[(int) Math.floorMod(seed, (long) values().length)];
  }

  /** Returns the options over {@code env}. */
  Options options(Env env) {
    return builder.build().toBuilder().env(mapped ? env : new Unmapped(env)).build();
  }

  /** An environment that has no mapped logs. */
  private static final class Unmapped extends ForwardingEnv {
    Unmapped(Env target) {
      super(target);
    }

    @Override
    public @Nullable MappedLogFile createMappedLog(Path file) {
      return null;
    }
  }
}
