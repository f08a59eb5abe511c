package org.iq80.leveldb.impl;

import dev.kv.iq80.KvDB;
import java.io.File;
import java.io.IOException;
import org.iq80.leveldb.Options;
import org.iq80.leveldb.Range;
import org.iq80.leveldb.util.Slice;

/**
 * kv under the name of iq80's database, which DbImplTest opens without its factory. Has what that
 * test calls beside the interface, as far as kv's API offers it.
 */
public class DbImpl extends KvDB {
  public DbImpl(Options options, File directory) throws IOException {
    super((KvDB) Iq80DBFactory.factory.open(directory, options));
  }

  @Override
  public SeekingIteratorAdapter iterator() {
    return new SeekingIteratorAdapter(super.iterator());
  }

  public void flushMemTable() {
    unwrap().admin().flush();
  }

  /** Compacts on all levels: which ones there are is the database's affair. */
  public void compactRange(int level, Slice begin, Slice end) {
    compactRange(begin.getBytes(), end.getBytes());
  }

  public int numberOfFilesInLevel(int level) {
    return Integer.parseInt(getProperty("leveldb.num-files-at-level" + level).trim());
  }

  public long getApproximateSizes(Range range) {
    return getApproximateSizes(new Range[] {range})[0];
  }

  public long getMaxNextLevelOverlappingBytes() {
    throw new UnsupportedOperationException("no part of the API");
  }

  public SeekingIterable<InternalKey, Slice> internalIterable() {
    throw new UnsupportedOperationException("no part of the API");
  }
}
