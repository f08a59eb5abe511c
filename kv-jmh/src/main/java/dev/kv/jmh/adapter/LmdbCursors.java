package dev.kv.jmh.adapter;

import dev.kv.jmh.store.Cursor;
import dev.kv.jmh.store.Cursors;
import java.nio.ByteBuffer;
import org.lmdbjava.Dbi;
import org.lmdbjava.Env;
import org.lmdbjava.Txn;

/**
 * One cursor of LMDB, in a transaction of its own, that is opened again and again. While it is not
 * open, the transaction is reset, so that it holds no pages; each open renews both, and shows what
 * was written before it.
 */
final class LmdbCursors implements Cursors {
  private final Txn<ByteBuffer> txn;
  private final org.lmdbjava.Cursor<ByteBuffer> cursor;
  private final LmdbCursor entries;

  LmdbCursors(Env<ByteBuffer> env, Dbi<ByteBuffer> dbi) {
    txn = env.txnRead();
    cursor = dbi.openCursor(txn);
    entries = new LmdbCursor(cursor, txn::reset);
    txn.reset();
  }

  @Override
  public Cursor open() {
    txn.renew();
    cursor.renew(txn);
    return entries;
  }

  /** Renews the transaction once more, because the close of one that is reset frees nothing. */
  @Override
  public void close() {
    cursor.close();
    txn.renew();
    txn.close();
  }
}
