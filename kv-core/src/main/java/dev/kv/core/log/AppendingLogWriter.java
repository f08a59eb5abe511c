package dev.kv.core.log;

import dev.kv.core.memory.DirectMemory;
import dev.kv.env.WritableFile;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;

/** A log writer that appends to a file, with one write per block and one flush per record. */
final class AppendingLogWriter extends LogWriter {
  private final WritableFile file;

  /** One block: a trailer of up to 6 zeros, or a header and its payload. */
  private final ByteBuffer block = DirectMemory.allocate(LogFormat.BLOCK);

  AppendingLogWriter(Path name, WritableFile file, long initialLength) {
    super(name, initialLength);
    this.file = file;
  }

  @Override
  void write(long header, ByteBuffer record, int off, int len) throws IOException {
    pad((int) (header - length()));
    int fragments = LogFormat.fragments(header, len);
    long at = header;
    int from = off;
    int left = len;
    for (int i = 0; i < fragments; i++) {
      int count = Math.min(left, LogFormat.leftInBlock(at) - LogFormat.HEADER);
      block.clear();
      putHeader(block, 0, type(i == 0, i == fragments - 1), record, from, count);
      block.put(LogFormat.HEADER, record, from, count);
      file.append(block.limit(LogFormat.HEADER + count).position(0));
      from += count;
      left -= count;
      at += LogFormat.HEADER + count;
    }
    file.flush();
  }

  private void pad(int count) throws IOException {
    if (count > 0) {
      block.clear().putInt(0, 0).putShort(4, (short) 0);
      file.append(block.limit(count).position(0));
    }
  }

  @Override
  void sync(long from, long to) throws IOException {
    file.sync();
  }

  @Override
  public void close() throws IOException {
    file.close();
  }
}
