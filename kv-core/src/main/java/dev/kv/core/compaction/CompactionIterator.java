package dev.kv.core.compaction;

import dev.kv.core.iterator.ForwardIterator;
import dev.kv.core.key.InternalKey;
import dev.kv.core.key.KeyBuffer;
import dev.kv.core.key.UserKeyComparator;
import dev.kv.core.key.ValueKind;
import dev.kv.errors.CorruptionException;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.function.BooleanSupplier;

/**
 * Iterates over the entries of a compaction's inputs that survive it. Not thread-safe; allocates
 * nothing per entry.
 *
 * <p>The snapshots divide the sequence numbers into stripes: stripe 0 goes up to the oldest
 * snapshot, the last stripe begins after the newest. Of each user key, a reader sees at most the
 * newest entry of each stripe. Therefore:
 *
 * <ol>
 *   <li>of the entries of one user key in one stripe, only the newest survives;
 *   <li>a tombstone in stripe 0 is also dropped if no level below the outputs may contain the key,
 *       because it hides nothing then. Entries of that key in newer stripes are not affected.
 * </ol>
 *
 * Without snapshots there is one stripe. Snapshots taken later see the newest entries, which always
 * survive.
 *
 * <p>If the first entry of a user key is dropped, it is a tombstone in stripe 0, and all other
 * entries of the key are dropped, too. The first surviving entry of a user key is therefore always
 * its first entry.
 */
final class CompactionIterator {
  /** The approximate number of bytes read between two checks for cancellation. */
  private static final int BYTES_PER_CHECK = 64 << 10;

  /** The bytes that an entry counts in addition to its value. */
  private static final int BYTES_PER_ENTRY = 64;

  private static final int DELETION = ValueKind.DELETION.code();

  private final ForwardIterator input;
  private final long[] snapshots;
  private final BaseLevelCheck baseLevels;
  private final UserKeyComparator comparator;
  private final KeyBuffer userKey;
  private final String inputName;
  private final BooleanSupplier cancelled;
  private boolean started;
  private boolean newUserKey;
  private int stripe;
  private long lastTag;
  private long entriesRead;
  private int unchecked;
  private boolean isCancelled;

  /**
   * Creates the iterator before the first entry.
   *
   * @param input the merged inputs, borrowed
   * @param snapshots the sequence numbers of the open snapshots, ascending
   * @param inputName the name of the inputs in messages if they are not files
   */
  CompactionIterator(
      ForwardIterator input,
      long[] snapshots,
      BaseLevelCheck baseLevels,
      UserKeyComparator comparator,
      KeyBuffer userKey,
      String inputName,
      BooleanSupplier cancelled) {
    this.input = input;
    this.snapshots = Arrays.stream(snapshots).sorted().distinct().toArray();
    this.baseLevels = baseLevels;
    this.comparator = comparator;
    this.userKey = userKey;
    this.inputName = inputName;
    this.cancelled = cancelled;
  }

  /**
   * Moves the input to the next entry that survives.
   *
   * @return false if none is left or the compaction {@linkplain #isCancelled is cancelled}
   */
  boolean next() {
    while (step()) {
      entriesRead++;
      unchecked += BYTES_PER_ENTRY + Math.min(input.valueLength(), BYTES_PER_CHECK);
      if (unchecked >= BYTES_PER_CHECK) {
        unchecked = 0;
        if (cancelled.getAsBoolean()) {
          isCancelled = true;
          return false;
        }
      }
      if (survives()) {
        return true;
      }
    }
    return false;
  }

  private boolean step() {
    if (started) {
      input.next();
    } else {
      input.seekToFirst();
      started = true;
    }
    return input.isValid();
  }

  /** Returns true if the current entry of the input survives. Called once for each entry. */
  private boolean survives() {
    ByteBuffer key = input.keyBuffer();
    int offset = input.keyOffset();
    int userLength = input.keyLength() - InternalKey.TRAILER;
    if (!InternalKey.isWellFormed(key, offset, input.keyLength())) {
      throw damaged("no internal key");
    }
    long tag = key.getLong(offset + userLength);
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
    return InternalKey.kindCode(tag) != DELETION
        || entryStripe != 0
        || baseLevels.mayHold(key, offset, userLength);
  }

  /** Returns the stripe of a sequence number: the number of snapshots that are older than it. */
  private int stripeOf(long sequence) {
    int found = Arrays.binarySearch(snapshots, sequence);
    return found < 0 ? ~found : found;
  }

  /** Returns true if the current entry is the first one of its user key. */
  boolean isNewUserKey() {
    return newUserKey;
  }

  /** Returns true if the current entry is a value that no snapshot sees, or an older reader. */
  boolean isNewest() {
    return newUserKey && stripe == snapshots.length && InternalKey.kindCode(lastTag) != DELETION;
  }

  /** Returns true if {@link #next} found that the compaction is cancelled. */
  boolean isCancelled() {
    return isCancelled;
  }

  /** Returns the number of entries read from the input. */
  long entriesRead() {
    return entriesRead;
  }

  private CorruptionException damaged(String how) {
    return input.damagedKey(how, inputName);
  }
}
