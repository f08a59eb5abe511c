package dev.kv.core.table;

import static dev.kv.core.Bytes.direct;
import static org.assertj.core.api.Assertions.assertThat;

import dev.kv.bytes.DBComparator;
import dev.kv.core.codec.Varint;
import dev.kv.core.key.InternalKey;
import dev.kv.core.key.InternalKeyComparator;
import dev.kv.core.key.KeyComparator;
import dev.kv.core.key.UserKeyComparator;
import dev.kv.core.key.ValueKind;
import dev.kv.core.memory.OffHeapBudget;
import dev.kv.core.memory.OffHeapBuffer;
import dev.kv.core.table.block.BlockBuilder;
import dev.kv.core.table.block.BlockIterator;
import dev.kv.core.table.cache.TableFile;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;

/** The index finds for each key the first block whose index key is at or after it. */
class TableIndexTest {
  private static final int BLOCK = 100;

  private static final List<KeyComparator> ORDERS =
      List.of(
          new InternalKeyComparator(DBComparator.bytewise()),
          new InternalKeyComparator(new OtherOrder()),
          new UserKeyComparator(DBComparator.bytewise()));

  @Test
  void find_randomKeys_returnsTheFirstBlockAtOrAfter() {
    for (KeyComparator order : ORDERS) {
      for (int seed = 0; seed < 200; seed++) {
        check(order, new Random(seed), "seed " + seed + ", order " + ORDERS.indexOf(order));
      }
    }
  }

  private static void check(KeyComparator order, Random random, String what) {
    byte[] common = new byte[random.nextInt(4) == 0 ? 0 : random.nextInt(20)];
    random.nextBytes(common);
    TreeSet<byte[]> sorted =
        new TreeSet<>((a, b) -> order.compare(direct(a), 0, a.length, direct(b), 0, b.length));
    int count = random.nextInt(3) == 0 ? random.nextInt(4) : random.nextInt(80);
    for (int i = 0; i < count; i++) {
      sorted.add(key(order, common, random));
    }
    if (random.nextBoolean()) { // as at the end of a table: a short key after all others
      sorted.add(encode(order, new byte[] {(byte) 0xff, (byte) 0xff}, random));
    }
    List<byte[]> keys = new ArrayList<>(sorted);
    try (TableBench bench = new TableBench(0);
        OffHeapBuffer scratch = new OffHeapBuffer(new OffHeapBudget(0), 0)) {
      TableIndex index = build(order, keys, bench, scratch);
      assertThat(index.count()).as(what).isEqualTo(keys.size());
      for (int i = 0; i < keys.size(); i++) {
        assertThat(index.key(i)).as(what).isEqualTo(keys.get(i));
        assertThat(index.offset(i)).as(what).isEqualTo((long) i * BLOCK);
        assertThat(index.size(i)).as(what).isEqualTo(BLOCK - i % 10);
        assertThat(find(index, keys.get(i))).as(what).isEqualTo(i);
      }
      for (int i = 0; i < 100; i++) {
        byte[] target = key(order, common, random);
        assertThat(find(index, target)).as(what).isEqualTo(sorted.headSet(target).size());
      }
      index.free();
    }
  }

  /** Returns a key that usually begins with {@code common}, and is close to other such keys. */
  private static byte[] key(KeyComparator order, byte[] common, Random random) {
    int kept = random.nextInt(10) == 0 ? random.nextInt(common.length + 1) : common.length;
    int group = random.nextInt(3) == 0 ? random.nextInt(12) : 0;
    byte[] user = new byte[kept + group + random.nextInt(4)];
    System.arraycopy(common, 0, user, 0, kept);
    for (int i = kept + group; i < user.length; i++) {
      user[i] = (byte) (random.nextInt(3) - 1); // -1 is the greatest byte
    }
    return encode(order, user, random);
  }

  private static byte[] encode(KeyComparator order, byte[] user, Random random) {
    return order instanceof InternalKeyComparator
        ? InternalKey.encode(user, random.nextInt(4), ValueKind.VALUE)
        : user;
  }

  private static int find(TableIndex index, byte[] key) {
    return index.find(direct(key), 0, key.length);
  }

  private static TableIndex build(
      KeyComparator order, List<byte[]> keys, TableBench bench, OffHeapBuffer scratch) {
    try (BlockBuilder builder = new BlockBuilder(1, new OffHeapBudget(0))) {
      for (int i = 0; i < keys.size(); i++) {
        byte[] key = keys.get(i);
        ByteBuffer handle = direct(2 * Varint.MAX_64);
        int length =
            Varint.put64(handle, Varint.put64(handle, 0, (long) i * BLOCK), BLOCK - i % 10);
        builder.add(direct(key), 0, key.length, handle, 0, length);
      }
      int length = builder.finish();
      BlockIterator entries = new BlockIterator(order, scratch);
      entries.reset(builder.buffer(), length, "table", 0);
      TableFile file = TableFile.of(MemoryFile.reading(new byte[BLOCK * 1000]), "table");
      return TableIndex.of(entries, order, file, 0, bench.blocks);
    }
  }
}
