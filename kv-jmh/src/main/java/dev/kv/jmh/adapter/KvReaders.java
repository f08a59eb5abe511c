package dev.kv.jmh.adapter;

import dev.kv.DB;
import dev.kv.ReadOptions;
import dev.kv.bytes.ValueReader;
import dev.kv.jmh.store.ByteSum;
import dev.kv.jmh.store.Reader;
import dev.kv.jmh.store.StoreSettings;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/** The three ways in which kv returns a value. */
final class KvReaders {
  private static final int BUFFER_BYTES = 1 << 20;

  private KvReaders() {}

  static Reader of(DB db, StoreSettings.ReadAccess access) {
    return switch (access) {
      case ARRAY -> new ArrayReader(db);
      case BUFFER -> new BufferReader(db);
      case BORROWED -> new BorrowedReader(db);
    };
  }

  private record ArrayReader(DB db) implements Reader {
    @Override
    public int get(byte[] key) {
      byte[] value = db.get(key);
      return value == null ? MISSING : value.length;
    }
  }

  private static final class BufferReader implements Reader {
    private final DB db;
    private final ByteBuffer value =
        ByteBuffer.allocateDirect(BUFFER_BYTES).order(ByteOrder.LITTLE_ENDIAN);
    private final ByteBuffer keyBuffer = ByteBuffer.allocateDirect(1024);

    BufferReader(DB db) {
      this.db = db;
    }

    @Override
    public int get(byte[] key) {
      keyBuffer.clear().put(key).flip();
      value.clear();
      int length = db.get(ReadOptions.DEFAULT, keyBuffer, value);
      return length == DB.NOT_FOUND ? MISSING : length;
    }
  }

  private static final class BorrowedReader extends SummingReader {
    private final DB db;
    private int length;
    private final ValueReader<Boolean> summing =
        slice -> {
          consume(ByteSum.of(slice));
          length = slice.length();
          return Boolean.TRUE;
        };

    BorrowedReader(DB db) {
      this.db = db;
    }

    @Override
    public int get(byte[] key) {
      return db.read(ReadOptions.DEFAULT, key, summing) == null ? MISSING : length;
    }
  }
}
