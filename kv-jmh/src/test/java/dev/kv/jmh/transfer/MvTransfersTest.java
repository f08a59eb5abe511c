package dev.kv.jmh.transfer;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import org.h2.mvstore.MVStore;
import org.h2.mvstore.tx.TransactionMap;
import org.h2.mvstore.tx.TransactionStore;
import org.h2.mvstore.type.ByteArrayDataType;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class MvTransfersTest {
  private static final byte[] FIRST = "first".getBytes(UTF_8);
  private static final byte[] SECOND = "second".getBytes(UTF_8);

  @TempDir Path directory;

  private void expectBoth(String value) {
    try (MVStore store = MVStore.open(directory.resolve("data.mv").toString())) {
      TransactionStore transactions = new TransactionStore(store);
      transactions.init();
      TransactionMap<byte[], byte[]> map =
          transactions
              .begin()
              .openMap("kv", ByteArrayDataType.INSTANCE, ByteArrayDataType.INSTANCE);
      assertThat(map.get(FIRST)).asString(UTF_8).isEqualTo(value);
      assertThat(map.get(SECOND)).asString(UTF_8).isEqualTo(value);
      transactions.close();
    }
  }

  @Test
  void put_twoKeys_areCommitted() {
    try (Transfers transfers = new MvTransfers(directory)) {
      transfers.put(FIRST, SECOND, "a".getBytes(UTF_8));
    }
    expectBoth("a");
  }

  @Test
  void transfer_twoKeys_areCommittedAtTheFirstAttempt() {
    try (Transfers transfers = new MvTransfers(directory)) {
      transfers.put(FIRST, SECOND, "a".getBytes(UTF_8));
      assertThat(transfers.transfer(FIRST, SECOND, "b".getBytes(UTF_8))).isOne();
    }
    expectBoth("b");
  }
}
