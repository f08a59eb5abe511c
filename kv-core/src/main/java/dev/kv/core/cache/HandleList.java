package dev.kv.core.cache;

import org.jspecify.annotations.Nullable;

/** A list of entries, the oldest first. Guarded by its shard's lock; an entry is in at most one. */
final class HandleList<V extends CacheValue> {
  private @Nullable CacheHandle<V> oldest;
  private @Nullable CacheHandle<V> newest;

  @Nullable CacheHandle<V> oldest() {
    return oldest;
  }

  /** Adds an entry that is in no list. */
  void addNewest(CacheHandle<V> entry) {
    entry.list = this;
    entry.older = newest;
    entry.newer = null;
    if (newest == null) {
      oldest = entry;
    } else {
      newest.newer = entry;
    }
    newest = entry;
  }

  /** Removes an entry of this list. */
  void remove(CacheHandle<V> entry) {
    CacheHandle<V> older = entry.older;
    CacheHandle<V> newer = entry.newer;
    if (older == null) {
      oldest = newer;
    } else {
      older.newer = newer;
    }
    if (newer == null) {
      newest = older;
    } else {
      newer.older = older;
    }
    entry.list = null;
    entry.older = null;
    entry.newer = null;
  }
}
