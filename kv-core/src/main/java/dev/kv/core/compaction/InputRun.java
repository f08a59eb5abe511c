package dev.kv.core.compaction;

import dev.kv.core.iterator.InternalIterator;
import dev.kv.core.iterator.IteratorSource;
import dev.kv.core.key.InternalKeyComparator;
import dev.kv.core.version.FileMetadata;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.function.Function;

/** A sorted run of input tables that do not overlap. They are opened one at a time. */
final class InputRun implements IteratorSource {
  private final InternalKeyComparator comparator;
  private final List<FileMetadata> files;
  private final Function<FileMetadata, InternalIterator> tables;

  InputRun(
      InternalKeyComparator comparator,
      List<FileMetadata> files,
      Function<FileMetadata, InternalIterator> tables) {
    this.comparator = comparator;
    this.files = files;
    this.tables = tables;
  }

  @Override
  public int count() {
    return files.size();
  }

  @Override
  public int find(ByteBuffer key, int offset, int length) {
    int index = 0;
    while (index < files.size()
        && comparator.compare(key, offset, length, files.get(index).largest()) > 0) {
      index++;
    }
    return index;
  }

  @Override
  public InternalIterator open(int index) {
    return tables.apply(files.get(index));
  }
}
