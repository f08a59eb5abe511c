package dev.kv.core.db;

import dev.kv.CompressionType;
import dev.kv.FilterPolicy;
import dev.kv.Options;
import dev.kv.env.Env;

/** The ways to open a database that behaviour must not depend on. */
enum Config {
  DEFAULT {
    @Override
    Options.Builder set(Options.Builder options) {
      return options;
    }
  },
  REUSE_LOGS {
    @Override
    Options.Builder set(Options.Builder options) {
      return options.reuseLogs(true);
    }
  },
  FILTER {
    @Override
    Options.Builder set(Options.Builder options) {
      return options.filterPolicy(FilterPolicy.bloom(10));
    }
  },
  UNCOMPRESSED {
    @Override
    Options.Builder set(Options.Builder options) {
      return options.compression(CompressionType.NONE);
    }
  },
  /** Blocks read in the mapping of their tables. */
  IN_PLACE {
    @Override
    Options.Builder set(Options.Builder options) {
      return options.compression(CompressionType.NONE).tables(t -> t.readInPlace(true));
    }
  },
  /** Nothing mapped, nothing cached, the snappy codec in Java. */
  PLAIN_READS {
    @Override
    Options.Builder set(Options.Builder options) {
      return options
          .memory(m -> m.maxMappedTables(0))
          .blockCacheSize(0)
          .tables(t -> t.nativeSnappy(false));
    }
  },
  IN_MEMORY {
    @Override
    Options.Builder set(Options.Builder options) {
      return options.env(Env.inMemory());
    }
  };

  abstract Options.Builder set(Options.Builder options);

  Options options() {
    return set(Options.builder().createIfMissing(true)).build();
  }
}
