package dev.kv;

import java.util.Comparator;
import org.jspecify.annotations.Nullable;

/**
 * A total order over user keys. Its name is stored in the MANIFEST, and a database opens only with
 * a comparator of that name; so an order that changes needs a new name.
 *
 * <p>Implementations are thread-safe, never throw, and do not keep the slices, whose window ends
 * with the call. What one throws all the same reaches the caller as a {@link ComparatorException}.
 */
public interface DBComparator {

  /** Returns the unsigned bytewise order, {@code leveldb.BytewiseComparator}. The default. */
  static DBComparator bytewise() {
    return BytewiseComparator.INSTANCE;
  }

  /**
   * Returns an order given by a comparator of arrays. Each comparison copies both keys: convenient,
   * and slower than {@link #ofSlices}.
   */
  static DBComparator of(String name, Comparator<byte[]> order) {
    return new ArrayComparator(name, order);
  }

  /** Returns an order given by a comparator of slices, which copies nothing. */
  static DBComparator ofSlices(String name, Comparator<? super Slice> order) {
    return new SliceComparator(name, order);
  }

  /**
   * Returns the name that the MANIFEST keeps. Names that begin with {@code leveldb.} are LevelDB's.
   */
  String name();

  /** Compares two user keys. */
  int compare(Slice a, Slice b);

  /**
   * Returns a short key in [{@code start}, {@code limit}), or null to leave {@code start} as it is.
   * Makes the index of a table smaller; never needed for correctness.
   */
  default byte @Nullable [] shortestSeparator(Slice start, Slice limit) {
    return null;
  }

  /** Returns a short key at or after {@code key}, or null to leave it as it is. */
  default byte @Nullable [] shortSuccessor(Slice key) {
    return null;
  }
}
