package dev.kv.jmh.adapter;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.lmdbjava.DbiFlags.MDB_CREATE;
import static org.lmdbjava.EnvFlags.MDB_NOMEMINIT;
import static org.lmdbjava.EnvFlags.MDB_NORDAHEAD;
import static org.lmdbjava.EnvFlags.MDB_NOSYNC;
import static org.lmdbjava.EnvFlags.MDB_NOTLS;
import static org.lmdbjava.EnvFlags.MDB_WRITEMAP;

import dev.kv.jmh.store.ByteSum;
import dev.kv.jmh.store.Cursor;
import dev.kv.jmh.store.Cursors;
import dev.kv.jmh.store.Reader;
import dev.kv.jmh.store.Store;
import dev.kv.jmh.store.StoreSettings;
import dev.kv.jmh.store.Writer;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import org.lmdbjava.Dbi;
import org.lmdbjava.Env;
import org.lmdbjava.Txn;

/**
 * LMDB through lmdbjava, with a writable map. A write is a transaction, which the operating system
 * writes out later unless it is synced. LMDB does not compress, and the page cache of the operating
 * system is its only cache.
 */
final class LmdbStore implements Store {
  private static final int PAGE_BYTES = 4096;
  private static final long SLACK_BYTES = 1L << 30;

  private final Env<ByteBuffer> env;
  private final Dbi<ByteBuffer> dbi;

  private LmdbStore(Env<ByteBuffer> env, Dbi<ByteBuffer> dbi) {
    this.env = env;
    this.dbi = dbi;
  }

  /** The map has room for half-full pages, and for pages that a transaction copies. */
  static Store open(Path directory, StoreSettings settings) {
    Env<ByteBuffer> env =
        Env.create()
            .setMapSize(settings.dataBytes() * 4 + SLACK_BYTES)
            .setMaxDbs(1)
            .open(
                directory.toFile(),
                MDB_WRITEMAP,
                MDB_NOSYNC,
                MDB_NOTLS,
                MDB_NORDAHEAD,
                MDB_NOMEMINIT);
    return new LmdbStore(env, env.openDbi("kv".getBytes(UTF_8), MDB_CREATE));
  }

  @Override
  public Writer writer(boolean sync) {
    return new LmdbWriter(env, dbi, sync);
  }

  @Override
  public Writer batchWriter(boolean sync) {
    return new LmdbBatchWriter(env, dbi, sync);
  }

  @Override
  public Reader reader() {
    return new LmdbReader(env, dbi);
  }

  @Override
  public Cursor cursor() {
    Txn<ByteBuffer> txn = env.txnRead();
    org.lmdbjava.Cursor<ByteBuffer> cursor = dbi.openCursor(txn);
    return new LmdbCursor(
        cursor,
        () -> {
          cursor.close();
          txn.close();
        });
  }

  @Override
  public Cursors cursors() {
    return new LmdbCursors(env, dbi);
  }

  @Override
  public void compact() {
    throw new UnsupportedOperationException("there is nothing to compact in place");
  }

  /** Counts the pages in use, since the file has the size of the map and is mostly a hole. */
  @Override
  public long diskBytes() {
    return (env.info().lastPageNumber + 1) * PAGE_BYTES;
  }

  @Override
  public void close() {
    env.close();
  }

  /** The direct buffers for keys and values. */
  private static final class Buffers {
    private final ByteBuffer key = ByteBuffer.allocateDirect(512);
    private ByteBuffer value = ByteBuffer.allocateDirect(4096);

    ByteBuffer key(byte[] bytes) {
      return key.clear().put(bytes).flip();
    }

    ByteBuffer value(byte[] bytes) {
      if (bytes.length > value.capacity()) {
        value = ByteBuffer.allocateDirect(bytes.length);
      }
      return value.clear().put(bytes).flip();
    }
  }

  private static final class LmdbWriter implements Writer {
    private final Env<ByteBuffer> env;
    private final Dbi<ByteBuffer> dbi;
    private final boolean sync;
    private final Buffers buffers = new Buffers();

    LmdbWriter(Env<ByteBuffer> env, Dbi<ByteBuffer> dbi, boolean sync) {
      this.env = env;
      this.dbi = dbi;
      this.sync = sync;
    }

    @Override
    public void put(byte[] key, byte[] value) {
      dbi.put(buffers.key(key), buffers.value(value));
      sync();
    }

    @Override
    public void delete(byte[] key) {
      dbi.delete(buffers.key(key));
      sync();
    }

    private void sync() {
      if (sync) {
        env.sync(true);
      }
    }
  }

  /** Holds a transaction from the first operation to the commit. */
  private static final class LmdbBatchWriter implements Writer {
    private final Env<ByteBuffer> env;
    private final Dbi<ByteBuffer> dbi;
    private final boolean sync;
    private final Buffers buffers = new Buffers();
    private Txn<ByteBuffer> txn;

    LmdbBatchWriter(Env<ByteBuffer> env, Dbi<ByteBuffer> dbi, boolean sync) {
      this.env = env;
      this.dbi = dbi;
      this.sync = sync;
      txn = env.txnWrite();
    }

    @Override
    public void put(byte[] key, byte[] value) {
      dbi.put(txn, buffers.key(key), buffers.value(value));
    }

    @Override
    public void delete(byte[] key) {
      dbi.delete(txn, buffers.key(key));
    }

    @Override
    public void commit() {
      txn.commit();
      txn.close();
      if (sync) {
        env.sync(true);
      }
      txn = env.txnWrite();
    }

    @Override
    public void close() {
      txn.close();
    }
  }

  /**
   * Reads in a transaction that is renewed at intervals, so that it does not hold pages forever.
   */
  private static final class LmdbReader extends SummingReader {
    private static final int GETS_PER_TXN = 1024;

    private final Dbi<ByteBuffer> dbi;
    private final Txn<ByteBuffer> txn;
    private final Buffers buffers = new Buffers();
    private int gets;

    LmdbReader(Env<ByteBuffer> env, Dbi<ByteBuffer> dbi) {
      this.dbi = dbi;
      txn = env.txnRead();
    }

    @Override
    public int get(byte[] key) {
      if (++gets % GETS_PER_TXN == 0) {
        refresh();
      }
      ByteBuffer value = dbi.get(txn, buffers.key(key));
      if (value == null) {
        return MISSING;
      }
      consume(ByteSum.of(value));
      return value.remaining();
    }

    @Override
    public void refresh() {
      txn.reset();
      txn.renew();
    }

    @Override
    public void close() {
      super.close();
      txn.close();
    }
  }
}
