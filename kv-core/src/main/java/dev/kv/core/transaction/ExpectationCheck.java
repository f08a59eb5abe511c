package dev.kv.core.transaction;

import dev.kv.core.batch.BatchCursor;
import dev.kv.core.batch.Expectation;
import dev.kv.core.key.LookupResult;
import dev.kv.core.key.UserKeyComparator;
import dev.kv.core.key.ValueKind;
import dev.kv.core.memory.ValueRef;
import dev.kv.core.read.ValidationView;
import dev.kv.core.write.CommitCondition;
import dev.kv.core.write.WriteOutcome;
import java.nio.ByteBuffer;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The check of a batch's expectations, in two steps. The owner compares them with the base of the
 * view. The leader compares them with the newest entries of their keys that are in the group
 * already or in the recent memtables, if there are such entries; otherwise the result of the owner
 * stands.
 */
final class ExpectationCheck implements CommitCondition {
  private final List<Expectation> expectations;
  private final ValidationView view;
  private final UserKeyComparator order;
  private @Nullable Expectation failed;

  ExpectationCheck(List<Expectation> expectations, ValidationView view, UserKeyComparator order) {
    this.expectations = expectations;
    this.view = view;
    this.order = order;
  }

  /** Returns true if all expectations hold in the base of the view. */
  boolean holdsInBase() {
    for (Expectation each : expectations) {
      ByteBuffer expected = each.value();
      boolean holds;
      try {
        holds = view.find(each.key()) ? isEqual(view.value(), expected) : expected == null;
      } finally {
        view.releaseValue();
      }
      if (!holds) {
        failed = each;
        return false;
      }
    }
    return true;
  }

  @Override
  public WriteOutcome check(long lastSequence, BatchCursor earlier, int earlierCount) {
    if (earlierCount == 0
        && lastSequence == view.sinceSequence()
        && !view.recent().isChangedOutsideLog()) {
      return WriteOutcome.DONE;
    }
    if (!view.recent().pin()) {
      return WriteOutcome.STALE;
    }
    try {
      for (Expectation each : expectations) {
        if (!holdsStill(each, earlier)) {
          failed = each;
          return WriteOutcome.CONFLICT;
        }
      }
      return WriteOutcome.DONE;
    } finally {
      view.recent().unpin();
    }
  }

  private boolean holdsStill(Expectation each, BatchCursor earlier) {
    int result = findInGroup(each.key(), earlier);
    if (result == LookupResult.NOT_FOUND) {
      result = view.recent().find(each.key());
    }
    return switch (result) {
      case LookupResult.FOUND -> isEqual(view.value(), each.value());
      case LookupResult.DELETED -> each.value() == null;
      default -> true;
    };
  }

  /** Finds the last operation on a key in the group; sets the value of the view if it is a put. */
  private int findInGroup(byte[] key, BatchCursor earlier) {
    int result = LookupResult.NOT_FOUND;
    earlier.restart();
    while (earlier.next()) {
      ByteBuffer buffer = earlier.buffer();
      if (order.compare(buffer, earlier.keyOffset(), earlier.keyLength(), key, key.length) == 0) {
        result = earlier.kind() == ValueKind.VALUE ? LookupResult.FOUND : LookupResult.DELETED;
        view.value().set(buffer, earlier.valueOffset(), earlier.valueLength(), null);
      }
    }
    return result;
  }

  private static boolean isEqual(ValueRef value, @Nullable ByteBuffer expected) {
    return expected != null
        && value.length == expected.capacity()
        && UserKeyComparator.compareBytes(
                value.buffer, value.offset, value.length, expected, 0, expected.capacity())
            == 0;
  }

  @Override
  public int size() {
    return expectations.size();
  }

  /** Returns the key of the expectation that did not hold. */
  byte[] failedKey() {
    Expectation each = failed;
    if (each == null) {
      throw new AssertionError("every expectation holds");
    }
    return each.key();
  }
}
