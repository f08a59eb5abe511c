package dev.kv.tools.entries;

import dev.kv.DB;
import dev.kv.DBComparator;
import dev.kv.DBIterator;
import dev.kv.Slice;
import dev.kv.tools.console.Meter;
import dev.kv.tools.console.Output;
import dev.kv.tools.console.Progress;
import dev.kv.tools.database.DatabaseArguments;
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
        "Compare two databases of the same order. A line is '-' and an entry that only the first "
            + "has, '+' and one that only the second has; of a value that differs, both. Exit 1 if they "
            + "differ.",
    mixinStandardHelpOptions = true)
public final class DiffCommand implements Callable<Integer> {
  @Mixin private DatabaseArguments first;
  @Mixin private KeyRangeArguments range;

  @Parameters(index = "1", paramLabel = "DIR2", description = "The second database's directory.")
  private Path second;

  @Option(names = "--json", description = "Print an object a difference.")
  private boolean json;

  @Option(names = "--quiet", description = "Print nothing: the exit code tells.")
  private boolean quiet;

  @Override
  public Integer call() {
    DBComparator order = first.comparator();
    Meter meter = new Meter();
    boolean same = true;
    try (Output out = new Output();
        DB a = first.openReadOnly(meter);
        DB b = first.at(second).openReadOnly(meter);
        DBIterator left = a.iterator(range.readOptions());
        DBIterator right = b.iterator(range.readOptions());
        Progress progress =
            Progress.printing(
                "diff", range.approximateSize(a) + range.approximateSize(b), meter::bytesRead)) {
      progress.begin();
      left.seekToFirst();
      right.seekToFirst();
      while (left.isValid() || right.isValid()) {
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

  /** Returns which side's entry comes first, both where their keys are the same. */
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
    line(out, "-\t", left);
    line(out, "+\t", right);
  }

  private static void line(Output out, String sign, @Nullable DBIterator entry) {
    if (entry != null) {
      out.line(sign + EntryFormat.TEXT.line(entry.key(), entry.value()));
    }
  }
}
