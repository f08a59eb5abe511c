package dev.kv.infinispan;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.kv.bytes.Slice;
import java.util.Arrays;
import org.infinispan.commons.io.ByteBuffer;
import org.infinispan.commons.io.ByteBufferFactoryImpl;
import org.infinispan.commons.io.ByteBufferImpl;
import org.infinispan.marshall.persistence.impl.MarshalledEntryFactoryImpl;
import org.infinispan.persistence.spi.MarshallableEntry;
import org.infinispan.persistence.spi.MarshallableEntryFactory;
import org.infinispan.persistence.spi.PersistenceException;
import org.junit.jupiter.api.Test;

class EntryFormatTest {
  private static final ByteBuffer KEY = bytes(1, 2, 3);

  @SuppressWarnings("unchecked")
  private final MarshallableEntryFactory<Object, Object> entries = new MarshalledEntryFactoryImpl();

  private static ByteBuffer bytes(int... values) {
    byte[] bytes = new byte[values.length];
    for (int i = 0; i < values.length; i++) {
      bytes[i] = (byte) values[i];
    }
    return ByteBufferImpl.create(bytes);
  }

  private MarshallableEntry<Object, Object> decode(byte[] encoded, boolean withValue) {
    return EntryFormat.decode(KEY, encoded, withValue, entries, new ByteBufferFactoryImpl());
  }

  private void expectSame(MarshallableEntry<?, ?> entry, long expiry) {
    byte[] encoded = EntryFormat.encode(entry, expiry);
    assertThat(EntryFormat.expiry(Slice.of(encoded))).isEqualTo(expiry);
    MarshallableEntry<Object, Object> decoded = decode(encoded, true);
    assertThat(decoded.getKeyBytes()).isEqualTo(KEY);
    assertThat(decoded.getValueBytes()).isEqualTo(entry.getValueBytes());
    assertThat(decoded.getMetadataBytes()).isEqualTo(entry.getMetadataBytes());
    assertThat(decoded.getInternalMetadataBytes()).isEqualTo(entry.getInternalMetadataBytes());
    assertThat(decoded.created()).isEqualTo(entry.created());
    assertThat(decoded.lastUsed()).isEqualTo(entry.lastUsed());
    assertThat(decode(encoded, false).getValueBytes()).isNull();
  }

  @Test
  void decode_ofEncode_isTheSame() {
    expectSame(entries.create(KEY, bytes(7)), EntryFormat.NEVER);
    expectSame(entries.create(KEY, bytes()), EntryFormat.NEVER);
    expectSame(entries.create(KEY, bytes(7), bytes(8, 9), null, 5, 6), 100);
    expectSame(entries.create(KEY, bytes(7), null, bytes(1), -1, -1), EntryFormat.NEVER);
    expectSame(entries.create(KEY, bytes(7), bytes(), bytes(1, 2), -1, 12), Long.MAX_VALUE);
  }

  @Test
  void decode_ofTruncatedBytes_throws() {
    byte[] encoded =
        EntryFormat.encode(entries.create(KEY, bytes(), bytes(8, 9), bytes(1), 5, 6), 100);
    for (int length = 0; length < encoded.length; length++) {
      byte[] truncated = Arrays.copyOf(encoded, length);
      assertThatThrownBy(() -> decode(truncated, true))
          .as("%d bytes", length)
          .isInstanceOf(PersistenceException.class);
    }
  }

  @Test
  void decode_ofOtherFlags_throws() {
    assertThatThrownBy(() -> decode(new byte[] {32}, true))
        .isInstanceOf(PersistenceException.class);
  }

  @Test
  void keys_ofEntryAndIndex_areInTheRangeOfTheirSegment() {
    byte[] entryKey = EntryFormat.entryKey(258, KEY);
    byte[] indexKey = EntryFormat.indexKey(entryKey, 77);
    assertThat(EntryFormat.entryKey(indexKey)).isEqualTo(entryKey);
    assertThat(EntryFormat.indexedExpiry(Slice.of(indexKey))).isEqualTo(77);
    assertThat(EntryFormat.isIndex(Slice.of(entryKey))).isFalse();
    assertThat(EntryFormat.isIndex(Slice.of(indexKey))).isTrue();
    for (byte[] key : new byte[][] {entryKey, indexKey}) {
      assertThat(EntryFormat.segment(Slice.of(key))).isEqualTo(258);
      assertThat(Arrays.compareUnsigned(key, EntryFormat.segmentStart(258))).isPositive();
      assertThat(Arrays.compareUnsigned(key, EntryFormat.segmentStart(259))).isNegative();
    }
    assertThat(Arrays.compareUnsigned(entryKey, EntryFormat.indexStart(258))).isNegative();
    assertThat(Arrays.compareUnsigned(indexKey, EntryFormat.indexStart(258))).isPositive();
  }
}
