package dev.kv.core.compaction;

import dev.kv.CorruptionException;
import dev.kv.core.iterator.InternalIterator;
import dev.kv.core.key.InternalKey;
import dev.kv.core.key.KeyBuffer;
import dev.kv.core.key.UserKeyComparator;
import dev.kv.core.key.ValueKind;
import java.nio.ByteBuffer;
import java.util.Arrays;

/**
 * Says of each entry of a compaction's inputs, in order, whether it survives. Not thread-safe;
 * allocates nothing per entry.
 *
 * <p>The snapshots cut the sequence numbers into stripes: stripe 0 goes up to the oldest snapshot,
 * the last stripe lies above the newest. All who read see, of each stripe, at most the newest entry
 * of a user key. Hence:
 *
 * <ol>
 *   <li>of the entries of one user key in one stripe, only the newest stays;
 *   <li>a tombstone in stripe 0 goes too, where no level below the outputs may hold the key:
 *       nothing is left for it to hide. Whatever of that key stands above it in a newer stripe is
 *       not touched by that.
 * </ol>
 *
 * Without snapshots there is one stripe. Snapshots taken later see the newest entries, which always
 * stay.
 */
final class CompactionIterator {
  private static final int DELETION = ValueKind.DELETION.code();

  private final InternalIterator input;
  private final long[] snapshots;
  private final DeeperLevels deeperLevels;
  private final UserKeyComparator comparator;
  private final KeyBuffer userKey;
  private final String inputName;
  private boolean started;
  private boolean newUserKey;
  private int stripe;
  private long lastTag;

  /**
   * Creates the iterator before the first entry.
   *
   * @param input the merged inputs, borrowed
   * @param snapshots the sequence numbers of the open snapshots, ascending
   * @param inputName names the inputs in messages if they are not in files
   */
  CompactionIterator(
      InternalIterator input,
      long[] snapshots,
      DeeperLevels deeperLevels,
      UserKeyComparator comparator,
      KeyBuffer userKey,
      String inputName) {
    this.input = input;
    this.snapshots = snapshots.clone();
    Arrays.sort(this.snapshots);
    this.deeperLevels = deeperLevels;
    this.comparator = comparator;
    this.userKey = userKey;
    this.inputName = inputName;
  }

  /** Moves the input to its next entry; returns false where none is left. */
  boolean next() {
    if (started) {
      input.next();
    } else {
      input.seekToFirst();
      started = true;
    }
    return input.isValid();
  }

  /** Decides on the entry that the input stands on. Called once for each. */
  boolean survives() {
    ByteBuffer key = input.keyBuffer();
    int offset = input.keyOffset();
    int userLength = input.keyLength() - InternalKey.TRAILER;
    if (userLength < 0) {
      throw damaged("no internal key");
    }
    long tag = key.getLong(offset + userLength);
    int kind = InternalKey.kindCode(tag);
    if (kind > 1) {
      throw damaged("no internal key");
    }
    int entryStripe = stripeOf(InternalKey.sequence(tag));
    int order = userKey.compareTo(key, offset, userLength, comparator);
    if (order > 0 || (order == 0 && Long.compareUnsigned(tag, lastTag) > 0)) {
      throw damaged("out of order");
    }
    lastTag = tag;
    newUserKey = order < 0;
    if (newUserKey) {
      userKey.setKey(key, offset, userLength);
    } else if (entryStripe == stripe) {
      return false;
    }
    stripe = entryStripe;
    return kind != DELETION || entryStripe != 0 || deeperLevels.mayHold(key, offset, userLength);
  }

  /** Returns how many snapshots are older than a sequence number. */
  private int stripeOf(long sequence) {
    int low = 0;
    int high = snapshots.length;
    while (low < high) {
      int middle = (low + high) >>> 1;
      if (snapshots[middle] < sequence) {
        low = middle + 1;
      } else {
        high = middle;
      }
    }
    return low;
  }

  /**
   * Returns whether the entry's user key is another than that of the entry before it in the input.
   */
  boolean isNewUserKey() {
    return newUserKey;
  }

  private CorruptionException damaged(String how) {
    return input.corruption(
        "a table holds a key that is "
            + how
            + ": "
            + InternalKey.describe(
                InternalKey.copy(input.keyBuffer(), input.keyOffset(), input.keyLength())),
        inputName);
  }
}
