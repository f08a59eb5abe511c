package dev.kv.core.repair;

import static dev.kv.core.Bytes.bytes;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.kv.bytes.DBComparator;
import dev.kv.core.iterator.ForwardIterator;
import dev.kv.core.key.InternalKey;
import dev.kv.core.key.InternalKeyComparator;
import dev.kv.core.key.ValueKind;
import dev.kv.core.table.TableCursor;
import dev.kv.errors.CorruptionException;
import dev.kv.errors.DBIOException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class SalvageIteratorTest {
  private static final int BLOCK = 1000;

  private final List<String> damage = new ArrayList<>();

  /** A table of entries, each with a value of three bytes, and of blocks that cannot be read. */
  private static final class FakeTable extends ForwardIterator implements TableCursor {
    private final List<Object> content;
    private int at;
    private boolean closed;

    /** Creates a table of keys and exceptions. */
    FakeTable(Object... content) {
      this.content = List.of(content);
    }

    @Override
    public void seekToFirst() {
      at = 0;
      enter();
    }

    @Override
    public void next() {
      assertThat(isValid()).isTrue();
      at++;
      enter();
    }

    @Override
    public void seekAfterDamage() {
      at++;
      enter();
    }

    private void enter() {
      valid = false;
      if (at == content.size()) {
        return;
      }
      if (content.get(at) instanceof RuntimeException e) {
        throw e;
      }
      byte[] key = (byte[]) content.get(at);
      keyBuffer = ByteBuffer.allocateDirect(key.length).order(ByteOrder.LITTLE_ENDIAN).put(0, key);
      keyLength = key.length;
      valueLength = 3;
      valid = true;
    }

    @Override
    public ForwardIterator entries() {
      return this;
    }

    @Override
    public int triedBytes() {
      return BLOCK;
    }

    @Override
    public void close() {
      closed = true;
    }
  }

  private static byte[] key(String user, long sequence) {
    return InternalKey.encode(bytes(user), sequence, ValueKind.VALUE);
  }

  private static CorruptionException corrupt() {
    return new CorruptionException("bad checksum", "5.ldb", 7);
  }

  private SalvageIterator over(FakeTable table) {
    return new SalvageIterator(
        table, new InternalKeyComparator(DBComparator.bytewise()), damage::add);
  }

  private static String keys(SalvageIterator iterator) {
    StringBuilder keys = new StringBuilder();
    for (iterator.seekToFirst(); iterator.isValid(); iterator.next()) {
      byte[] key = iterator.copyKey();
      keys.append(new String(InternalKey.userKey(key), StandardCharsets.UTF_8));
      keys.append(InternalKey.sequence(InternalKey.tag(key)));
    }
    return keys.toString();
  }

  @Test
  void undamagedTable_isShownWhole() {
    SalvageIterator iterator = over(new FakeTable(key("a", 9), key("a", 3), key("b", 1)));
    assertThat(keys(iterator)).isEqualTo("a9a3b1");
    assertThat(keys(iterator)).as("again").isEqualTo("a9a3b1");
    assertThat(iterator.damages()).isZero();
    assertThat(iterator.bytesLost()).isZero();
    assertThat(damage).isEmpty();
  }

  @Test
  void emptyTable_hasNoEntry() {
    assertThat(keys(over(new FakeTable()))).isEmpty();
  }

  @Test
  void keysThatAreMalformedOrOutOfOrder_areSkippedAndCounted() {
    SalvageIterator iterator =
        over(
            new FakeTable(
                bytes("short"), key("b", 5), key("b", 5), key("a", 9), key("b", 6), key("c", 1)));
    assertThat(keys(iterator)).isEqualTo("b5c1");
    assertThat(iterator.damages()).isEqualTo(4);
    assertThat(iterator.bytesLost()).isEqualTo((5 + 3) + 3 * (9 + 3));
    assertThat(damage).hasSize(4).allMatch(what -> what.contains("malformed or out of order"));
  }

  @Test
  void damagedBlocks_areSkippedAndCounted() {
    SalvageIterator iterator =
        over(new FakeTable(corrupt(), key("a", 1), corrupt(), corrupt(), key("b", 1), corrupt()));
    assertThat(keys(iterator)).isEqualTo("a1b1");
    assertThat(iterator.damages()).isEqualTo(4);
    assertThat(iterator.bytesLost()).isEqualTo(4 * BLOCK);
    assertThat(damage).hasSize(4);
    assertThat(damage.get(0)).contains("bad checksum");
  }

  /** What cannot be read may be intact; it is not skipped. */
  @Test
  void readError_isThrown() {
    DBIOException refused = new DBIOException("too many open files", new IOException("EMFILE"));
    SalvageIterator iterator = over(new FakeTable(key("a", 1), refused, key("b", 1)));
    assertThatThrownBy(() -> keys(iterator)).isSameAs(refused);
    assertThat(iterator.damages()).isZero();
  }

  @Test
  void damageFoundBefore_isCountedToo() {
    SalvageIterator iterator = over(new FakeTable(key("a", 1), corrupt()));
    iterator.addLost(500, "the index");
    assertThat(keys(iterator)).isEqualTo("a1");
    assertThat(iterator.damages()).isEqualTo(2);
    assertThat(iterator.bytesLost()).isEqualTo(500 + BLOCK);
    assertThat(damage.get(0)).isEqualTo("the index");
  }

  @Test
  void close_closesTheTable() {
    FakeTable table = new FakeTable();
    over(table).close();
    assertThat(table.closed).isTrue();
  }
}
