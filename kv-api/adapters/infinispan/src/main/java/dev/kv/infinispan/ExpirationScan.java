package dev.kv.infinispan;

import com.google.errorprone.annotations.CanIgnoreReturnValue;
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

  /** With so many bytes of keys and values, a chunk is full: the heap has them twice. */
  private static final int CHUNK_BYTES = 1 << 20;

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

  /** A key of the index, with the value of its entry. */
  private record Indexed(byte[] indexKey, byte[] entryKey, byte @Nullable [] value) {
    /** Returns the entry if it has the expiry of the index, or null. */
    @Nullable Expired expired() {
      return value != null
              && EntryFormat.expiry(Slice.of(value))
                  == EntryFormat.indexedExpiry(Slice.of(indexKey))
          ? new Expired(entryKey, value)
          : null;
    }

    @CanIgnoreReturnValue
    WriteBatch addTo(WriteBatch batch) {
      batch.expect(entryKey, value).delete(indexKey);
      return expired() == null ? batch : batch.delete(entryKey);
    }
  }

  /** Deletes some entries, and returns those, or returns null at the end. */
  @Nullable List<Expired> next() {
    List<Indexed> chunk = nextChunk();
    if (chunk.isEmpty()) {
      return null;
    }
    WriteBatch batch = WriteBatch.create();
    chunk.forEach(each -> each.addTo(batch));
    boolean written = database.tryWrite(batch);
    List<Expired> deleted = new ArrayList<>(chunk.size());
    for (Indexed each : chunk) {
      Expired expired = each.expired();
      if ((written || database.tryWrite(each.addTo(WriteBatch.create()))) && expired != null) {
        deleted.add(expired);
      }
    }
    return deleted;
  }

  /** Returns the next keys of the index, or none at the end. */
  private List<Indexed> nextChunk() {
    List<Indexed> chunk = new ArrayList<>();
    long bytes = 0;
    if (!cursor.isPlaced()) {
      cursor.seekToFirst();
    }
    while (cursor.isValid() && chunk.size() < CHUNK && bytes < CHUNK_BYTES) {
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
        byte[] entryKey = EntryFormat.entryKey(indexKey);
        byte[] value = database.db().get(entryKey);
        chunk.add(new Indexed(indexKey, entryKey, value));
        bytes += indexKey.length + (value == null ? 0 : value.length);
        cursor.next();
      }
    }
    return chunk;
  }

  @Override
  public void close() {
    cursor.close();
  }
}
