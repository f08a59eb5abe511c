package dev.kv.jmh.adapter;

import dev.kv.jmh.store.Cursor;
import dev.kv.jmh.store.OpMeter;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.Arrays;
import java.util.zip.CRC32;
import org.fusesource.leveldbjni.internal.JniDBIterator;
import org.fusesource.leveldbjni.internal.NativeDB;
import org.fusesource.leveldbjni.internal.NativeIterator;
import org.iq80.leveldb.DBIterator;

/**
 * A cursor over leveldbjni's native iterator. The public iterator makes three moves for one step
 * backwards, which does not measure LevelDB. So this class takes the native iterator out of it, and
 * uses it in both directions.
 */
final class LeveldbJniCursor implements Cursor {
  private static final VarHandle NATIVE = nativeIterator();

  private final NativeIterator iterator;

  LeveldbJniCursor(DBIterator iterator) {
    this.iterator = (NativeIterator) NATIVE.get((JniDBIterator) iterator);
  }

  private static VarHandle nativeIterator() {
    try {
      return MethodHandles.privateLookupIn(JniDBIterator.class, MethodHandles.lookup())
          .findVarHandle(JniDBIterator.class, "iterator", NativeIterator.class);
    } catch (ReflectiveOperationException e) {
      throw new LinkageError("leveldbjni's iterator has changed", e);
    }
  }

  @Override
  public void scanForward(long limit, OpMeter meter) {
    try {
      iterator.seekToFirst();
      for (long i = 0; i < limit && iterator.isValid(); i++) {
        readEntry(meter);
        iterator.next();
      }
    } catch (NativeDB.DBException e) {
      throw new IllegalStateException(e);
    }
  }

  @Override
  public void scanBackward(long limit, OpMeter meter) {
    try {
      iterator.seekToLast();
      for (long i = 0; i < limit && iterator.isValid(); i++) {
        readEntry(meter);
        iterator.prev();
      }
    } catch (NativeDB.DBException e) {
      throw new IllegalStateException(e);
    }
  }

  @Override
  public void checksum(long limit, CRC32 checksum, OpMeter meter) {
    try {
      iterator.seekToFirst();
      for (long i = 0; i < limit && iterator.isValid(); i++) {
        checksum.update(iterator.key());
        checksum.update(iterator.value());
        meter.tick();
        iterator.next();
      }
    } catch (NativeDB.DBException e) {
      throw new IllegalStateException(e);
    }
  }

  private void readEntry(OpMeter meter) throws NativeDB.DBException {
    byte[] key = iterator.key();
    byte[] value = iterator.value();
    meter.consumeEntry(key, value);
    meter.tick();
  }

  @Override
  public boolean seek(byte[] key) {
    try {
      iterator.seek(key);
      return iterator.isValid() && Arrays.equals(iterator.key(), key);
    } catch (NativeDB.DBException e) {
      throw new IllegalStateException(e);
    }
  }

  @Override
  public void close() {
    iterator.delete();
  }
}
