package dev.kv.load;

/**
 * What loads many entries at once; see {@link dev.kv.KeyValueStore#loads}. Thread-safe. Programs do
 * not implement this interface: later versions may add methods.
 */
public interface BulkLoads {
  /**
   * Begins a bulk load of entries whose keys ascend.
   *
   * @return a loader, which the caller closes
   * @throws IllegalStateException if the database was opened with {@link
   *     dev.kv.Options#logRetention}
   * @see #bulkLoader(BulkLoadOptions)
   */
  default BulkLoader bulkLoader() {
    return bulkLoader(BulkLoadOptions.DEFAULT);
  }

  /**
   * Begins a bulk load: many entries that go into tables directly, and appear together.
   *
   * @param options how to load
   * @return a loader, which the caller closes
   * @throws IllegalStateException if the database was opened with {@link
   *     dev.kv.Options#logRetention}
   */
  BulkLoader bulkLoader(BulkLoadOptions options);
}
