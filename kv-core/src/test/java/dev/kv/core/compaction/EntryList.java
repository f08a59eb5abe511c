package dev.kv.core.compaction;

import static dev.kv.core.Bytes.bytes;
import static dev.kv.core.Bytes.direct;

import dev.kv.core.iterator.InternalIterator;
import dev.kv.core.version.VersionText;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;

/**
 * A cursor over entries given as text, {@code key@sequence value}; it reuses one buffer, as tables
 * do.
 */
final class EntryList extends InternalIterator {
  private final List<byte[]> keys = new ArrayList<>();
  private final List<byte[]> values = new ArrayList<>();
  private final ByteBuffer memory = direct(new byte[1 << 12]);
  private int at = -1;
  private boolean closed;

  EntryList(List<String> lines) {
    for (String line : lines) {
      String[] words = line.split(" +");
      keys.add(VersionText.key(words[0]));
      values.add(bytes(words.length > 1 ? words[1] : ""));
    }
  }

  /** Adds an entry behind the others. */
  void add(byte[] internalKey, byte[] value) {
    keys.add(internalKey);
    values.add(value);
  }

  boolean isClosed() {
    return closed;
  }

  @Override
  public void seekToFirst() {
    at = 0;
    show();
  }

  @Override
  public void seekToLast() {
    at = keys.size() - 1;
    show();
  }

  @Override
  public void seek(ByteBuffer key, int offset, int length) {
    at = 0;
    while (at < keys.size()
        && VersionText.COMPARATOR.compare(key, offset, length, keys.get(at)) > 0) {
      at++;
    }
    show();
  }

  @Override
  public void next() {
    at++;
    show();
  }

  @Override
  public void prev() {
    at--;
    show();
  }

  private void show() {
    valid = at >= 0 && at < keys.size();
    if (valid) {
      keyBuffer = memory;
      keyOffset = 3;
      keyLength = keys.get(at).length;
      memory.put(3, keys.get(at));
      valueBuffer = memory;
      valueOffset = 3 + keyLength + 5;
      valueLength = values.get(at).length;
      memory.put(valueOffset, values.get(at));
    }
  }

  @Override
  public void close() {
    closed = true;
  }
}
