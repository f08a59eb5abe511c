package dev.kv.view;

import dev.kv.load.BulkLoader;

/** A bulk load whose entries are changed before they are loaded. */
public abstract class LoaderView implements BulkLoader {
  /** The loader of the database. */
  protected final BulkLoader target;

  /**
   * Creates a view, which takes ownership of {@code target}.
   *
   * @param target the loader of the database
   */
  protected LoaderView(BulkLoader target) {
    this.target = target;
  }

  @Override
  public final long entryCount() {
    return target.entryCount();
  }

  @Override
  public final void finish() {
    target.finish();
  }

  @Override
  public final void close() {
    target.close();
  }
}
