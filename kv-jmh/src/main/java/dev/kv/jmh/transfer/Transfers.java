package dev.kv.jmh.transfer;

import java.io.IOException;
import java.nio.file.Path;

/** A store with transactions. Thread-safe. */
public interface Transfers extends AutoCloseable {

  /**
   * Opens an empty store.
   *
   * @param store {@code kv}, {@code rocksdb} or {@code mvstore}
   */
  static Transfers open(String store, Path directory) throws IOException {
    return switch (store) {
      case "kv" -> new KvTransfers(directory);
      case "rocksdb" -> RocksDbTransfers.open(directory);
      case "mvstore" -> new MvTransfers(directory);
      default -> throw new IllegalArgumentException("no store with transactions: " + store);
    };
  }

  /** Writes two keys at once, without reading them. */
  void put(byte[] first, byte[] second, byte[] value);

  /**
   * Reads two keys for update and writes both, in one transaction, which is repeated until it is
   * committed. Returns the number of attempts.
   */
  int transfer(byte[] first, byte[] second, byte[] value);

  @Override
  void close();
}
