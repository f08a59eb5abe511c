package dev.kv.jmh.adapter;

import dev.kv.jmh.store.StoreSettings;
import java.io.IOException;
import java.io.UncheckedIOException;
import org.iq80.leveldb.CompressionType;
import org.iq80.leveldb.DB;
import org.iq80.leveldb.Options;

/** What the two stores with the interfaces of {@code org.iq80.leveldb} have in common. */
final class LeveldbApi {
  private LeveldbApi() {}

  /** Returns the options of a store with these settings. */
  static Options options(StoreSettings settings) {
    return new Options()
        .createIfMissing(true)
        .cacheSize(settings.cacheBytes())
        .writeBufferSize(settings.writeBufferBytes())
        .blockSize(settings.blockBytes())
        .maxOpenFiles(settings.maxOpenFiles())
        .compressionType(settings.compression() ? CompressionType.SNAPPY : CompressionType.NONE);
  }

  /** Closes a database. */
  static void close(DB db) {
    try {
      db.close();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
