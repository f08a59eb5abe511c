package dev.kv.infinispan;

import dev.kv.WriteBatch;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.infinispan.commons.io.ByteBuffer;
import org.infinispan.commons.io.ByteBufferFactory;
import org.infinispan.marshall.persistence.PersistenceMarshaller;
import org.infinispan.persistence.spi.InitializationContext;
import org.infinispan.persistence.spi.MarshallableEntry;
import org.infinispan.persistence.spi.MarshallableEntryFactory;
import org.infinispan.persistence.spi.PersistenceException;

/**
 * Translates between the keys and entries of Infinispan and those of the database. Thread-safe.
 *
 * @param <K> the type of the keys
 * @param <V> the type of the values
 */
final class EntryMarshaller<K, V> {
  private final boolean segmented;
  private final PersistenceMarshaller marshaller;
  private final MarshallableEntryFactory<K, V> entries;
  private final ByteBufferFactory buffers;

  /**
   * Creates a marshaller.
   *
   * @param segmented false if all entries are in segment 0 of the database
   */
  EntryMarshaller(InitializationContext ctx, boolean segmented) {
    this.segmented = segmented;
    marshaller = ctx.getPersistenceMarshaller();
    entries = ctx.getMarshallableEntryFactory();
    buffers = ctx.getByteBufferFactory();
  }

  /** Returns the key in the database of an entry of Infinispan. */
  byte[] entryKey(int segment, Object key) {
    return entryKey(segment, marshal(key));
  }

  private byte[] entryKey(int segment, ByteBuffer key) {
    return EntryFormat.entryKey(segmented ? segment : 0, key);
  }

  private ByteBuffer marshal(Object key) {
    try {
      return marshaller.objectToBuffer(key);
    } catch (IOException e) {
      throw new PersistenceException("cannot marshal a key", e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new PersistenceException("interrupted while a key was marshalled", e);
    }
  }

  /** Adds the remove of a key to a batch. */
  void addRemove(WriteBatch batch, int segment, Object key) {
    batch.delete(entryKey(segment, key));
  }

  /** Adds the write of an entry to a batch, and of its key in the index if it expires. */
  void addWrite(WriteBatch batch, int segment, MarshallableEntry<? extends K, ? extends V> entry) {
    byte[] key = entryKey(segment, entry.getKeyBytes());
    long expiry = entry.expiryTime();
    batch.put(key, EntryFormat.encode(entry, expiry));
    if (expiry > 0) {
      batch.put(EntryFormat.indexKey(key, expiry), new byte[0]);
    }
  }

  /** Returns Infinispan's key of the entry that a scan is at. */
  K key(EntryScan scan) {
    return entries.create(buffers.newByteBuffer(scan.key()), (ByteBuffer) null).getKey();
  }

  /** Returns the entry that a scan is at. */
  MarshallableEntry<K, V> entry(EntryScan scan, boolean withValue) {
    return decode(buffers.newByteBuffer(scan.key()), scan.value(), withValue);
  }

  /** Returns the entry of a key of Infinispan, from its value in the database. */
  MarshallableEntry<K, V> entry(Object key, byte[] value) {
    return decode(key, value, true);
  }

  /** Returns entries that were deleted. */
  List<MarshallableEntry<K, V>> entries(List<ExpirationScan.Expired> expired) {
    List<MarshallableEntry<K, V>> decoded = new ArrayList<>(expired.size());
    for (ExpirationScan.Expired entry : expired) {
      byte[] key = entry.entryKey();
      ByteBuffer keyBytes =
          buffers.newByteBuffer(key, EntryFormat.KEY_OFFSET, key.length - EntryFormat.KEY_OFFSET);
      decoded.add(decode(keyBytes, entry.value(), true));
    }
    return decoded;
  }

  private MarshallableEntry<K, V> decode(Object key, byte[] value, boolean withValue) {
    return EntryFormat.decode(key, value, withValue, entries, buffers);
  }
}
