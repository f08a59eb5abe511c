package dev.kv.tools.entries;

import dev.kv.DBIterator;
import dev.kv.ReadOnlyDB;
import dev.kv.bytes.DBComparator;
import dev.kv.bytes.Slice;
import dev.kv.tools.console.Cancellation;
import dev.kv.tools.console.Failure;
import dev.kv.tools.console.Meter;
import dev.kv.tools.console.Output;
import dev.kv.tools.console.Progress;
import dev.kv.tools.database.DatabaseArguments;
import dev.kv.tools.database.KeyOrder;
import dev.kv.tools.database.KeyRangeArguments;
import dev.kv.tools.text.EntryFormat;
import dev.kv.tools.text.Json;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Compares two databases entry by entry. */
@Command(
    name = "diff",
    description =
        "Compare two databases of the same order. A line that begins with '-' is an entry that only"
            + " the first database has, '+' an entry that only the second has; a value that differs"
            + " gives both lines. Exit 1 if the databases differ.",
    mixinStandardHelpOptions = true)
public final class DiffCommand implements Callable<Integer> {
  @Mixin private DatabaseArguments first;
  @Mixin private KeyRangeArguments range;

  @Parameters(index = "1", paramLabel = "DIR2", description = "The second database's directory.")
  private Path second;

  @Option(names = "--json", description = "Print one JSON object for each difference.")
  private boolean json;

  @Option(names = "--utf8", description = "Print the characters of UTF-8 text as they are.")
  private boolean utf8;

  @Option(names = "--quiet", description = "Print nothing; the exit code tells the result.")
  private boolean quiet;

  @Override
  public Integer call() {
    DatabaseArguments other = first.at(second);
    requireSameOrder(other);
    DBComparator order = first.comparator();
    Meter meter = new Meter();
    boolean same = true;
    try (Output out = new Output();
        ReadOnlyDB a = first.openReadOnly(meter);
        ReadOnlyDB b = other.openReadOnly(meter);
        DBIterator left = a.iterator(range.readOptions(first));
        DBIterator right = b.iterator(range.readOptions(first));
        Progress progress =
            Progress.printing("diff", () -> approximateSize(a, b), meter::bytesRead)) {
      progress.begin();
      left.seekToFirst();
      right.seekToFirst();
      while (left.isValid() || right.isValid()) {
        Cancellation.check();
        int side = compare(order, left, right);
        if (side != 0 || !left.valueSlice().equals(right.valueSlice())) {
          same = false;
          print(out, side <= 0 ? left : null, side >= 0 ? right : null);
          if (quiet) {
            break;
          }
        }
        if (side <= 0) {
          left.next();
        }
        if (side >= 0) {
          right.next();
        }
      }
    }
    return same ? 0 : 1;
  }

  private long approximateSize(ReadOnlyDB a, ReadOnlyDB b) {
    long left = range.approximateSize(a);
    long right = range.approximateSize(b);
    return left < 0 || right < 0 ? Progress.UNKNOWN : left + right;
  }

  /**
   * Checks that the databases do not have different known orders. One by an unknown comparator has
   * the order that --comparator tells, or fails at its open, as one with a damaged MANIFEST does.
   */
  private void requireSameOrder(DatabaseArguments other) {
    first.requireDatabase();
    other.requireDatabase();
    KeyOrder one = first.knownOrder();
    KeyOrder two = other.knownOrder();
    if (one != null && two != null && one != two) {
      throw new Failure(
          first.directory()
              + " is ordered by "
              + one.defaultName()
              + ", and "
              + second
              + " by "
              + two.defaultName()
              + ": databases of different orders cannot be compared");
    }
  }

  /** Returns a negative number if the left entry comes first, a positive one if the right does. */
  private static int compare(DBComparator order, DBIterator left, DBIterator right) {
    if (!left.isValid() || !right.isValid()) {
      return left.isValid() ? -1 : 1;
    }
    Slice a = left.keySlice();
    Slice b = right.keySlice();
    return order.compare(a, b);
  }

  private void print(Output out, @Nullable DBIterator left, @Nullable DBIterator right) {
    if (quiet) {
      return;
    }
    if (json) {
      Map<String, Object> members = new LinkedHashMap<>();
      DBIterator any = left == null ? right : left;
      if (any != null) {
        members.put("key", any.key());
      }
      if (left != null) {
        members.put("first", left.value());
      }
      if (right != null) {
        members.put("second", right.value());
      }
      out.line(Json.of(members));
      return;
    }
    print(out, "-\t", left);
    print(out, "+\t", right);
  }

  private void print(Output out, String sign, @Nullable DBIterator entry) {
    if (entry != null) {
      out.line(
          sign + (utf8 ? EntryFormat.UTF8 : EntryFormat.TEXT).line(entry.key(), entry.value()));
    }
  }
}
