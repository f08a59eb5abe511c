package dev.kv.core.batch;

import static dev.kv.core.Bytes.bytes;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.kv.BatchOperations;
import dev.kv.KeyValueStore;
import dev.kv.WriteBatch;
import dev.kv.bytes.Slice;
import dev.kv.change.OperationHandler;
import dev.kv.core.Samples;
import dev.kv.core.key.ValueKind;
import java.lang.reflect.Proxy;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

class EncodedBatchTest {
  private static String contents(WriteBatch batch) {
    StringBuilder text = new StringBuilder();
    batch.iterate(
        new OperationHandler() {
          @Override
          public void put(Slice key, Slice value) {
            text.append("put(" + key.toUtf8String() + "," + value.toUtf8String() + ")");
          }

          @Override
          public void delete(Slice key) {
            text.append("delete(" + key.toUtf8String() + ")");
          }

          @Override
          public void expect(Slice key, Slice value) {
            String wanted = value == null ? "nothing" : value.toUtf8String();
            text.append("expect(" + key.toUtf8String() + "," + wanted + ")");
          }
        });
    return text.toString();
  }

  @Test
  void batch_empty_hasTwelveBytesAndNothing() {
    EncodedBatch batch = new EncodedBatch();
    assertThat(batch.count()).isZero();
    assertThat(batch.approximateSize()).isEqualTo(12);
    assertThat(contents(batch)).isEmpty();
  }

  @Test
  void batch_operations_keepTheirOrder() {
    EncodedBatch batch = new EncodedBatch().put(bytes("foo"), bytes("bar")).delete(bytes("box"));
    batch.put(ByteBuffer.wrap(bytes("baz")), ByteBuffer.wrap(bytes("boo")));
    batch.delete(ByteBuffer.wrap(bytes("xyz"), 1, 2));
    assertThat(batch.count()).isEqualTo(4);
    assertThat(contents(batch)).isEqualTo("put(foo,bar)delete(box)put(baz,boo)delete(yz)");
  }

  @Test
  void batch_encoding_isLevelDbs() {
    EncodedBatch batch = new EncodedBatch().put(bytes("k"), bytes("vv")).delete(bytes("d"));
    assertThat(Arrays.copyOfRange(batch.bytes(), EncodedBatch.HEADER, batch.length()))
        .containsExactly(1, 1, 'k', 2, 'v', 'v', 0, 1, 'd');
  }

  @Test
  void append_batches_addsCountsAndOperations() {
    EncodedBatch first = new EncodedBatch();
    EncodedBatch second = new EncodedBatch();
    first.append(second);
    assertThat(contents(first)).isEmpty();
    second.put(bytes("a"), bytes("va"));
    first.append(second);
    assertThat(contents(first)).isEqualTo("put(a,va)");
    second.clear();
    second.put(bytes("b"), bytes("vb"));
    first.append(second);
    second.delete(bytes("foo"));
    first.append(second);
    assertThat(first.count()).isEqualTo(4);
    assertThat(contents(first)).isEqualTo("put(a,va)put(b,vb)put(b,vb)delete(foo)");
    first.append(first);
    assertThat(first.count()).isEqualTo(8);
  }

  @Test
  void expectations_added_comeFirstAndAreNotEncoded() {
    byte[] key = bytes("k");
    byte[] value = bytes("v");
    EncodedBatch batch = new EncodedBatch().put(key, value).expect(key, value);
    batch.expectAbsent(bytes("a")).expect(bytes("e"), new byte[0]);
    key[0] = 'x';
    value[0] = 'x';
    assertThat(contents(batch)).isEqualTo("expect(k,v)expect(a,nothing)expect(e,)put(k,v)");
    assertThat(batch.expectationCount()).isEqualTo(3);
    assertThat(batch.count()).isEqualTo(1);
    assertThat(batch.approximateSize())
        .isEqualTo(new EncodedBatch().put(bytes("k"), bytes("v")).approximateSize());
    assertThat(contents(batch.clear())).isEmpty();
    assertThat(batch.expectationCount()).isZero();
  }

  @Test
  void append_batchWithExpectations_addsThem() {
    EncodedBatch batch = new EncodedBatch().expect(bytes("a"), bytes("1")).delete(bytes("a"));
    EncodedBatch other = new EncodedBatch().expect(bytes("b"), null).put(bytes("b"), bytes("2"));
    String all = "expect(a,1)expect(b,nothing)delete(a)put(b,2)";
    assertThat(contents(new EncodedBatch().append(batch).append(new Wrapped(other))))
        .isEqualTo(all);
    assertThat(contents(batch.append(other))).isEqualTo(all);
    assertThat(contents(other)).isEqualTo("expect(b,nothing)put(b,2)");
    assertThat(other.append(other).expectationCount()).isEqualTo(2);
  }

  @Test
  void append_ofAViewOfTheBatch_addsWhatItHad() {
    EncodedBatch batch = new EncodedBatch().expect(bytes("a"), bytes("1")).delete(bytes("b"));
    assertThat(contents(batch.append(new Wrapped(batch))))
        .isEqualTo("expect(a,1)expect(a,1)delete(b)delete(b)");
  }

  @Test
  void rollback_toSavePoints_removesWhatCameAfterThem() {
    EncodedBatch batch = new EncodedBatch().put(bytes("a"), bytes("1")).setSavePoint();
    batch.put(bytes("b"), bytes("2")).expect(bytes("e"), null).setSavePoint().setSavePoint();
    batch.delete(bytes("c")).expect(bytes("f"), null);
    batch.rollbackToSavePoint();
    assertThat(contents(batch)).isEqualTo("expect(e,nothing)put(a,1)put(b,2)");
    batch.put(bytes("d"), bytes("3")).popSavePoint();
    assertThat(contents(batch)).isEqualTo("expect(e,nothing)put(a,1)put(b,2)put(d,3)");
    batch.rollbackToSavePoint();
    assertThat(contents(batch)).isEqualTo("put(a,1)");
    assertThat(batch.count()).isEqualTo(1);
    batch.put(bytes("z"), bytes("9"));
    assertThat(contents(batch)).isEqualTo("put(a,1)put(z,9)");
  }

  @Test
  void savePoint_missing_isRefused() {
    EncodedBatch batch = new EncodedBatch();
    for (int i = 0; i < 2; i++) {
      assertThatThrownBy(batch::rollbackToSavePoint)
          .isInstanceOf(IllegalStateException.class)
          .hasMessage("the batch has no save point");
      assertThatThrownBy(batch::popSavePoint).isInstanceOf(IllegalStateException.class);
      batch.setSavePoint().clear();
    }
  }

  /** A batch that a program wrote around ours. */
  private record Wrapped(EncodedBatch inner) implements WriteBatch {
    @Override
    public WriteBatch put(byte[] key, byte[] value) {
      return inner.put(key, value);
    }

    @Override
    public WriteBatch put(ByteBuffer key, ByteBuffer value) {
      return inner.put(key, value);
    }

    @Override
    public WriteBatch delete(byte[] key) {
      return inner.delete(key);
    }

    @Override
    public WriteBatch delete(ByteBuffer key) {
      return inner.delete(key);
    }

    @Override
    public WriteBatch expect(byte[] key, byte[] value) {
      return inner.expect(key, value);
    }

    @Override
    public WriteBatch setSavePoint() {
      return inner.setSavePoint();
    }

    @Override
    public WriteBatch rollbackToSavePoint() {
      return inner.rollbackToSavePoint();
    }

    @Override
    public WriteBatch popSavePoint() {
      return inner.popSavePoint();
    }

    @Override
    public WriteBatch append(BatchOperations other) {
      return inner.append(other);
    }

    @Override
    public WriteBatch clear() {
      return inner.clear();
    }

    @Override
    public int count() {
      return inner.count();
    }

    @Override
    public int expectationCount() {
      return inner.expectationCount();
    }

    @Override
    public long approximateSize() {
      return inner.approximateSize();
    }

    @Override
    public void iterate(OperationHandler handler) {
      inner.iterate(handler);
    }
  }

  @Test
  void append_foreignBatch_copiesItsOperations() {
    EncodedBatch inner = new EncodedBatch().put(bytes("a"), bytes("va")).delete(bytes("d"));
    EncodedBatch batch = new EncodedBatch().put(bytes("x"), bytes(""));
    assertThat(contents(batch.append(new Wrapped(inner)))).isEqualTo("put(x,)put(a,va)delete(d)");
    assertThat(batch.count()).isEqualTo(3);
  }

  @Test
  void buffers_given_keepTheirPositions() {
    ByteBuffer key = ByteBuffer.allocateDirect(8).put(0, bytes("__key___"));
    key.position(2).limit(5);
    ByteBuffer value = ByteBuffer.wrap(bytes("value")).asReadOnlyBuffer();
    EncodedBatch batch = new EncodedBatch().put(key, value).delete(key);
    assertThat(contents(batch)).isEqualTo("put(key,value)delete(key)");
    assertThat(key.position()).isEqualTo(2);
    assertThat(value.remaining()).isEqualTo(5);
  }

  /** What iterate hands out is what went in, whatever its size; the cursor reads the same bytes. */
  @Test
  void batch_anyOperations_comeBack() {
    Random random = new Random(13);
    for (int i = 0; i < 200; i++) {
      List<byte[]> keys = new ArrayList<>();
      for (int left = Samples.upTo(random, 20); left > 0; left--) {
        keys.add(Samples.bytes(random, Samples.upTo(random, 300)));
      }
      checkComeBack(keys);
    }
  }

  private static void checkComeBack(List<byte[]> keys) {
    EncodedBatch batch = new EncodedBatch();
    List<byte[]> seen = new ArrayList<>();
    for (int i = 0; i < keys.size(); i++) {
      byte[] key = keys.get(i);
      if (i % 3 == 0) {
        batch.delete(key);
      } else {
        batch.put(key, keys.get(keys.size() - 1 - i));
      }
    }
    ByteBuffer direct =
        ByteBuffer.allocateDirect(batch.length())
            .order(ByteOrder.LITTLE_ENDIAN)
            .put(0, batch.bytes(), 0, batch.length());
    BatchCursor cursor = new BatchCursor();
    cursor.start(direct, EncodedBatch.HEADER, batch.length() - EncodedBatch.HEADER);
    batch.iterate(
        new OperationHandler() {
          @Override
          public void put(Slice key, Slice value) {
            check(ValueKind.VALUE, key, value.length());
            byte[] bytes = new byte[cursor.valueLength()];
            direct.get(cursor.valueOffset(), bytes);
            assertThat(value.toByteArray()).isEqualTo(bytes);
          }

          @Override
          public void delete(Slice key) {
            check(ValueKind.DELETION, key, 0);
          }

          private void check(ValueKind kind, Slice key, int valueLength) {
            assertThat(cursor.next()).isTrue();
            assertThat(cursor.kind()).isEqualTo(kind);
            byte[] bytes = new byte[cursor.keyLength()];
            direct.get(cursor.keyOffset(), bytes);
            assertThat(key.toByteArray()).isEqualTo(bytes);
            assertThat(cursor.valueLength()).isEqualTo(valueLength);
            seen.add(bytes);
          }
        });
    assertThat(cursor.next()).isFalse();
    assertThat(seen).hasSameSizeAs(keys);
    for (int i = 0; i < keys.size(); i++) {
      assertThat(seen.get(i)).isEqualTo(keys.get(i));
    }
  }

  @Test
  void approximateSize_operationsAdded_grows() {
    EncodedBatch batch = new EncodedBatch();
    long empty = batch.approximateSize();
    long one = batch.put(bytes("foo"), bytes("bar")).approximateSize();
    long two = batch.put(bytes("baz"), bytes("boo")).approximateSize();
    long three = batch.delete(bytes("box")).approximateSize();
    assertThat(empty).isLessThan(one);
    assertThat(one).isLessThan(two);
    assertThat(two).isLessThan(three);
  }

  @Test
  void iterate_slicesKept_areRevoked() {
    Slice[] kept = new Slice[1];
    new EncodedBatch()
        .delete(bytes("k"))
        .iterate(
            new OperationHandler() {
              @Override
              public void put(Slice key, Slice value) {}

              @Override
              public void delete(Slice key) {
                kept[0] = key;
              }
            });
    assertThatThrownBy(() -> kept[0].length()).isInstanceOf(IllegalStateException.class);
  }

  @Test
  void iterate_valueKept_isRevoked() {
    List<Slice> kept = new ArrayList<>();
    new EncodedBatch()
        .put(bytes("k"), bytes("v"))
        .iterate(
            new OperationHandler() {
              @Override
              public void put(Slice key, Slice value) {
                kept.add(value);
              }

              @Override
              public void delete(Slice key) {}
            });
    assertThatThrownBy(() -> kept.get(0).byteAt(0)).isInstanceOf(IllegalStateException.class);
  }

  @Test
  void append_ofALargerBatch_makesRoom() {
    EncodedBatch large = new EncodedBatch();
    for (int i = 0; i < 100; i++) {
      large.put(bytes("key" + i), new byte[1000]);
    }
    EncodedBatch batch = new EncodedBatch().put(bytes("a"), bytes("b"));
    assertThat(batch.append(large)).isSameAs(batch);
    assertThat(batch.count()).isEqualTo(101);
    assertThat(batch.length()).isEqualTo(large.length() + 5);
    assertThat(batch.bytes().length).isGreaterThanOrEqualTo(batch.length());
    assertThat(batch.clear()).isSameAs(batch);
    assertThat(batch.toString()).isEqualTo("WriteBatch[0 operations, 12 bytes]");
  }

  @Test
  void cursor_ofAnUnknownOperation_namesIt() {
    ByteBuffer encoded =
        ByteBuffer.allocateDirect(8).order(ByteOrder.LITTLE_ENDIAN).put(3, (byte) 0xfe);
    BatchCursor cursor = new BatchCursor();
    cursor.start(encoded, 3, 5);
    assertThatThrownBy(cursor::next)
        .isInstanceOf(MalformedBatchException.class)
        .hasMessage("unknown operation 254");
  }

  @Test
  void cursor_damagedBatches_areRefusedOrReadInBounds() {
    Random random = new Random(17);
    int refused = 0;
    for (int i = 0; i < 20_000; i++) {
      EncodedBatch batch =
          new EncodedBatch().put(bytes("key1"), new byte[random.nextInt(200)]).delete(bytes("k"));
      int length =
          random.nextInt(3) == 0 ? 12 + random.nextInt(batch.length() - 12) : batch.length();
      ByteBuffer exact = ByteBuffer.allocateDirect(length).order(ByteOrder.LITTLE_ENDIAN);
      exact.put(0, batch.bytes(), 0, length);
      if (length > 12) {
        exact.put(12 + random.nextInt(Math.min(8, length - 12)), (byte) random.nextInt());
      }
      BatchCursor cursor = new BatchCursor();
      cursor.start(exact, 12, length - 12);
      try {
        while (cursor.next()) {
          assertThat(cursor.keyOffset() + cursor.keyLength()).isLessThanOrEqualTo(length);
          assertThat(cursor.valueOffset() + cursor.valueLength()).isLessThanOrEqualTo(length);
        }
      } catch (MalformedBatchException expected) {
        refused++;
      }
    }
    assertThat(refused).isGreaterThan(1000);
  }

  @Test
  void belongTo_somethingElse_isRefused() {
    EncodedBatch batch = new EncodedBatch();
    KeyValueStore owner = store();
    batch.belongTo(owner);
    batch.belongTo(owner);
    assertThatThrownBy(() -> batch.belongTo(store())).isInstanceOf(IllegalStateException.class);
    assertThat(batch.store()).isSameAs(owner);
    batch.clear().belongTo(store());
  }

  @Test
  void append_ofABatchThatBelongsToSomethingElse_isRefusedAndAddsNothing() {
    EncodedBatch batch = new EncodedBatch().put(bytes("k"), bytes("v"));
    EncodedBatch other = new EncodedBatch().put(bytes("l"), bytes("w"));
    other.belongTo(store());
    batch.append(other);
    assertThat(batch.store()).isSameAs(other.store());
    EncodedBatch third = new EncodedBatch().put(bytes("m"), bytes("x"));
    third.belongTo(store());
    assertThatThrownBy(() -> batch.append(third))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("the other batch belongs to");
    assertThat(contents(batch)).isEqualTo("put(k,v)put(l,w)");
  }

  private static KeyValueStore store() {
    return (KeyValueStore)
        Proxy.newProxyInstance(
            EncodedBatchTest.class.getClassLoader(),
            new Class<?>[] {KeyValueStore.class},
            (self, method, arguments) ->
                switch (method.getName()) {
                  case "equals" -> self == arguments[0];
                  case "hashCode" -> System.identityHashCode(self);
                  default -> "a store";
                });
  }
}
