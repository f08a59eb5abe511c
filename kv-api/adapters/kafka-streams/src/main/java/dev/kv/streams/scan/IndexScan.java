package dev.kv.streams.scan;

import dev.kv.DBIterator;
import dev.kv.streams.database.StoreDatabase;
import dev.kv.streams.database.TimedKey;
import java.util.Arrays;
import java.util.function.Predicate;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/** A scan over the entries of a range of time, in the order of time, with the index. */
public final class IndexScan extends CursorScan {
  private final UnaryOperator<byte @Nullable []> values;
  private final TimedKey form;
  private final Predicate<byte[]> filter;
  private byte @Nullable [] value;

  /**
   * Creates a scan.
   *
   * @param cursor a cursor over a range of the index, which this scan takes ownership of
   * @param values returns the value of an entry, or null if it was deleted
   * @param filter returns true for entries that the scan shows
   */
  public IndexScan(
      StoreDatabase database,
      DBIterator cursor,
      UnaryOperator<byte @Nullable []> values,
      TimedKey form,
      Predicate<byte[]> filter,
      boolean forward) {
    super(database, cursor, forward);
    this.values = values;
    this.form = form;
    this.filter = filter;
  }

  /** Skips entries that were deleted since the scan began. */
  @Override
  byte @Nullable [] settle() {
    while (cursor.isValid()) {
      byte[] stored = cursor.key();
      byte[] found = form.keyFirst(Arrays.copyOfRange(stored, 1, stored.length));
      byte[] present = filter.test(found) ? values.apply(found) : null;
      if (present != null) {
        value = present;
        return found;
      }
      step();
    }
    value = null;
    return null;
  }

  @Override
  byte[] foundValue() {
    byte[] found = value;
    if (found == null) {
      throw new IllegalStateException("the scan is at no entry");
    }
    return found;
  }
}
