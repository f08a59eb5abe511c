package dev.kv.core.read;

import dev.kv.ReadOptions;
import dev.kv.core.iterator.ConcatenatingIterator;
import dev.kv.core.iterator.CursorGuard;
import dev.kv.core.iterator.EmptyIterator;
import dev.kv.core.iterator.InternalIterator;
import dev.kv.core.iterator.MergingIterator;
import dev.kv.core.key.KeyBounds;
import dev.kv.core.key.UserKeyComparator;
import dev.kv.core.memory.ObjectPool;
import dev.kv.core.table.TableCache;
import dev.kv.core.version.Levels;
import dev.kv.core.version.Version;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The resources of one open iterator: a pinned read state, a cursor over all its entries, and
 * scratch memory. It must not refer strongly to the {@link DBIteratorImpl}, see {@link
 * OpenIterators}.
 */
final class PinnedView extends CursorGuard {
  private final ReadState state;
  private final ObjectPool<ReadContext> contexts;
  private final ReadContext context;
  private InternalIterator internal = new EmptyIterator();
  private @Nullable DBIter cursor;
  private OpenIterators.@Nullable Entry registration;

  /**
   * Creates a view. Takes ownership of {@code context} and of the pin of {@code state}, which was
   * taken in the stripe of {@code context}.
   */
  PinnedView(ReadState state, ObjectPool<ReadContext> contexts, ReadContext context) {
    this.state = state;
    this.contexts = contexts;
    this.context = context;
  }

  /**
   * Opens the cursor over the user keys of the view. The sequence number to read at must have been
   * set before: a memtable that is empty now has no entry at or below it, and is skipped.
   *
   * @param parts what all cursors of the database share
   */
  DBIter open(TableCache tables, ReadOptions options, CursorParts parts) {
    UserKeyComparator order = state.version().comparator().userComparator();
    KeyBounds bounds = KeyBounds.of(options, order);
    internal = allEntries(state, tables, options.verifyChecksums(), options.fillCache());
    DBIter opened = new DBIter(internal, order, state.changes(), bounds, context, parts);
    cursor = opened;
    return opened;
  }

  /**
   * Returns a cursor over all entries of a state. The caller keeps the state pinned, and closes the
   * cursor.
   */
  static InternalIterator allEntries(
      ReadState state, TableCache tables, boolean verify, boolean fill) {
    Version version = state.version();
    List<InternalIterator> children = new ArrayList<>();
    try {
      for (int i = 0; i < state.memTableCount(); i++) {
        if (!state.memTable(i).isEmpty()) {
          children.add(state.memTable(i).iterator());
        }
      }
      for (int i = 0; i < version.fileCount(0); i++) {
        children.add(tables.iterator(version, 0, i, verify, fill));
      }
      for (int i = 1; i < Levels.COUNT; i++) {
        int level = i;
        if (version.fileCount(level) > 0) {
          children.add(
              new ConcatenatingIterator(
                  version.fileCount(level),
                  index -> tables.iterator(version, level, index, verify, fill),
                  (key, offset, length) -> version.lowerBound(level, key, offset, length)));
        }
      }
      return MergingIterator.of(version.comparator(), children.toArray(InternalIterator[]::new));
    } catch (Throwable e) { // without an Undo, because reads open many iterators
      children.forEach(InternalIterator::close);
      throw e;
    }
  }

  /** Remembers what is to be removed from the registry of open iterators at the release. */
  void register(OpenIterators.Entry entry) {
    registration = entry;
  }

  /** Returns the stripe of the thread that opened the view. */
  int stripe() {
    return context.stripe();
  }

  @Override
  protected void stop() {
    DBIter moving = cursor;
    if (moving != null) {
      moving.stop();
    }
  }

  @Override
  protected void release() {
    OpenIterators.Entry entry = registration;
    if (entry != null) {
      entry.remove();
    }
    try {
      internal.close();
    } finally {
      state.unpin(context.stripe());
      context.releaseTo(contexts);
    }
  }
}
