package dev.kv.jmh.transfer;

import dev.kv.DB;
import dev.kv.Options;
import dev.kv.Transaction;
import dev.kv.WriteBatch;
import dev.kv.errors.ConflictException;
import java.nio.file.Path;

/** Transactions of kv, without the waits of {@link DB#transact}, as the others have none. */
final class KvTransfers implements Transfers {
  private final DB db;

  KvTransfers(Path directory) {
    db = DB.open(directory, Options.builder().createIfMissing(true).build());
  }

  @Override
  public void put(byte[] first, byte[] second, byte[] value) {
    db.write(WriteBatch.create().put(first, value).put(second, value));
  }

  @Override
  public int transfer(byte[] first, byte[] second, byte[] value) {
    for (int attempt = 1; ; attempt++) {
      try (Transaction transaction = db.transaction()) {
        transaction.getForUpdate(first);
        transaction.getForUpdate(second);
        transaction.put(first, value).put(second, value).commit();
        return attempt;
      } catch (ConflictException e) {
        Thread.onSpinWait();
      }
    }
  }

  @Override
  public void close() {
    db.close();
  }
}
