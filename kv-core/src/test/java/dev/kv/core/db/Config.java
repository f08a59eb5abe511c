package dev.kv.core.db;

import dev.kv.FilterPolicy;
import dev.kv.Options;
import dev.kv.env.Env;
import dev.kv.options.CompressionType;

/** The ways to open a database that behaviour must not depend on. */
public enum Config {
  DEFAULT {
    @Override
    public Options.Builder set(Options.Builder options) {
      return options;
    }
  },
  REUSE_LOGS {
    @Override
    public Options.Builder set(Options.Builder options) {
      return options.reuseLogs(true);
    }
  },
  FILTER {
    @Override
    public Options.Builder set(Options.Builder options) {
      return options.filterPolicy(FilterPolicy.bloom(10));
    }
  },
  UNCOMPRESSED {
    @Override
    public Options.Builder set(Options.Builder options) {
      return options.compression(CompressionType.NONE);
    }
  },
  /** Blocks read in the mapping of their tables. */
  IN_PLACE {
    @Override
    public Options.Builder set(Options.Builder options) {
      return options.compression(CompressionType.NONE).tables(t -> t.readInPlace(true));
    }
  },
  /** Nothing mapped, nothing cached, the snappy codec in Java. */
  PLAIN_READS {
    @Override
    public Options.Builder set(Options.Builder options) {
      return options
          .memory(m -> m.maxMappedTables(0))
          .blockCacheSize(0)
          .tables(t -> t.nativeSnappy(false));
    }
  },
  IN_MEMORY {
    @Override
    public Options.Builder set(Options.Builder options) {
      return options.env(Env.inMemory());
    }
  };

  public abstract Options.Builder set(Options.Builder options);

  public Options options() {
    return set(Options.builder().createIfMissing(true)).build();
  }
}
