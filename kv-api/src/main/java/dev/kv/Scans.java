package dev.kv;

import dev.kv.bytes.Slice;
import java.util.Objects;
import java.util.function.BiConsumer;

/** What scans of a database and scans of a transaction have in common. */
final class Scans {
  private Scans() {}

  /** Returns the options for the cursor of a scan, which refuses descending options. */
  static ReadOptions ascending(ReadOptions options) {
    Objects.requireNonNull(options, "options");
    return options.descending() ? options.toBuilder().descending(false).build() : options;
  }

  /** Passes every entry of {@code cursor} to {@code action}, and closes the cursor. */
  static void forEach(
      DBIterator cursor, boolean descending, BiConsumer<? super Slice, ? super Slice> action) {
    try (cursor) {
      if (descending) {
        for (cursor.seekToLast(); cursor.isValid(); cursor.prev()) {
          action.accept(cursor.keySlice(), cursor.valueSlice());
        }
      } else {
        for (cursor.seekToFirst(); cursor.isValid(); cursor.next()) {
          action.accept(cursor.keySlice(), cursor.valueSlice());
        }
      }
    }
  }
}
