package dev.kv.core.read;

import dev.kv.core.iterator.InternalIterator;
import dev.kv.core.iterator.IteratorSource;
import dev.kv.core.table.TableCache;
import dev.kv.core.version.Version;
import java.nio.ByteBuffer;

/** The sorted tables of one level from 1 on, as the source of a concatenating iterator. */
final class LevelTables implements IteratorSource {
  private final TableCache tables;
  private final Version version;
  private final int level;
  private final boolean verify;
  private final boolean fill;

  LevelTables(TableCache tables, Version version, int level, boolean verify, boolean fill) {
    this.tables = tables;
    this.version = version;
    this.level = level;
    this.verify = verify;
    this.fill = fill;
  }

  @Override
  public int count() {
    return version.fileCount(level);
  }

  @Override
  public int find(ByteBuffer key, int offset, int length) {
    return version.lowerBound(level, key, offset, length);
  }

  @Override
  public InternalIterator open(int index) {
    return tables.iterator(version, level, index, verify, fill);
  }
}
