package dev.kv.jmh.suite;

import dev.kv.jmh.store.Cursor;
import dev.kv.jmh.store.Reader;
import dev.kv.jmh.store.Store;
import dev.kv.jmh.store.Writer;

/** The store of a benchmark in which no store is open. */
enum ClosedStore implements Store {
  INSTANCE;

  @Override
  public Writer writer(boolean sync) {
    throw closed();
  }

  @Override
  public Writer batchWriter(boolean sync) {
    throw closed();
  }

  @Override
  public Reader reader() {
    throw closed();
  }

  @Override
  public Cursor cursor() {
    throw closed();
  }

  @Override
  public void compact() {
    throw closed();
  }

  @Override
  public long diskBytes() {
    throw closed();
  }

  @Override
  public void close() {}

  private static IllegalStateException closed() {
    return new IllegalStateException("no store is open");
  }
}
