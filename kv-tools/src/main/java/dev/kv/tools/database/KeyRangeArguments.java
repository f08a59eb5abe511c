package dev.kv.tools.database;

import dev.kv.DBWriter;
import dev.kv.ReadOnlyDB;
import dev.kv.ReadOptions;
import dev.kv.tools.console.Progress;
import dev.kv.tools.text.ByteText;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** The options that select a range of keys to read or delete. */
public final class KeyRangeArguments {
  @Mixin private KeyBounds bounds;

  @Option(
      names = "--prefix",
      paramLabel = "KEY",
      description = "Only keys that begin with KEY; needs the bytewise order.",
      converter = ByteText.Converter.class)
  private @Nullable ByteText prefix;

  /** Returns true if the range is not bounded. */
  public boolean isAll() {
    return bounds.from() == null && bounds.to() == null && prefix == null;
  }

  /**
   * Checks that the range makes sense.
   *
   * @throws picocli.CommandLine.ParameterException if it has a prefix and bounds, or a prefix in
   *     another order than bytewise, or begins after its end in the order of the database
   */
  public void require(DatabaseArguments database) {
    if (prefix != null && (bounds.from() != null || bounds.to() != null)) {
      throw database.wrongUsage("give --prefix, or --from and --to, not both");
    }
    bounds.requireAscending(database);
    if (prefix != null) {
      database.requireDatabase();
      if (!database.comparator().name().equals(KeyOrder.BYTEWISE.defaultName())) {
        throw database.wrongUsage("--prefix needs the bytewise order");
      }
    }
  }

  /** Returns true if a key is given as an option and is empty, such as an unset variable. */
  public boolean hasEmptyKey() {
    return isEmpty(bounds.from())
        || isEmpty(bounds.to())
        || isEmpty(prefix == null ? null : prefix.bytes());
  }

  private static boolean isEmpty(byte @Nullable [] key) {
    return key != null && key.length == 0;
  }

  /**
   * Returns the options of a scan over the range.
   *
   * @throws picocli.CommandLine.ParameterException if the range does not make sense
   */
  public ReadOptions readOptions(DatabaseArguments database) {
    require(database);
    return ReadOptions.builder()
        .fillCache(false)
        .lowerBound(bounds.from())
        .upperBound(bounds.to())
        .prefix(prefix == null ? null : prefix.bytes())
        .build();
  }

  /** Returns the first key of the range, or null for no bound. */
  public byte @Nullable [] from() {
    return prefix == null ? bounds.from() : prefix.bytes();
  }

  /** Returns the key before which the range ends, or null for no bound. */
  public byte @Nullable [] to() {
    return prefix == null ? bounds.to() : end(prefix.bytes());
  }

  /** Returns the first key after those with a prefix, or null if there is none. */
  private static byte @Nullable [] end(byte[] prefix) {
    for (int length = prefix.length; length > 0; length--) {
      if (prefix[length - 1] != -1) {
        byte[] end = Arrays.copyOf(prefix, length);
        end[length - 1]++;
        return end;
      }
    }
    return null;
  }

  /** Deletes the keys of the range as one write. */
  public void delete(DBWriter db) {
    if (prefix == null) {
      db.deleteRange(bounds.from(), bounds.to());
    } else {
      db.deletePrefix(prefix.bytes());
    }
  }

  /**
   * Returns the approximate number of bytes of tables that a scan over the range reads, or {@link
   * Progress#UNKNOWN} for a prefix, or if a damaged block hides it.
   */
  public long approximateSize(ReadOnlyDB db) {
    return prefix == null ? bounds.approximateSize(db) : Progress.UNKNOWN;
  }
}
