package dev.kv.jmh.transfer;

import java.nio.file.Path;
import org.h2.mvstore.DataUtils;
import org.h2.mvstore.MVStore;
import org.h2.mvstore.MVStoreException;
import org.h2.mvstore.tx.Transaction;
import org.h2.mvstore.tx.TransactionMap;
import org.h2.mvstore.tx.TransactionStore;
import org.h2.mvstore.type.ByteArrayDataType;

/**
 * Transactions of H2's MVStore, which lock the keys that they write. A background thread writes a
 * commit within a second; until then it does not survive the death of the process.
 */
final class MvTransfers implements Transfers {
  private final MVStore store;
  private final TransactionStore transactions;

  MvTransfers(Path directory) {
    store = new MVStore.Builder().fileName(directory.resolve("data.mv").toString()).open();
    transactions = new TransactionStore(store);
    transactions.init();
  }

  private static TransactionMap<byte[], byte[]> map(Transaction transaction) {
    return transaction.openMap("kv", ByteArrayDataType.INSTANCE, ByteArrayDataType.INSTANCE);
  }

  @Override
  public void put(byte[] first, byte[] second, byte[] value) {
    write(first, second, value, false);
  }

  @Override
  public int transfer(byte[] first, byte[] second, byte[] value) {
    return write(first, second, value, true);
  }

  /** Writes in a transaction, since nothing else writes two keys at once. */
  private int write(byte[] first, byte[] second, byte[] value, boolean readFirst) {
    for (int attempt = 1; ; attempt++) {
      Transaction transaction = transactions.begin();
      try {
        TransactionMap<byte[], byte[]> map = map(transaction);
        if (readFirst) {
          map.lock(first.clone());
          map.lock(second.clone());
        }
        map.put(first.clone(), value.clone());
        map.put(second.clone(), value.clone());
        transaction.commit();
        return attempt;
      } catch (MVStoreException e) {
        transaction.rollback();
        if (!isConflict(e)) {
          throw e;
        }
      }
    }
  }

  private static boolean isConflict(MVStoreException e) {
    return e.getErrorCode() == DataUtils.ERROR_TRANSACTION_LOCKED
        || e.getErrorCode() == DataUtils.ERROR_TRANSACTIONS_DEADLOCK;
  }

  @Override
  public void close() {
    transactions.close();
    store.close();
  }
}
