package dev.kv.core.iterator;

import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * One range of {@link TombstoneSkipIndex}. Immutable; the arrays are never changed.
 *
 * <pre>
 * from ......... end ............. watchedEnd
 * |-- known dead --|
 * |---------- watched for puts ----------|
 * </pre>
 *
 * @param from the first key of the range; null for the beginning of the database
 * @param end the first key that is not known to be dead; null for the end of the database
 * @param since the sequence number from which on views do not see a key before {@code end}; {@link
 *     #NEVER} if nothing is known yet, and then {@code end} has no meaning
 * @param changes the number of changes outside the log that a view must see, no more and no less;
 *     {@link #NEVER} in the same way
 * @param watchedEnd the first key that is not watched; null for the end of the database
 * @param watchedSince every put at this sequence number or a later one is compared with the range;
 *     {@link #NEVER} if a leader has not begun with that
 */
public record SkipRange(
    byte @Nullable [] from,
    byte @Nullable [] end,
    long since,
    long changes,
    byte @Nullable [] watchedEnd,
    long watchedSince) {
  static final long NEVER = Long.MAX_VALUE;

  /** Returns a range of which nothing is known yet. */
  static SkipRange unproved(byte @Nullable [] from, byte @Nullable [] watchedEnd) {
    return new SkipRange(from, from, NEVER, NEVER, watchedEnd, NEVER);
  }

  /** Returns the range with a watch that begins with the put at {@code sequence}. */
  SkipRange watched(long sequence) {
    return new SkipRange(from, end, since, changes, watchedEnd, sequence);
  }

  /** Returns the range, watched up to a later key. The watch of the new part has not begun. */
  SkipRange extended(byte @Nullable [] newEnd) {
    return new SkipRange(from, end, since, changes, newEnd, NEVER);
  }

  /** Returns the range after a proof that it is dead up to {@code newEnd} for views since then. */
  SkipRange proved(byte @Nullable [] newEnd, long sequence, long changesSeen) {
    return new SkipRange(from, newEnd, sequence, changesSeen, watchedEnd, watchedSince);
  }

  /** Returns the part of the range before a key in it. */
  SkipRange before(byte[] key, boolean wasDead) {
    return new SkipRange(from, wasDead ? key : end, since, changes, key, watchedSince);
  }

  boolean isWatched() {
    return watchedSince != NEVER;
  }

  boolean isProved() {
    return since != NEVER;
  }

  boolean beginsAt(byte @Nullable [] key) {
    return Arrays.equals(from, key);
  }
}
