package dev.kv.core.table;

import dev.kv.core.cache.CacheHandle;
import dev.kv.core.table.cache.TableFile;
import dev.kv.env.RandomAccessFile;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.ClosedChannelException;
import java.util.concurrent.atomic.AtomicBoolean;

/** The bytes of an open table, which stay readable after the file was deleted. Thread-safe. */
final class RawTable implements RandomAccessFile {
  private final CacheHandle<Table> table;
  private final TableFile file;
  private final AtomicBoolean closed = new AtomicBoolean();

  /** Takes ownership of the pin. */
  RawTable(CacheHandle<Table> table) {
    this.table = table;
    this.file = table.value().file();
  }

  @Override
  public int read(long position, ByteBuffer into, int offset, int length) throws IOException {
    if (closed.get()) {
      throw new ClosedChannelException();
    }
    int count = (int) Math.max(0, Math.min(length, file.size() - position));
    file.read(position, into, offset, count);
    return count;
  }

  @Override
  public long size() {
    return file.size();
  }

  @Override
  public long mappedBytes() {
    return 0;
  }

  @Override
  public void close() {
    if (closed.compareAndSet(false, true)) {
      table.close();
    }
  }
}
