package dev.kv.core.batch;

import dev.kv.BatchOperations;
import dev.kv.DB;
import dev.kv.KeyValueStore;
import dev.kv.WriteBatch;
import dev.kv.bytes.Slice;
import dev.kv.change.OperationHandler;
import dev.kv.core.codec.Varint;
import dev.kv.core.key.InternalKey;
import dev.kv.core.key.ValueKind;
import dev.kv.core.memory.BufferSlice;
import dev.kv.file.PendingFault;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Deque;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * A write batch, stored in the encoding of the log. Expectations are stored beside it, because they
 * are not logged.
 *
 * <pre>
 * batch     := sequence fixed64, count fixed32, operation*
 * operation := 1, key length varint32, key, value length varint32, value
 *            | 0, key length varint32, key
 * </pre>
 */
public final class EncodedBatch implements WriteBatch {
  /** Bytes before the first operation. */
  public static final int HEADER = Long.BYTES + Integer.BYTES;

  private static final int FIRST_CAPACITY = 256;
  private static final PendingFault PENDING_FAULT = new PendingFault();

  /** The encoding, with nothing in its header, which the log writes. */
  private byte[] bytes = new byte[FIRST_CAPACITY];

  private int length = HEADER;
  private int count;

  private @Nullable KeyValueStore store;

  // Created at the first use.
  private @Nullable List<Expectation> expectations;
  private @Nullable Deque<SavePoint> savePoints;

  /** What the batch contained when a save point was set. */
  private record SavePoint(int length, int count, int expectations) {}

  /** Creates an empty batch. */
  public EncodedBatch() {}

  /**
   * Returns a copy of a record of the log.
   *
   * @param record the buffer with the record at its beginning, which a {@link BatchCursor} has
   *     checked
   * @param length the length of the record
   */
  public static EncodedBatch ofRecord(ByteBuffer record, int length) {
    EncodedBatch batch = new EncodedBatch();
    batch.bytes = new byte[length];
    batch.length = length;
    batch.count = record.getInt(Long.BYTES);
    record.get(0, batch.bytes);
    return batch;
  }

  @Override
  public EncodedBatch put(byte[] key, byte[] value) {
    Objects.requireNonNull(key, "key");
    Objects.requireNonNull(value, "value");
    int at = begin(ValueKind.VALUE, key.length, value.length);
    at = putBytes(at, key);
    length = putBytes(at, value);
    return counted(1);
  }

  @Override
  public EncodedBatch put(ByteBuffer key, ByteBuffer value) {
    Objects.requireNonNull(key, "key");
    Objects.requireNonNull(value, "value");
    int at = begin(ValueKind.VALUE, key.remaining(), value.remaining());
    at = putBytes(at, key);
    length = putBytes(at, value);
    return counted(1);
  }

  @Override
  public EncodedBatch delete(byte[] key) {
    Objects.requireNonNull(key, "key");
    length = putBytes(begin(ValueKind.DELETION, key.length, 0), key);
    return counted(1);
  }

  @Override
  public EncodedBatch delete(ByteBuffer key) {
    Objects.requireNonNull(key, "key");
    length = putBytes(begin(ValueKind.DELETION, key.remaining(), 0), key);
    return counted(1);
  }

  @Override
  public EncodedBatch expect(byte[] key, byte @Nullable [] value) {
    add(Expectation.of(key, value));
    return this;
  }

  private void add(Expectation expectation) {
    List<Expectation> list = expectations;
    if (list == null) {
      list = new ArrayList<>();
      expectations = list;
    }
    list.add(expectation);
  }

  @Override
  public EncodedBatch setSavePoint() {
    Deque<SavePoint> stack = savePoints;
    if (stack == null) {
      stack = new ArrayDeque<>();
      savePoints = stack;
    }
    stack.push(new SavePoint(length, count, expectationCount()));
    return this;
  }

  @Override
  public EncodedBatch rollbackToSavePoint() {
    SavePoint last = takeSavePoint();
    List<Expectation> list = expectations;
    if (list != null) {
      list.subList(last.expectations(), list.size()).clear();
    }
    length = last.length();
    count = last.count();
    return this;
  }

  @Override
  public EncodedBatch popSavePoint() {
    takeSavePoint();
    return this;
  }

  private SavePoint takeSavePoint() {
    Deque<SavePoint> stack = savePoints;
    if (stack == null || stack.isEmpty()) {
      throw new IllegalStateException("the batch has no save point");
    }
    return stack.pop();
  }

  private int begin(ValueKind kind, int keyLength, int valueLength) {
    InternalKey.requireWritable(keyLength);
    reserve(1L + 2 * Varint.MAX_32 + keyLength + valueLength);
    bytes[length] = kind.code();
    return length + 1;
  }

  private int putBytes(int offset, byte[] source) {
    int at = Varint.put32(bytes, offset, source.length);
    System.arraycopy(source, 0, bytes, at, source.length);
    return at + source.length;
  }

  private int putBytes(int offset, ByteBuffer source) {
    int size = source.remaining();
    int at = Varint.put32(bytes, offset, size);
    PENDING_FAULT.copyKeyOrValue(source, ByteBuffer.wrap(bytes), at);
    return at + size;
  }

  private EncodedBatch counted(int operations) {
    count += operations;
    return this;
  }

  private void reserve(long more) {
    long needed = length + more;
    if (needed > Integer.MAX_VALUE - 8) {
      throw new IllegalArgumentException(
          "batch would hold " + needed + " bytes: write it in parts below 2 GiB");
    }
    if (needed > bytes.length) {
      long doubled = Math.min(2L * bytes.length, Integer.MAX_VALUE - 8);
      bytes = Arrays.copyOf(bytes, (int) Math.max(needed, doubled));
    }
  }

  @Override
  public EncodedBatch append(BatchOperations other) {
    shareStoreOf(Objects.requireNonNull(other, "other"));
    if (!(other instanceof EncodedBatch source)) {
      EncodedBatch copy = new EncodedBatch(); // the other one may be a view of this batch
      other.iterate(new Copier(copy));
      return append(copy);
    }
    int size = source.length - HEADER;
    int operations = source.count;
    reserve(size);
    System.arraycopy(source.bytes, HEADER, bytes, length, size);
    length += size;
    List.copyOf(source.expectations()).forEach(this::add);
    return counted(operations);
  }

  /** Belongs to what the other batch belongs to, or throws if it belongs to something else. */
  private void shareStoreOf(BatchOperations other) {
    KeyValueStore owner = other.store();
    if (store == null) {
      store = owner;
    } else if (owner != null && !isOfStore(owner)) {
      throw new IllegalArgumentException(
          "the other batch belongs to "
              + owner
              + " and not to "
              + store
              + ": append it to a view of this batch, which the method within of its owner makes");
    }
  }

  /** Returns true if the operations on {@code owner} are as those on the store of this batch. */
  private boolean isOfStore(KeyValueStore owner) {
    return owner.equals(store) || (store instanceof DB && owner instanceof DB);
  }

  @Override
  public @Nullable KeyValueStore store() {
    return store;
  }

  @Override
  public void belongTo(KeyValueStore owner) {
    Objects.requireNonNull(owner, "store");
    if (store != null && !isOfStore(owner)) {
      throw new IllegalStateException("the batch belongs to " + store + " and not to " + owner);
    }
    store = owner;
  }

  @Override
  public EncodedBatch clear() {
    store = null;
    length = HEADER;
    count = 0;
    expectations = null;
    savePoints = null;
    return this;
  }

  @Override
  public int count() {
    return count;
  }

  @Override
  public int expectationCount() {
    return expectations().size();
  }

  /** Returns the expectations; not a copy. */
  public List<Expectation> expectations() {
    List<Expectation> list = expectations;
    return list == null ? List.of() : list;
  }

  @Override
  public long approximateSize() {
    return length;
  }

  /** Returns the array that holds the operations from {@link #HEADER} to length; not a copy. */
  public byte[] bytes() {
    return bytes;
  }

  /** Returns the encoding's length. */
  public int length() {
    return length;
  }

  @Override
  public void iterate(OperationHandler handler) {
    Objects.requireNonNull(handler, "handler");
    ByteBuffer view = ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN);
    BatchCursor operations = new BatchCursor();
    operations.start(view, HEADER, length - HEADER);
    BufferSlice key = new BufferSlice();
    BufferSlice value = new BufferSlice();
    try {
      for (Expectation each : expectations()) {
        point(key, ByteBuffer.wrap(each.key()).order(ByteOrder.LITTLE_ENDIAN));
        ByteBuffer expected = each.value();
        if (expected != null) {
          point(value, expected);
        }
        handler.expect(key, expected == null ? null : value);
      }
      while (operations.next()) {
        key.point(view, operations.keyOffset(), operations.keyLength());
        if (operations.kind() == ValueKind.VALUE) {
          value.point(view, operations.valueOffset(), operations.valueLength());
          handler.put(key, value);
        } else {
          handler.delete(key);
        }
      }
    } finally {
      key.revoke();
      value.revoke();
    }
  }

  private static void point(BufferSlice slice, ByteBuffer bytes) {
    slice.point(bytes, 0, bytes.capacity());
  }

  /** Adds the operations of a batch of another class to this one. */
  private record Copier(EncodedBatch target) implements OperationHandler {
    @Override
    public void put(Slice key, Slice value) {
      target.put(key.toByteArray(), value.toByteArray());
    }

    @Override
    public void delete(Slice key) {
      target.delete(key.toByteArray());
    }

    @Override
    public void expect(Slice key, @Nullable Slice value) {
      target.expect(key.toByteArray(), value == null ? null : value.toByteArray());
    }
  }

  @Override
  public String toString() {
    return "WriteBatch[" + count + " operations, " + length + " bytes]";
  }
}
