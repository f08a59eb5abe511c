package dev.kv.jmh.adapter;

import dev.kv.jmh.store.ByteSum;
import dev.kv.jmh.store.Cursor;
import dev.kv.jmh.store.OpMeter;
import java.nio.ByteBuffer;
import java.util.zip.CRC32;
import org.lmdbjava.GetOp;

/** A cursor of LMDB; keys and values are views of the map. */
final class LmdbCursor implements Cursor {
  private final org.lmdbjava.Cursor<ByteBuffer> cursor;
  private final Runnable onClose;
  private final ByteBuffer target = ByteBuffer.allocateDirect(512);

  /** Creates a cursor whose close runs {@code onClose}. */
  LmdbCursor(org.lmdbjava.Cursor<ByteBuffer> cursor, Runnable onClose) {
    this.cursor = cursor;
    this.onClose = onClose;
  }

  @Override
  public void scanForward(long limit, OpMeter meter) {
    boolean valid = cursor.first();
    for (long i = 0; i < limit && valid; i++) {
      readEntry(meter);
      meter.tick();
      valid = cursor.next();
    }
  }

  @Override
  public int read(byte[] key, int limit, OpMeter meter) {
    boolean valid = cursor.get(target.clear().put(key).flip(), GetOp.MDB_SET_RANGE);
    int count = 0;
    while (count < limit && valid) {
      readEntry(meter);
      valid = cursor.next();
      count++;
    }
    return count;
  }

  @Override
  public void scanBackward(long limit, OpMeter meter) {
    boolean valid = cursor.last();
    for (long i = 0; i < limit && valid; i++) {
      readEntry(meter);
      meter.tick();
      valid = cursor.prev();
    }
  }

  @Override
  public void checksum(long limit, CRC32 checksum, OpMeter meter) {
    boolean valid = cursor.first();
    for (long i = 0; i < limit && valid; i++) {
      checksum.update(cursor.key());
      checksum.update(cursor.val());
      meter.tick();
      valid = cursor.next();
    }
  }

  private void readEntry(OpMeter meter) {
    ByteBuffer key = cursor.key();
    ByteBuffer value = cursor.val();
    meter.consume(ByteSum.of(key) + ByteSum.of(value));
    meter.addBytes(key.remaining() + (long) value.remaining());
  }

  @Override
  public boolean seek(byte[] key) {
    target.clear().put(key).flip();
    return cursor.get(target, GetOp.MDB_SET_RANGE) && cursor.key().equals(target);
  }

  @Override
  public void close() {
    onClose.run();
  }
}
