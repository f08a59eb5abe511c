package dev.kv.jmh.adapter;

import dev.kv.jmh.store.ByteSum;
import dev.kv.jmh.store.Cursor;
import dev.kv.jmh.store.OpMeter;
import dev.kv.jmh.store.Reader;
import dev.kv.jmh.store.Store;
import dev.kv.jmh.store.StoreDirectory;
import dev.kv.jmh.store.StoreSettings;
import dev.kv.jmh.store.Writer;
import java.nio.file.Path;
import java.util.Arrays;
import jetbrains.exodus.ArrayByteIterable;
import jetbrains.exodus.ByteIterable;
import jetbrains.exodus.env.EnvironmentConfig;
import jetbrains.exodus.env.EnvironmentImpl;
import jetbrains.exodus.env.Environments;
import jetbrains.exodus.env.StoreConfig;
import jetbrains.exodus.env.Transaction;

/** JetBrains Xodus: an append-only log of copy-on-write trees, without compression. */
final class XodusStore implements Store {
  private static final long LEAST_CACHE = 8L << 20;

  private final EnvironmentImpl environment;
  private final jetbrains.exodus.env.Store tree;
  private final Path directory;

  private XodusStore(EnvironmentImpl environment, Path directory) {
    this.environment = environment;
    this.directory = directory;
    tree =
        environment.computeInTransaction(
            txn -> environment.openStore("kv", StoreConfig.WITHOUT_DUPLICATES_WITH_PREFIXING, txn));
  }

  static Store open(Path directory, StoreSettings settings) {
    EnvironmentConfig config =
        new EnvironmentConfig()
            .setMemoryUsage(Math.max(LEAST_CACHE, settings.cacheBytes()))
            .setLogCacheShared(false);
    return new XodusStore(
        (EnvironmentImpl) Environments.newInstance(directory.toFile(), config), directory);
  }

  @Override
  public Writer writer(boolean sync) {
    return new Writer() {
      @Override
      public void put(byte[] key, byte[] value) {
        Transaction txn = environment.beginExclusiveTransaction();
        tree.put(txn, new ArrayByteIterable(key), new ArrayByteIterable(value));
        finish(txn, sync);
      }

      @Override
      public void delete(byte[] key) {
        Transaction txn = environment.beginExclusiveTransaction();
        tree.delete(txn, new ArrayByteIterable(key));
        finish(txn, sync);
      }
    };
  }

  @Override
  public Writer batchWriter(boolean sync) {
    return new Writer() {
      private Transaction txn = environment.beginExclusiveTransaction();

      @Override
      public void put(byte[] key, byte[] value) {
        tree.put(txn, new ArrayByteIterable(key.clone()), new ArrayByteIterable(value.clone()));
      }

      @Override
      public void delete(byte[] key) {
        tree.delete(txn, new ArrayByteIterable(key.clone()));
      }

      @Override
      public void commit() {
        finish(txn, sync);
        txn = environment.beginExclusiveTransaction();
      }

      @Override
      public void close() {
        txn.abort();
      }
    };
  }

  private void finish(Transaction txn, boolean sync) {
    txn.commit();
    if (sync) {
      environment.flushAndSync();
    }
  }

  @Override
  public Reader reader() {
    return new XodusReader(environment, tree);
  }

  @Override
  public Cursor cursor() {
    return new XodusCursor(environment, tree);
  }

  @Override
  public void compact() {
    throw new UnsupportedOperationException("its compaction runs in the background only");
  }

  @Override
  public long diskBytes() {
    return StoreDirectory.bytes(directory);
  }

  @Override
  public void close() {
    environment.close();
  }

  private static long sum(ByteIterable bytes) {
    return ByteSum.of(bytes.getBytesUnsafe(), bytes.getLength());
  }

  /** Reads in a transaction that is renewed at intervals and by a refresh. */
  private static final class XodusReader extends SummingReader {
    private static final int GETS_PER_TXN = 1024;

    private final EnvironmentImpl environment;
    private final jetbrains.exodus.env.Store tree;
    private Transaction txn;
    private int gets;

    XodusReader(EnvironmentImpl environment, jetbrains.exodus.env.Store tree) {
      this.environment = environment;
      this.tree = tree;
      txn = environment.beginReadonlyTransaction();
    }

    @Override
    public int get(byte[] key) {
      if (++gets % GETS_PER_TXN == 0) {
        refresh();
      }
      ByteIterable value = tree.get(txn, new ArrayByteIterable(key));
      if (value == null) {
        return MISSING;
      }
      consume(XodusStore.sum(value));
      return value.getLength();
    }

    @Override
    public void refresh() {
      txn.abort();
      txn = environment.beginReadonlyTransaction();
    }

    @Override
    public void close() {
      super.close();
      txn.abort();
    }
  }

  private static final class XodusCursor implements Cursor {
    private final Transaction txn;
    private final jetbrains.exodus.env.Cursor cursor;

    XodusCursor(EnvironmentImpl environment, jetbrains.exodus.env.Store tree) {
      txn = environment.beginReadonlyTransaction();
      cursor = tree.openCursor(txn);
    }

    @Override
    public void scanForward(long limit, OpMeter meter) {
      for (long i = 0; i < limit && cursor.getNext(); i++) {
        readEntry(meter);
      }
    }

    @Override
    public void scanBackward(long limit, OpMeter meter) {
      boolean valid = cursor.getLast();
      for (long i = 0; i < limit && valid; i++) {
        readEntry(meter);
        valid = cursor.getPrev();
      }
    }

    private void readEntry(OpMeter meter) {
      ByteIterable key = cursor.getKey();
      ByteIterable value = cursor.getValue();
      meter.consume(sum(key) + sum(value));
      meter.addBytes(key.getLength() + (long) value.getLength());
      meter.tick();
    }

    @Override
    public boolean seek(byte[] key) {
      if (cursor.getSearchKeyRange(new ArrayByteIterable(key)) == null) {
        return false;
      }
      ByteIterable found = cursor.getKey();
      return found.getLength() == key.length
          && Arrays.equals(found.getBytesUnsafe(), 0, key.length, key, 0, key.length);
    }

    @Override
    public void close() {
      cursor.close();
      txn.abort();
    }
  }
}
