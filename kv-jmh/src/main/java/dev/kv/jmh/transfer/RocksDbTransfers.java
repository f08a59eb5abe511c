package dev.kv.jmh.transfer;

import java.nio.file.Path;
import org.rocksdb.OptimisticTransactionDB;
import org.rocksdb.OptimisticTransactionOptions;
import org.rocksdb.Options;
import org.rocksdb.ReadOptions;
import org.rocksdb.RocksDB;
import org.rocksdb.RocksDBException;
import org.rocksdb.Status;
import org.rocksdb.Transaction;
import org.rocksdb.WriteBatch;
import org.rocksdb.WriteOptions;

/** Optimistic transactions of RocksDB, with a snapshot each. */
final class RocksDbTransfers implements Transfers {
  private final OptimisticTransactionDB db;
  private final Options options;
  private final WriteOptions write = new WriteOptions();
  private final ReadOptions read = new ReadOptions();
  private final OptimisticTransactionOptions begin =
      new OptimisticTransactionOptions().setSetSnapshot(true);

  private RocksDbTransfers(OptimisticTransactionDB db, Options options) {
    this.db = db;
    this.options = options;
  }

  static Transfers open(Path directory) {
    RocksDB.loadLibrary();
    Options options = new Options().setCreateIfMissing(true).setWriteBufferSize(4 << 20);
    try {
      return new RocksDbTransfers(
          OptimisticTransactionDB.open(options, directory.toString()), options);
    } catch (RocksDBException e) {
      throw new IllegalStateException(e);
    }
  }

  @Override
  public void put(byte[] first, byte[] second, byte[] value) {
    try (WriteBatch batch = new WriteBatch()) {
      batch.put(first, value);
      batch.put(second, value);
      db.write(write, batch);
    } catch (RocksDBException e) {
      throw new IllegalStateException(e);
    }
  }

  @Override
  public int transfer(byte[] first, byte[] second, byte[] value) {
    for (int attempt = 1; ; attempt++) {
      try (Transaction transaction = db.beginTransaction(write, begin)) {
        transaction.getForUpdate(read, first, true);
        transaction.getForUpdate(read, second, true);
        transaction.put(first, value);
        transaction.put(second, value);
        transaction.commit();
        return attempt;
      } catch (RocksDBException e) {
        Status status = e.getStatus();
        if (status == null
            || (status.getCode() != Status.Code.Busy && status.getCode() != Status.Code.TryAgain)) {
          throw new IllegalStateException(e);
        }
      }
    }
  }

  @Override
  public void close() {
    db.close();
    begin.close();
    read.close();
    write.close();
    options.close();
  }
}
