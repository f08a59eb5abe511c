package dev.kv.infinispan;

import dev.kv.DBIterator;
import dev.kv.WriteBatch;
import dev.kv.bytes.Slice;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Deletes the entries that had expired at a time, with the help of the index. It reads the part of
 * the index up to that time, in each segment. Not thread-safe; close it.
 *
 * <p>An entry of the index is deleted with its entry if that has the same expiry. If the entry has
 * another one, or is deleted, it is deleted alone. Each of these writes has the condition that the
 * entry is still the one that was read, so an entry that is written meanwhile stays, with its
 * index.
 */
final class ExpirationScan implements AutoCloseable {
  /** Entries that are deleted with one write. */
  private static final int CHUNK = 64;

  private final StoreDatabase database;
  private final DBIterator cursor;
  private final long now;

  /** The segment whose index the cursor is in. */
  private int segment = -1;

  /** Creates a scan before its first entry. */
  ExpirationScan(StoreDatabase database, long now) {
    this.database = database;
    this.now = now;
    cursor = database.cursor();
  }

  /** An entry that was deleted, with the bytes of its key and value. */
  record Expired(byte[] entryKey, byte[] value) {}

  /** Deletes some entries, and returns those, or returns null at the end. */
  @Nullable List<Expired> next() {
    List<byte[]> chunk = nextKeys();
    if (chunk.isEmpty()) {
      return null;
    }
    List<byte[]> entryKeys = new ArrayList<>(chunk.size());
    chunk.forEach(indexKey -> entryKeys.add(EntryFormat.entryKey(indexKey)));
    List<byte @Nullable []> values = database.db().getAll(entryKeys);
    List<Expired> expired = new ArrayList<>(chunk.size());
    WriteBatch batch = WriteBatch.create();
    for (int i = 0; i < chunk.size(); i++) {
      if (addTo(batch, chunk.get(i), entryKeys.get(i), values.get(i))) {
        expired.add(new Expired(entryKeys.get(i), values.get(i)));
      }
    }
    if (!database.tryWrite(batch)) {
      expired.clear();
      for (int i = 0; i < chunk.size(); i++) {
        WriteBatch one = WriteBatch.create();
        boolean deletes = addTo(one, chunk.get(i), entryKeys.get(i), values.get(i));
        if (database.tryWrite(one) && deletes) {
          expired.add(new Expired(entryKeys.get(i), values.get(i)));
        }
      }
    }
    return expired;
  }

  /** Returns true if the entry is deleted too. */
  private static boolean addTo(
      WriteBatch batch, byte[] indexKey, byte[] entryKey, byte @Nullable [] value) {
    batch.expect(entryKey, value).delete(indexKey);
    if (value == null
        || EntryFormat.expiry(Slice.of(value)) != EntryFormat.indexedExpiry(Slice.of(indexKey))) {
      return false;
    }
    batch.delete(entryKey);
    return true;
  }

  /** Returns the next keys of the index, or none at the end. */
  private List<byte[]> nextKeys() {
    List<byte[]> keys = new ArrayList<>();
    if (!cursor.isPlaced()) {
      cursor.seekToFirst();
    }
    while (cursor.isValid() && keys.size() < CHUNK) {
      byte[] indexKey = cursor.key(); // a close of the database may end a slice at any moment
      Slice key = Slice.of(indexKey);
      if (EntryFormat.segment(key) != segment) {
        segment = EntryFormat.segment(key);
        if (!EntryFormat.isIndex(key)) {
          cursor.seek(EntryFormat.indexStart(segment));
        }
      } else if (EntryFormat.indexedExpiry(key) > now) {
        cursor.seek(EntryFormat.segmentStart(segment + 1));
      } else {
        keys.add(indexKey);
        cursor.next();
      }
    }
    return keys;
  }

  @Override
  public void close() {
    cursor.close();
  }
}
